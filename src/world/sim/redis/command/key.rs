//! Keys of any type.

use super::super::keyspace::Keyspace;
use super::super::pattern;
use super::super::reply::{Outcome, Reply};
use std::borrow::Cow;

pub(super) fn del(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::count(args[1..].iter().filter(|key| keys.delete(key, now)).count()))
}

pub(super) fn exists(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::count(args[1..].iter().filter(|key| keys.exists(key, now)).count()))
}

pub(super) fn type_of(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let name = keys.entry(args[1], now).map_or("none", |entry| entry.value.type_name());
    Ok(Reply::Status(Cow::Borrowed(name)))
}

pub(super) fn dbsize(keys: &mut Keyspace, _: &[&[u8]], _: i64) -> Outcome {
    Ok(Reply::count(keys.len()))
}

/// In the order of their bytes, where Redis has an order of its own. It hides expired keys, and leaves them.
pub(super) fn keys(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let live = keys.live(now).filter(|(key, _)| pattern::matches(args[1], key));
    Ok(Reply::Array(live.map(|(key, _)| Reply::bulk(key)).collect()))
}
