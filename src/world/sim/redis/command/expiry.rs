//! When keys expire.

use super::super::keyspace::Keyspace;
use super::super::number::integer;
use super::super::reply::{ErrorReply, Outcome, Reply};
use super::is;
use super::string_expiry::Unit::{self, Milliseconds, Seconds};

pub(super) fn expire(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    set_expiry(keys, args, "expire", Seconds, now, now)
}

pub(super) fn pexpire(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    set_expiry(keys, args, "pexpire", Milliseconds, now, now)
}

pub(super) fn expireat(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    set_expiry(keys, args, "expireat", Seconds, 0, now)
}

pub(super) fn pexpireat(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    set_expiry(keys, args, "pexpireat", Milliseconds, 0, now)
}

/// Sets an expiry counted from `base`; one that has passed deletes the key at once.
fn set_expiry(keys: &mut Keyspace, args: &[&[u8]], command: &str, unit: Unit, base: i64, now: i64) -> Outcome {
    let key = args[1];
    let condition = Condition::parse(&args[3..])?;
    let at = deadline(args[2], unit, base).map_err(|bad| bad.unwrap_or_else(|| ErrorReply::expire_time(command)))?;
    let Some(current) = keys.entry(key, now).map(|entry| entry.expires_at) else {
        return Ok(Reply::Int(0));
    };
    if !condition.allows(current, at) {
        return Ok(Reply::Int(0));
    }
    if at <= now {
        keys.remove(key);
    } else {
        keys.set_expiry(key, Some(at));
    }
    Ok(Reply::Int(1))
}

/// The deadline that is meant; an error without a text is one beyond 64 bits.
fn deadline(text: &[u8], unit: Unit, base: i64) -> Result<i64, Option<ErrorReply>> {
    let given = integer(text)?;
    let millis = if unit == Seconds { given.checked_mul(1000).ok_or(None)? } else { given };
    millis.checked_add(base).ok_or(None)
}

/// The conditions of EXPIRE.
#[derive(Default)]
struct Condition {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
}

impl Condition {
    fn parse(options: &[&[u8]]) -> Result<Self, ErrorReply> {
        let mut condition = Condition::default();
        for option in options {
            let flag = match option {
                o if is(o, "NX") => &mut condition.nx,
                o if is(o, "XX") => &mut condition.xx,
                o if is(o, "GT") => &mut condition.gt,
                o if is(o, "LT") => &mut condition.lt,
                o => return Err(ErrorReply::quoting(format!("ERR Unsupported option {}", String::from_utf8_lossy(o)))),
            };
            *flag = true;
        }
        match condition {
            Condition { nx: true, xx, gt, lt } if xx || gt || lt => {
                Err(ErrorReply::fixed("ERR NX and XX, GT or LT options at the same time are not compatible"))
            }
            Condition { gt: true, lt: true, .. } => {
                Err(ErrorReply::fixed("ERR GT and LT options at the same time are not compatible"))
            }
            condition => Ok(condition),
        }
    }

    /// A key that has no expiry counts as one that never expires.
    fn allows(&self, current: Option<i64>, new: i64) -> bool {
        let nx = !self.nx || current.is_none();
        let xx = !self.xx || current.is_some();
        let gt = !self.gt || current.is_some_and(|current| new > current);
        let lt = !self.lt || current.is_none_or(|current| new < current);
        nx && xx && gt && lt
    }
}

pub(super) fn persist(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let expires = keys.entry(args[1], now).is_some_and(|entry| entry.expires_at.is_some());
    if expires {
        keys.set_expiry(args[1], None);
    }
    Ok(Reply::Int(expires.into()))
}

pub(super) fn ttl(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::Int(shown(keys, args[1], now, Seconds, |at| at.saturating_sub(now))))
}

pub(super) fn pttl(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::Int(shown(keys, args[1], now, Milliseconds, |at| at.saturating_sub(now))))
}

pub(super) fn expiretime(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::Int(shown(keys, args[1], now, Seconds, |at| at)))
}

pub(super) fn pexpiretime(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::Int(shown(keys, args[1], now, Milliseconds, |at| at)))
}

/// -2 without a key, -1 without an expiry; seconds are rounded to the nearest.
fn shown(keys: &mut Keyspace, key: &[u8], now: i64, unit: Unit, show: impl Fn(i64) -> i64) -> i64 {
    match keys.entry(key, now).map(|entry| entry.expires_at) {
        None => -2,
        Some(None) => -1,
        Some(Some(at)) if unit == Milliseconds => show(at).max(0),
        Some(Some(at)) => {
            let millis = show(at).max(0);
            millis / 1000 + i64::from(millis % 1000 >= 500)
        }
    }
}
