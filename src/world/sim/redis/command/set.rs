//! Sets.

use super::super::keyspace::Keyspace;
use super::super::reply::{Outcome, Reply};
use super::super::value::Set;

pub(super) fn sadd(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let set = keys.edit_or_create::<Set>(args[1], now)?;
    let added = args[2..].iter().filter(|member| set.insert(member.to_vec())).count();
    if added > 0 {
        keys.touch(args[1]);
    }
    Ok(Reply::count(added))
}

pub(super) fn srem(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let Some(set) = keys.edit::<Set>(args[1], now)? else {
        return Ok(Reply::Int(0));
    };
    let removed = args[2..].iter().filter(|member| set.remove(**member)).count();
    if removed > 0 {
        keys.shrunk::<Set>(args[1]);
    }
    Ok(Reply::count(removed))
}

pub(super) fn sismember(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let found = keys.read::<Set>(args[1], now)?.is_some_and(|set| set.contains(args[2]));
    Ok(Reply::Int(found.into()))
}

pub(super) fn scard(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::count(keys.read::<Set>(args[1], now)?.map_or(0, Set::len)))
}

/// In the order of their bytes, where Redis has an order of its own.
pub(super) fn smembers(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let members = keys.read::<Set>(args[1], now)?.into_iter().flatten();
    Ok(Reply::Array(members.map(|member| Reply::Bulk(member.clone())).collect()))
}
