//! P1: a register in Redis: the value under its name, the last fencing token under `<name>:fence`.

use redis::aio::ConnectionLike;
use redis::{RedisResult, Script, cmd};
use std::sync::LazyLock;

/// Writes unless a higher token was taken; answers that one, or nil. Lua's numbers are exact up to 2^53, which a counter does not reach.
static WRITE_FENCED: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local last = redis.call('GET', KEYS[2])\n\
         if last and tonumber(ARGV[2]) < tonumber(last) then return last end\n\
         redis.call('SET', KEYS[2], ARGV[2])\n\
         redis.call('SET', KEYS[1], ARGV[1])\n\
         return false",
    )
});

/// What is in the register; `None` if it was never written.
///
/// # Errors
/// As the connection, or the key holds no whole number.
pub async fn read(node: &mut impl ConnectionLike, name: &str) -> RedisResult<Option<i64>> {
    cmd("GET").arg(name).query_async(node).await
}

/// The next fencing token of a lock, counted under `<lock>:drawn`.
///
/// # Errors
/// As the connection.
pub async fn draw(node: &mut impl ConnectionLike, lock: &str) -> RedisResult<u64> {
    cmd("INCR").arg(format!("{lock}:drawn")).query_async(node).await
}

/// Writes the register.
///
/// # Errors
/// As the connection.
pub async fn write(node: &mut impl ConnectionLike, name: &str, value: i64) -> RedisResult<()> {
    cmd("SET").arg(name).arg(value).query_async(node).await
}

/// Writes the register, unless it has taken a token higher than `fence`, which is then returned.
///
/// # Errors
/// As the connection.
pub async fn write_fenced(node: &mut impl ConnectionLike, name: &str, value: i64, fence: u64) -> RedisResult<Option<u64>> {
    let mut write = WRITE_FENCED.prepare_invoke();
    write.key(name).key(format!("{name}:fence")).arg(value).arg(fence);
    write.invoke_async(node).await
}
