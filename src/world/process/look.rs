//! What a node holds for a lock, seen past the wire.

use super::node::Node;
use crate::client::Clock;
use crate::client::real::RealClock;
use crate::lock::by_its_rule;
use crate::plan::LockKind;
use checker::history::KeySeen;

/// The keys of a lock on one node; `None` where it cannot be asked. Keys that are no strings are not looked at yet.
pub async fn keys(node: &Node, lock: &str, kind: LockKind) -> Option<Vec<KeySeen>> {
    let asked = async |connection: &mut _| {
        let mut both = redis::pipe();
        both.atomic().cmd("GET").arg(lock).cmd("PTTL").arg(lock);
        both.query_async::<(Option<Vec<u8>>, i64)>(connection).await
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
            Some(by_its_rule(kind, key, RealClock::default().wall()).into_iter().collect())
        }
        Err(error) if is_no_string(error.clone()) => Some(vec![]),
        Err(_) => None,
    }
}

fn is_no_string(error: redis::RedisError) -> bool {
    error.into_server_errors().is_some_and(|errors| errors.iter().all(|(_, error)| error.code() == "WRONGTYPE"))
}
