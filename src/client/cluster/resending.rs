//! What a client of a cluster does about a command that failed.
//!
//! redis-rs's `ClusterConnection` sends it again, whatever it was and whether or not it may have been executed: at once where a connection broke,
//! to another node of the shard while that is mended, and after a pause where the cluster is down or nobody can be connected to. It needs a runtime and a
//! clock of its own, iterates over hash maps and draws at random, and so cannot run in a simulation; [`Resending::AsClusterConnection`] is a model
//! of it, which takes from redis-rs itself which errors are sent again, and which `tests/cluster_clients.rs` holds to the real one.

use super::{ClusterNodes, Message, Replies, failure, send};
use redis::aio::ConnectionLike;
use redis::{FromRedisValue, RedisError, RetryMethod, Value};
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// How often redis-rs sends a command again by default (`ClusterClientBuilder::retries`).
const RETRIES: u32 = 16;
/// How long it waits before it sends it again, by its default formula, up to the seventh time; more do not fit into its patience.
const PAUSE: Duration = Duration::from_millis(1280);

/// What is done about a command that failed.
#[derive(Clone)]
pub enum Resending {
    /// Nothing: only one that was certainly not executed, since it was redirected or had no connection, is sent elsewhere.
    Never,
    /// It is sent again, as redis-rs's `ClusterConnection` does.
    AsClusterConnection(Arc<dyn Rest>),
}

/// Lets time pass for a client. Other than [`Clock`](crate::client::Clock) it can be sent between threads, as redis-rs wants it.
pub trait Rest: Send + Sync {
    /// Resolves after this long.
    fn rest(&self, how_long: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

impl<C: ConnectionLike + Send> ClusterNodes<C> {
    /// Sends a message up to 17 times, for no longer than [`ClusterNodes::PATIENCE`].
    pub(super) async fn resend(&mut self, rest: &dyn Rest, slot: u16, message: Message<'_>) -> Replies {
        let (mut redirect, mut waited, mut retries) = (None, Duration::ZERO, 0);
        loop {
            let (to, asking) = match redirect.take() {
                Some(redirect) => redirect,
                None => (self.nearest(slot).await?, false),
            };
            self.last = to;
            let replies = self.send_to(to, asking, message).await;
            let failed = failure(&replies);
            if self.lost == Some(to) && failed.as_ref().err().is_none_or(|error| !error.is_io_error()) {
                self.lost = None;
            }
            let Err(error) = failed else { return replies };
            // The time for all of it is the time for one reply.
            if retries == RETRIES || error.is_timeout() {
                return replies;
            }
            retries += 1;
            let pause = match error.retry_method() {
                RetryMethod::MovedRedirect => {
                    redirect = self.redirected(&error, slot)?.map(|node| (node, false));
                    None
                }
                RetryMethod::AskRedirect => {
                    redirect = self.redirected(&error, slot)?.map(|node| (node, true));
                    None
                }
                // No connection could be made: it asks who serves what, and waits.
                RetryMethod::Reconnect | RetryMethod::ReconnectFromInitialConnections if error.is_connection_refusal() => {
                    self.lost = Some(to);
                    let _ = self.refresh().await;
                    Some(PAUSE)
                }
                RetryMethod::Reconnect => {
                    self.lost = Some(to);
                    None
                }
                RetryMethod::RefreshSlotsAndRetry => {
                    let _ = self.refresh().await;
                    None
                }
                RetryMethod::WaitAndRetry => Some(PAUSE),
                RetryMethod::RetryImmediately => None,
                _ => return replies,
            };
            if let Some(pause) = pause {
                if waited + pause > Self::PATIENCE {
                    rest.rest(Self::PATIENCE - waited).await;
                    return Err(io::Error::from(io::ErrorKind::TimedOut).into());
                }
                waited += pause;
                rest.rest(pause).await;
            }
        }
    }

    /// How long a message may take in all: redis-rs takes for that what it was told as the time for one reply.
    pub const PATIENCE: Duration = Duration::from_secs(5);

    /// Whom redis-rs sends a message to: the master; while its connection is broken a replica of it, which will say where the master is.
    async fn nearest(&mut self, slot: u16) -> Result<usize, RedisError> {
        let owner = self.owner(slot).await?;
        let shard = self.slots.shard(slot).unwrap_or_default();
        let other = shard.iter().copied().find(|node| Some(*node) != self.lost);
        Ok(if Some(owner) == self.lost { other.unwrap_or(owner) } else { owner })
    }

    /// Asks every master, and answers with the least that one said, as redis-rs does with WAIT.
    pub(super) async fn least_of_all_masters(&mut self, message: Message<'_>) -> Replies {
        let mut least: Option<i64> = None;
        for master in self.slots.masters() {
            let replies = send(&mut self.nodes[master].1, message).await;
            failure(&replies)?;
            for reply in replies? {
                let said = i64::from_redis_value(reply)?;
                least = Some(least.map_or(said, |least| least.min(said)));
            }
        }
        Ok(vec![Value::Int(least.unwrap_or(0))])
    }
}
