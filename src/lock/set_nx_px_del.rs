//! L3 `set-nx-px-del`: SET NX PX, released by a blind DEL. A holder that was paused past its TTL deletes the next holder's lock.

use super::{Attempt, Done, Io, Lock, Step, command, script, set_nx_px};
use crate::client::Clock;
use redis::Script;
use redis::aio::ConnectionLike;
use std::time::Duration;

/// SET NX PX, and a release that looks at nothing.
pub struct SetNxPxDel;

impl<C: ConnectionLike, K: Clock> Lock<C, K> for SetNxPxDel {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&script::COMPARE_AND_PEXPIRE]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(set_nx_px::acquire(io, key, ttl))
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, _token: &'a str) -> Step<'a, Done> {
        Box::pin(async move {
            match command::del(io.node(), key).await {
                Ok(deleted) => Done::deleted(deleted),
                Err(error) => Done::failed("DEL", &error),
            }
        })
    }
}
