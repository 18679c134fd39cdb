//! L3g `set-nx-px-get-del`: SET NX PX, released by GET, compare, DEL in two round trips. What expires between the two, and is taken by
//! another, is deleted.

use super::{Attempt, Done, Io, Lock, Step, command, script, set_nx_px};
use crate::client::Clock;
use redis::Script;
use redis::aio::ConnectionLike;
use std::time::Duration;

/// SET NX PX, and a release that compares, then deletes.
pub struct SetNxPxGetDel;

impl<C: ConnectionLike, K: Clock> Lock<C, K> for SetNxPxGetDel {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&script::COMPARE_AND_PEXPIRE]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(set_nx_px::acquire(io, key, ttl))
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move {
            match command::get(io.node(), key).await {
                Ok(stored) if stored.as_deref() != Some(token) => return Done::deleted(false),
                Ok(_) => {}
                Err(error) => return Done::unread("GET", &error),
            }
            match command::del(io.node(), key).await {
                Ok(deleted) => Done::deleted(deleted),
                Err(error) => Done::failed("DEL", &error),
            }
        })
    }
}
