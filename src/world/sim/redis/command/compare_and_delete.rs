//! The servers' own compare-and-delete.

use super::super::keyspace::Keyspace;
use super::super::reply::{ErrorReply, Outcome, Reply, SYNTAX};
use super::is;

/// Redis 8.4: `DELEX key [IFEQ value | IFNE value]`. Without a condition it deletes a key of any type. The conditions on digests
/// are not simulated.
pub(super) fn delex(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let deletes = match args[2..] {
        [] => true,
        [condition, value] => {
            let equal = if is(condition, "IFEQ") {
                true
            } else if is(condition, "IFNE") {
                false
            } else {
                return Err(SYNTAX);
            };
            keys.read::<Vec<u8>>(args[1], now)?.is_some_and(|held| (held == value) == equal)
        }
        _ => return Err(ErrorReply::arity("delex")),
    };
    Ok(Reply::Int((deletes && keys.delete(args[1], now)).into()))
}

/// Valkey 9: `DELIFEQ key value`.
pub(super) fn delifeq(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let deletes = keys.read::<Vec<u8>>(args[1], now)?.is_some_and(|held| held == args[2]);
    Ok(Reply::Int((deletes && keys.delete(args[1], now)).into()))
}
