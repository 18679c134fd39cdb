//! Strings that count.

use super::super::keyspace::{Expiry, Keyspace};
use super::super::number::{integer, parse_integer};
use super::super::reply::{ErrorReply, NOT_AN_INTEGER, OVERFLOW, Outcome, Reply};

pub(super) fn incr(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    add(keys, args[1], 1, now)
}

pub(super) fn decr(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    add(keys, args[1], -1, now)
}

pub(super) fn incrby(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    add(keys, args[1], integer(args[2])?, now)
}

pub(super) fn decrby(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let by = integer(args[2])?.checked_neg().ok_or(ErrorReply::fixed("ERR decrement would overflow"))?;
    add(keys, args[1], by, now)
}

fn add(keys: &mut Keyspace, key: &[u8], by: i64, now: i64) -> Outcome {
    let old = match keys.read::<Vec<u8>>(key, now)? {
        Some(text) => parse_integer(text).ok_or(NOT_AN_INTEGER)?,
        None => 0,
    };
    let new = old.checked_add(by).ok_or(OVERFLOW)?;
    keys.put_string(key, new.to_string().as_bytes(), Expiry::Keep);
    Ok(Reply::Int(new))
}
