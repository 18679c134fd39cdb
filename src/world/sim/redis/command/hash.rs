//! Hashes: owners of reentrant locks and what they count.

use super::super::keyspace::Keyspace;
use super::super::number::{integer, parse_integer};
use super::super::reply::{ErrorReply, OVERFLOW, Outcome, Reply};
use super::super::value::Hash;

pub(super) fn hset(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let (pairs, odd) = args[2..].as_chunks::<2>();
    if !odd.is_empty() {
        return Err(ErrorReply::arity("hset"));
    }
    let hash = keys.edit_or_create::<Hash>(args[1], now)?;
    let created = pairs.iter().filter(|[field, value]| hash.insert(field, value)).count();
    keys.touch(args[1]);
    Ok(Reply::count(created))
}

pub(super) fn hsetnx(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let hash = keys.edit_or_create::<Hash>(args[1], now)?;
    let free = hash.get(args[2]).is_none();
    if free {
        hash.insert(args[2], args[3]);
        keys.touch(args[1]);
    }
    Ok(Reply::Int(free.into()))
}

pub(super) fn hget(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::bulk_or_nil(keys.read::<Hash>(args[1], now)?.and_then(|hash| hash.get(args[2]))))
}

pub(super) fn hmget(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let hash = keys.read::<Hash>(args[1], now)?;
    let values = args[2..].iter().map(|field| Reply::bulk_or_nil(hash.and_then(|hash| hash.get(field))));
    Ok(Reply::Array(values.collect()))
}

pub(super) fn hdel(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let Some(hash) = keys.edit::<Hash>(args[1], now)? else {
        return Ok(Reply::Int(0));
    };
    let removed = args[2..].iter().filter(|field| hash.remove(field)).count();
    if removed > 0 {
        keys.shrunk::<Hash>(args[1]);
    }
    Ok(Reply::count(removed))
}

pub(super) fn hexists(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let found = keys.read::<Hash>(args[1], now)?.is_some_and(|hash| hash.get(args[2]).is_some());
    Ok(Reply::Int(found.into()))
}

pub(super) fn hlen(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::count(keys.read::<Hash>(args[1], now)?.map_or(0, Hash::len)))
}

pub(super) fn hincrby(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let by = integer(args[3])?;
    let old = match keys.read::<Hash>(args[1], now)?.and_then(|hash| hash.get(args[2])) {
        Some(text) => parse_integer(text).ok_or(ErrorReply::fixed("ERR hash value is not an integer"))?,
        None => 0,
    };
    let new = old.checked_add(by).ok_or(OVERFLOW)?;
    keys.edit_or_create::<Hash>(args[1], now)?.insert(args[2], new.to_string().as_bytes());
    keys.touch(args[1]);
    Ok(Reply::Int(new))
}

pub(super) fn hgetall(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    parts(keys, args, now, |field, value| [Some(field), Some(value)])
}

pub(super) fn hkeys(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    parts(keys, args, now, |field, _| [Some(field), None])
}

pub(super) fn hvals(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    parts(keys, args, now, |_, value| [None, Some(value)])
}

type Parts<'a> = [Option<&'a Vec<u8>>; 2];

fn parts(
    keys: &mut Keyspace,
    args: &[&[u8]],
    now: i64,
    choose: impl for<'a> Fn(&'a Vec<u8>, &'a Vec<u8>) -> Parts<'a>,
) -> Outcome {
    let hash = keys.read::<Hash>(args[1], now)?;
    let fields = hash.into_iter().flat_map(Hash::iter);
    let chosen = fields.flat_map(|(field, value)| choose(field, value)).flatten();
    Ok(Reply::Array(chosen.map(|part| Reply::Bulk(part.clone())).collect()))
}
