//! The scripts that more than one lock sends: by `EVALSHA`, and loaded anew where the server has forgotten them.

use super::command::millis;
use super::{Done, Extended, Impossible};
use redis::aio::ConnectionLike;
use redis::{RedisResult, Script};
use std::sync::LazyLock;
use std::time::Duration;

/// Deletes the key if it holds the token. Source: the Redis documentation of SET.
pub static COMPARE_AND_DELETE: LazyLock<Script> = LazyLock::new(|| {
    Script::new("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end")
});

/// Sets the key's time to live if it holds the token.
pub static COMPARE_AND_PEXPIRE: LazyLock<Script> = LazyLock::new(|| {
    Script::new("if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end")
});

/// Sets the key's time to live if it holds the token, and takes it anew if nobody has it: the mistake of RedLock.net 48.
pub static PEXPIRE_OR_SET: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = redis.call('GET', KEYS[1])\n\
         if held == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end\n\
         if held then return 0 end\n\
         redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])\n\
         return 1",
    )
});

/// Loads scripts into every node.
pub async fn load(nodes: &mut [impl ConnectionLike], scripts: &[&'static Script]) -> Result<(), Impossible> {
    for node in nodes {
        for script in scripts {
            let loaded = script.load_async(node).await;
            loaded.map_err(|error| Impossible(format!("a script of this lock could not be loaded: {error}")))?;
        }
    }
    Ok(())
}

/// Deletes in one step what the token holds, and nothing else: whether there was something.
pub async fn delete_own(node: &mut impl ConnectionLike, key: &str, token: &str) -> RedisResult<bool> {
    COMPARE_AND_DELETE.key(key).arg(token).invoke_async(node).await
}

/// Sets in one step the time to live of what the token holds, and of nothing else: whether there was something.
pub async fn pexpire_own(node: &mut impl ConnectionLike, key: &str, token: &str, ttl: Duration) -> RedisResult<bool> {
    COMPARE_AND_PEXPIRE.key(key).arg(token).arg(millis(ttl)).invoke_async(node).await
}

/// As [`pexpire_own`], but takes the key anew where nobody has it.
pub async fn pexpire_or_set(node: &mut impl ConnectionLike, key: &str, token: &str, ttl: Duration) -> RedisResult<bool> {
    PEXPIRE_OR_SET.key(key).arg(token).arg(millis(ttl)).invoke_async(node).await
}

/// Releases in one step what the token holds, and nothing else.
pub async fn compare_and_delete(node: &mut impl ConnectionLike, key: &str, token: &str) -> Done {
    match delete_own(node, key, token).await {
        Ok(deleted) => Done::deleted(deleted),
        Err(error) => Done::failed("compare-and-delete", &error),
    }
}

/// Extends in one step what the token holds, and nothing else.
pub async fn compare_and_pexpire(node: &mut impl ConnectionLike, key: &str, token: &str, ttl: Duration) -> Extended {
    match pexpire_own(node, key, token, ttl).await {
        Ok(true) => Extended::Yes(None),
        Ok(false) => Extended::No("the key is gone or another's".into()),
        Err(error) => Extended::failed("compare-and-pexpire", &error),
    }
}
