//! Strings: what most locks are made of.

use super::super::keyspace::{Expiry, Keyspace};
use super::super::reply::{ErrorReply, OK, Outcome, Reply};
use super::string_expiry::{GetexOptions, Presence, SetOptions, Unit, When};

pub(super) fn get(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::bulk_or_nil(keys.read::<Vec<u8>>(args[1], now)?))
}

pub(super) fn set(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    if let [_, key, value] = args {
        keys.entry(key, now);
        keys.put_string(key, value, Expiry::Never);
        return Ok(OK);
    }
    let options = SetOptions::parse(&args[3..])?;
    let (key, value) = (args[1], args[2]);
    let expiry = match options.when {
        Some(when) => Expiry::At(when.at("set", now)?),
        None if options.keep_ttl => Expiry::Keep,
        None => Expiry::Never,
    };
    let old = match options.get {
        true => Some(Reply::bulk_or_nil(keys.read::<Vec<u8>>(key, now)?)),
        false => None,
    };
    let refused = match options.presence {
        Presence::Any => {
            keys.entry(key, now);
            false
        }
        Presence::Absent => keys.exists(key, now),
        Presence::Present => !keys.exists(key, now),
    };
    if refused {
        return Ok(old.unwrap_or(Reply::Nil));
    }
    keys.put_string(key, value, expiry);
    Ok(old.unwrap_or(OK))
}

pub(super) fn setnx(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let free = !keys.exists(args[1], now);
    if free {
        keys.put_string(args[1], args[2], Expiry::Never);
    }
    Ok(Reply::Int(free.into()))
}

pub(super) fn setex(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    set_for(keys, args, When { unit: Unit::Seconds, text: args[2], absolute: false }.at("setex", now)?, now)
}

pub(super) fn psetex(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    set_for(keys, args, When { unit: Unit::Milliseconds, text: args[2], absolute: false }.at("psetex", now)?, now)
}

fn set_for(keys: &mut Keyspace, args: &[&[u8]], expires_at: i64, now: i64) -> Outcome {
    keys.entry(args[1], now);
    keys.put_string(args[1], args[3], Expiry::At(expires_at));
    Ok(OK)
}

pub(super) fn getset(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let old = get(keys, args, now)?;
    keys.put_string(args[1], args[2], Expiry::Never);
    Ok(old)
}

pub(super) fn getdel(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let old = get(keys, args, now)?;
    keys.delete(args[1], now);
    Ok(old)
}

pub(super) fn getex(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let key = args[1];
    let options = GetexOptions::parse(&args[2..])?;
    let value = get(keys, args, now)?;
    if value == Reply::Nil {
        return Ok(value);
    }
    match options {
        GetexOptions::Leave => {}
        GetexOptions::Persist => {
            if keys.entry(key, now).is_some_and(|entry| entry.expires_at.is_some()) {
                keys.set_expiry(key, None);
            }
        }
        GetexOptions::Expire(when) => {
            let at = when.at("getex", now)?;
            if when.absolute && at <= now {
                keys.remove(key);
            } else {
                keys.set_expiry(key, Some(at));
            }
        }
    }
    Ok(value)
}

pub(super) fn append(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let value = keys.edit_or_create::<Vec<u8>>(args[1], now)?;
    value.extend_from_slice(args[2]);
    let length = value.len();
    keys.touch(args[1]);
    Ok(Reply::count(length))
}

pub(super) fn strlen(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::count(keys.read::<Vec<u8>>(args[1], now)?.map_or(0, Vec::len)))
}

pub(super) fn mget(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    // A key of another type is as good as none.
    let values = args[1..].iter().map(|key| Reply::bulk_or_nil(keys.read::<Vec<u8>>(key, now).unwrap_or(None)));
    Ok(Reply::Array(values.collect()))
}

pub(super) fn mset(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let (pairs, odd) = args[1..].as_chunks::<2>();
    if !odd.is_empty() {
        return Err(ErrorReply::arity("mset"));
    }
    for [key, value] in pairs {
        keys.entry(key, now);
        keys.put_string(key, value, Expiry::Never);
    }
    Ok(OK)
}
