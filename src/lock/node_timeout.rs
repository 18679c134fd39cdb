//! One node's answer, waited for no longer than a quorum lock has time for.

use crate::client::Clock;
use futures_util::future::{Either, select};
use redis::RedisResult;
use std::io;
use std::pin::pin;
use std::time::Duration;

/// A reply, or that it timed out. The connection then belongs to nobody: what it may still answer is an answer to this command, and the next
/// command takes another.
///
/// A client that was stopped wakes with its timer and its reply both due. As one that blocks on a socket would, it then takes what has
/// arrived: whoever wakes much too late waits once more.
pub async fn within<T>(clock: &impl Clock, limit: Duration, reply: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
    let asked = clock.monotonic();
    let overslept = || u128::from(clock.monotonic().saturating_sub(asked)) >= 2 * limit.as_nanos();
    let mut reply = pin!(reply);
    let mut last_chance = false;
    loop {
        if let Either::Left((reply, _)) = select(reply.as_mut(), pin!(clock.sleep(limit))).await {
            return reply;
        }
        if last_chance || !overslept() {
            return Err(io::Error::from(io::ErrorKind::TimedOut).into());
        }
        last_chance = true;
    }
}
