//! A real connection that hears a channel.

use super::node::{PATIENCE, connect};
use crate::client::subscriber::{Hearing, Subscriber};
use futures_util::StreamExt;
use redis::aio::PubSub;
use redis::{ProtocolVersion, RedisConnectionInfo, RedisResult};
use std::io;
use std::net::{IpAddr, SocketAddr};
use tokio::time::timeout;

/// A node's channels, as one client hears them: each subscription has a connection of its own.
pub struct RealSubscriber {
    address: SocketAddr,
    source: IpAddr,
    open: Option<PubSub>,
}

impl RealSubscriber {
    /// Of the node at an address, for a client that calls from another; nothing is sent yet.
    pub fn new(address: SocketAddr, source: IpAddr) -> Self {
        RealSubscriber { address, source, open: None }
    }

    async fn begin(&mut self, channel: &str) -> RedisResult<()> {
        self.open = None;
        let stream = connect(self.address, Some(self.source)).await?;
        let info = RedisConnectionInfo::default().set_protocol(ProtocolVersion::RESP2).set_skip_set_lib_name();
        let mut open = PubSub::new(&info, stream).await?;
        open.subscribe(channel).await?;
        self.open = Some(open);
        Ok(())
    }
}

impl Subscriber for RealSubscriber {
    fn subscribe<'a>(&'a mut self, channel: &'a str) -> Hearing<'a> {
        Box::pin(async move {
            match timeout(PATIENCE, self.begin(channel)).await {
                Ok(begun) => begun,
                Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
            }
        })
    }

    fn message(&mut self) -> Hearing<'_> {
        Box::pin(async move {
            let heard = match &mut self.open {
                Some(open) => open.on_message().next().await.is_some(),
                None => false,
            };
            match heard {
                true => Ok(()),
                false => {
                    self.open = None;
                    Err(io::Error::from(io::ErrorKind::ConnectionReset).into())
                }
            }
        })
    }
}
