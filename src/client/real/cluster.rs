//! redis-rs's own client of a cluster, as people use it.
//!
//! What is set: that a reply is waited for as long as other clients here wait, and RESP2. The rest is its default, the re-sending of every command that failed up to
//! 16 times too. redis-rs takes the time for one reply as the time for a command with all its re-sending.

use super::node::{PATIENCE, connect};
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::cluster::ClusterClientBuilder;
use redis::cluster_async::{ClusterConnection, Connect};
use redis::{
    AsyncConnectionConfig, Cmd, ConnectionAddr, IntoConnectionInfo, Pipeline, ProtocolVersion, RedisConnectionInfo, RedisFuture,
    RedisResult, Value,
};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::OnceLock;

/// From where this process connects to clusters. redis-rs makes the connections, and tells whoever makes one nothing but where to.
static SOURCE: OnceLock<IpAddr> = OnceLock::new();

/// Connects to the cluster that these nodes are of, from this address, by which the wire knows the client.
///
/// # Errors
/// None of them answers, or this process connects to clusters from another address already.
pub async fn cluster_connection(nodes: &[SocketAddr], source: IpAddr) -> RedisResult<ClusterConnection<BoundConnection>> {
    if *SOURCE.get_or_init(|| source) != source {
        return Err(io::Error::other("one process connects to clusters from one address").into());
    }
    let nodes = nodes.iter().map(|node| format!("redis://{node}"));
    let client = ClusterClientBuilder::new(nodes).response_timeout(PATIENCE).use_protocol(ProtocolVersion::RESP2).build()?;
    client.get_async_generic_connection().await
}

/// A connection to one node of a cluster, from the address of this process.
#[derive(Clone)]
pub struct BoundConnection(MultiplexedConnection);

impl Connect for BoundConnection {
    fn connect_with_config<'a, T>(info: T, config: AsyncConnectionConfig) -> RedisFuture<'a, Self>
    where
        T: IntoConnectionInfo + Send + 'a,
    {
        Box::pin(async move {
            let info = info.into_connection_info()?;
            let ConnectionAddr::Tcp(host, port) = info.addr() else {
                return Err(io::Error::other("a node of a cluster is found at a host and a port").into());
            };
            let host: IpAddr = host.parse().map_err(|error| io::Error::other(format!("{host}: {error}")))?;
            let stream = connect(SocketAddr::new(host, *port), SOURCE.get().copied()).await?;
            // Without CLIENT SETINFO: what is on the wire is what the lock sends.
            let info = RedisConnectionInfo::default().set_protocol(ProtocolVersion::RESP2).set_skip_set_lib_name();
            let (connection, driver) = MultiplexedConnection::new_with_config(&info, stream, config).await?;
            tokio::spawn(driver);
            Ok(BoundConnection(connection))
        })
    }
}

impl ConnectionLike for BoundConnection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        self.0.req_packed_command(cmd)
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        self.0.req_packed_commands(pipeline, offset, count)
    }

    fn get_db(&self) -> i64 {
        self.0.get_db()
    }
}
