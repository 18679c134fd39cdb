//! L4 `set-nx-px`: SET NX PX of a random token, released by a compare-and-delete script. The lock of the Redis documentation.

use super::{Attempt, Done, Io, Lock, Step, command, script};
use crate::client::Clock;
use redis::Script;
use redis::aio::ConnectionLike;
use std::time::Duration;

/// SET NX PX, and a release that compares.
pub struct SetNxPx;

/// The acquire of every lock that is taken by SET NX PX; they differ in how they are released.
pub async fn acquire<C: ConnectionLike, K>(io: &mut Io<C, K>, key: &str, ttl: Duration) -> Attempt {
    let token = io.token();
    match command::set_nx_px(io.node(), key, &token, ttl).await {
        Ok(true) => Attempt::granted(token, None),
        Ok(false) => Attempt::taken(token),
        Err(error) => Attempt::failed(token, "SET", &error),
    }
}

impl<C: ConnectionLike, K: Clock> Lock<C, K> for SetNxPx {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&script::COMPARE_AND_DELETE, &script::COMPARE_AND_PEXPIRE]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(acquire(io, key, ttl))
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move { script::compare_and_delete(io.node(), key, token).await })
    }
}
