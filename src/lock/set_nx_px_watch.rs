//! L4w `set-nx-px-watch`: SET NX PX, released by WATCH, GET, compare, MULTI DEL EXEC, as *Redis in Action* (section 6.2.3) does.
//!
//! A WATCH is its connection's: where that breaks before the EXEC, the connection must not be replaced unseen
//! ([`RealNode`](crate::client::real::RealNode) refuses), or the DEL would be blind.

use super::{Attempt, Done, Io, Lock, Step, command, script, set_nx_px};
use crate::client::Clock;
use redis::Script;
use redis::aio::ConnectionLike;
use redis::{RedisResult, cmd, pipe};
use std::time::Duration;

/// SET NX PX, and a release in an optimistic transaction.
pub struct SetNxPxWatch;

impl<C: ConnectionLike, K: Clock> Lock<C, K> for SetNxPxWatch {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&script::COMPARE_AND_PEXPIRE]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(set_nx_px::acquire(io, key, ttl))
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move {
            let node = io.node();
            if let Err(error) = cmd("WATCH").arg(key).query_async::<()>(node).await {
                return Done::unread("WATCH", &error);
            }
            match command::get(node, key).await {
                Ok(stored) if stored.as_deref() == Some(token) => {}
                seen => {
                    // If it fails, its connection is gone, and the WATCH with it.
                    let _: RedisResult<()> = cmd("UNWATCH").query_async(node).await;
                    return match seen {
                        Ok(_) => Done::deleted(false),
                        Err(error) => Done::unread("GET", &error),
                    };
                }
            }
            match pipe().atomic().del(key).query_async::<Option<(bool,)>>(node).await {
                Ok(Some((deleted,))) => Done::deleted(deleted),
                Ok(None) => Done::No("the key changed between GET and EXEC".into()),
                Err(error) => Done::failed("EXEC", &error),
            }
        })
    }
}
