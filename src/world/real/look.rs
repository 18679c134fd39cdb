//! What a node holds for a lock, seen past the wire.

use super::node::Node;
use crate::client::Clock;
use crate::client::real::RealClock;
use crate::lock::by_its_rule;
use crate::plan::LockSpec;
use checker::history::KeySeen;
use redis::FromRedisValue;

/// What a lock keeps in its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kept {
    /// The token.
    String,
    /// A hash, whose only field is the token.
    Hash,
}

/// The keys of a lock on one node; `None` where it cannot be asked. Keys of another type are nobody's.
pub async fn keys(node: &Node, lock: &str, spec: &LockSpec) -> Option<Vec<KeySeen>> {
    let kept = if spec.is_reentrant() { Kept::Hash } else { Kept::String };
    let asked = async |connection: &mut _| {
        let mut both = redis::pipe();
        both.atomic().cmd(if kept == Kept::Hash { "HKEYS" } else { "GET" }).arg(lock).cmd("PTTL").arg(lock);
        let (tokens, ttl_ms) = both.query_async::<(redis::Value, i64)>(connection).await?;
        let mut tokens =
            Vec::<Vec<u8>>::from_redis_value(if tokens == redis::Value::Nil { redis::Value::Array(vec![]) } else { tokens })?;
        tokens.truncate(1);
        Ok((tokens.pop(), ttl_ms))
    };
    match node.with(asked).await? {
        Ok((None, _)) => Some(vec![]),
        Ok((Some(token), ttl_ms)) => {
            let key = KeySeen {
                node: node.name.clone(),
                key: lock.to_owned(),
                token: String::from_utf8_lossy(&token).into_owned(),
                ttl_ms: u64::try_from(ttl_ms).ok(),
            };
            Some(by_its_rule(spec.kind, key, RealClock::default().wall()).into_iter().collect())
        }
        Err(error) if is_no_string(error.clone()) => Some(vec![]),
        Err(_) => None,
    }
}

fn is_no_string(error: redis::RedisError) -> bool {
    error.into_server_errors().is_some_and(|errors| errors.iter().all(|(_, error)| error.code() == "WRONGTYPE"))
}
