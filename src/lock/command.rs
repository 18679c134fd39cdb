//! The commands that more than one lock sends.

use redis::aio::ConnectionLike;
use redis::{RedisResult, cmd};
use std::time::Duration;

/// `SET key token NX PX ttl`: whether it was set.
pub async fn set_nx_px(node: &mut impl ConnectionLike, key: &str, token: &str, ttl: Duration) -> RedisResult<bool> {
    let mut set = cmd("SET");
    set.arg(key).arg(token).arg("NX").arg("PX").arg(millis(ttl));
    Ok(set.query_async::<Option<String>>(node).await?.is_some())
}

/// `SETNX key value`: whether it was set.
pub async fn setnx(node: &mut impl ConnectionLike, key: &str, value: &str) -> RedisResult<bool> {
    cmd("SETNX").arg(key).arg(value).query_async(node).await
}

/// `GET key`: what is in it.
pub async fn get(node: &mut impl ConnectionLike, key: &str) -> RedisResult<Option<String>> {
    cmd("GET").arg(key).query_async(node).await
}

/// `DEL key`: whether there was something to delete.
pub async fn del(node: &mut impl ConnectionLike, key: &str) -> RedisResult<bool> {
    cmd("DEL").arg(key).query_async(node).await
}

/// `PEXPIRE key ttl`: whether there was a key.
pub async fn pexpire(node: &mut impl ConnectionLike, key: &str, ttl: Duration) -> RedisResult<bool> {
    cmd("PEXPIRE").arg(key).arg(millis(ttl)).query_async(node).await
}

/// Whole milliseconds, as far as Redis can count them.
pub fn millis(ttl: Duration) -> i64 {
    i64::try_from(ttl.as_millis()).unwrap_or(i64::MAX)
}
