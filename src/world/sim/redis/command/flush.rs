//! Deleting everything.

use super::super::keyspace::Keyspace;
use super::super::reply::{OK, Outcome, SYNTAX};
use super::is;

pub(super) fn flush(keys: &mut Keyspace, args: &[&[u8]], _: i64) -> Outcome {
    match args[1..] {
        [] => {}
        [how] if is(how, "ASYNC") || is(how, "SYNC") => {}
        _ => return Err(SYNTAX),
    }
    keys.clear();
    Ok(OK)
}
