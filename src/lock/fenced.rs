//! L7 `fenced`: L4 with a fencing token from a counter, `{<key>}:fence` (in a cluster the slot of the key), in the script that takes the lock. The counter is as durable as
//! the Redis that keeps it: after a failover that lost an increment a token is issued twice.

use super::command::millis;
use super::{Attempt, Done, Io, Lock, Step, script};
use crate::client::Clock;
use redis::Script;
use redis::aio::ConnectionLike;
use std::sync::LazyLock;
use std::time::Duration;

/// SET PX and INCR, if there is no key; nil if there is. INCR comes first: if it fails, nothing is taken.
static TAKE_AND_COUNT: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('EXISTS', KEYS[1]) == 1 then return false end\n\
         local fence = redis.call('INCR', KEYS[2])\n\
         redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\n\
         return fence",
    )
});

/// A random token to own it by, and a counted one to fence with.
pub struct Fenced;

impl<C: ConnectionLike, K: Clock> Lock<C, K> for Fenced {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&TAKE_AND_COUNT, &script::COMPARE_AND_DELETE, &script::COMPARE_AND_PEXPIRE]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(async move {
            let token = io.token();
            let mut take = TAKE_AND_COUNT.prepare_invoke();
            take.key(key).key(format!("{{{key}}}:fence")).arg(&token).arg(millis(ttl));
            match take.invoke_async::<Option<u64>>(io.node()).await {
                Ok(Some(fence)) => Attempt::granted(token, Some(fence)),
                Ok(None) => Attempt::taken(token),
                Err(error) => Attempt::failed(token, "take-and-count", &error),
            }
        })
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move { script::compare_and_delete(io.node(), key, token).await })
    }
}
