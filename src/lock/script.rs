//! The scripts that more than one lock sends: by `EVALSHA`, and loaded anew where the server has forgotten them.

use super::command::millis;
use super::{Done, Extended};
use redis::Script;
use redis::aio::ConnectionLike;
use std::sync::LazyLock;
use std::time::Duration;

/// Deletes the key if it holds the token. Source: the Redis documentation of SET.
pub static COMPARE_AND_DELETE: LazyLock<Script> = LazyLock::new(|| {
    Script::new("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end")
});

/// Sets the key's time to live if it holds the token.
static COMPARE_AND_PEXPIRE: LazyLock<Script> = LazyLock::new(|| {
    Script::new("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end")
});

/// Releases in one step what the token holds, and nothing else.
pub async fn compare_and_delete(node: &mut impl ConnectionLike, key: &str, token: &str) -> Done {
    match COMPARE_AND_DELETE.key(key).arg(token).invoke_async(node).await {
        Ok(deleted) => Done::deleted(deleted),
        Err(error) => Done::failed("compare-and-delete", &error),
    }
}

/// Extends in one step what the token holds, and nothing else.
pub async fn compare_and_pexpire(node: &mut impl ConnectionLike, key: &str, token: &str, ttl: Duration) -> Extended {
    match COMPARE_AND_PEXPIRE.key(key).arg(token).arg(millis(ttl)).invoke_async(node).await {
        Ok(true) => Extended::Yes(None),
        Ok(false) => Extended::No("the key is gone or another's".into()),
        Err(error) => Extended::failed("compare-and-pexpire", &error),
    }
}
