//! Sorted sets: what semaphores are made of.

use super::super::keyspace::Keyspace;
use super::super::number::{ScoreBound, float, integer, print_float};
use super::super::reply::{ErrorReply, Outcome, Reply, SYNTAX};
use super::super::sorted_set::SortedSet;
use super::is;
use std::ops::Range;

/// The flags of ZADD.
#[derive(Default)]
struct Flags {
    nx: bool,
    xx: bool,
    gt: bool,
    lt: bool,
    ch: bool,
    incr: bool,
}

impl Flags {
    /// The flags at the beginning of the arguments, and what follows them.
    fn parse<'a, 'b>(args: &'a [&'b [u8]]) -> (Self, &'a [&'b [u8]]) {
        let mut flags = Flags::default();
        for (at, arg) in args.iter().enumerate() {
            let flag = match arg {
                a if is(a, "NX") => &mut flags.nx,
                a if is(a, "XX") => &mut flags.xx,
                a if is(a, "GT") => &mut flags.gt,
                a if is(a, "LT") => &mut flags.lt,
                a if is(a, "CH") => &mut flags.ch,
                a if is(a, "INCR") => &mut flags.incr,
                _ => return (flags, &args[at..]),
            };
            *flag = true;
        }
        (flags, &[])
    }

    fn check(&self, pairs: usize) -> Result<(), ErrorReply> {
        if self.nx && self.xx {
            return Err(ErrorReply::fixed("ERR XX and NX options at the same time are not compatible"));
        }
        if [self.nx, self.gt, self.lt].into_iter().filter(|flag| *flag).count() > 1 {
            return Err(ErrorReply::fixed("ERR GT, LT, and/or NX options at the same time are not compatible"));
        }
        if self.incr && pairs > 1 {
            return Err(ErrorReply::fixed("ERR INCR option supports a single increment-element pair"));
        }
        Ok(())
    }
}

pub(super) fn zadd(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let (flags, pairs) = Flags::parse(&args[2..]);
    add(keys, args[1], flags, pairs, now)
}

/// As Redis has it, ZADD with INCR, and so with every flag of ZADD.
pub(super) fn zincrby(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let (flags, pairs) = Flags::parse(&args[2..]);
    add(keys, args[1], Flags { incr: true, ..flags }, pairs, now)
}

fn add(keys: &mut Keyspace, key: &[u8], flags: Flags, pairs: &[&[u8]], now: i64) -> Outcome {
    let (pairs, odd) = pairs.as_chunks::<2>();
    if !odd.is_empty() || pairs.is_empty() {
        return Err(SYNTAX);
    }
    flags.check(pairs.len())?;
    let scores = pairs.iter().map(|[score, _]| float(score)).collect::<Result<Vec<_>, _>>()?;
    if keys.read::<SortedSet>(key, now)?.is_none() && flags.xx {
        return Ok(if flags.incr { Reply::Nil } else { Reply::Int(0) });
    }
    let set = keys.edit_or_create::<SortedSet>(key, now)?;
    let (mut added, mut changed, mut last) = (0, 0, None);
    for ([_, member], score) in pairs.iter().zip(scores) {
        let old = set.score(member);
        let refused = if old.is_some() { flags.nx } else { flags.xx };
        if refused {
            continue;
        }
        let new = if flags.incr { old.unwrap_or(0.0) + score } else { score };
        if new.is_nan() {
            return Err(ErrorReply::fixed("ERR resulting score is not a number (NaN)"));
        }
        if old.is_some_and(|old| (flags.gt && new <= old) || (flags.lt && new >= old)) {
            continue;
        }
        last = Some(new);
        if old != Some(new) {
            set.insert(member, new);
            changed += 1;
            added += usize::from(old.is_none());
        }
    }
    if changed > 0 {
        keys.touch(key);
    }
    Ok(match (flags.incr, flags.ch) {
        (true, _) => last.map_or(Reply::Nil, |score| Reply::bulk(print_float(score))),
        (false, true) => Reply::count(changed),
        (false, false) => Reply::count(added),
    })
}

pub(super) fn zrem(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let Some(set) = keys.edit::<SortedSet>(args[1], now)? else {
        return Ok(Reply::Int(0));
    };
    let removed = args[2..].iter().filter(|member| set.remove(member)).count();
    if removed > 0 {
        keys.shrunk::<SortedSet>(args[1]);
    }
    Ok(Reply::count(removed))
}

pub(super) fn zscore(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let score = keys.read::<SortedSet>(args[1], now)?.and_then(|set| set.score(args[2]));
    Ok(score.map_or(Reply::Nil, |score| Reply::bulk(print_float(score))))
}

pub(super) fn zrank(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let rank = keys.read::<SortedSet>(args[1], now)?.and_then(|set| set.rank(args[2]));
    Ok(rank.map_or(Reply::Nil, Reply::count))
}

pub(super) fn zrevrank(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let rank = keys.read::<SortedSet>(args[1], now)?.and_then(|set| Some(set.len() - 1 - set.rank(args[2])?));
    Ok(rank.map_or(Reply::Nil, Reply::count))
}

pub(super) fn zcard(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    Ok(Reply::count(keys.read::<SortedSet>(args[1], now)?.map_or(0, SortedSet::len)))
}

pub(super) fn zcount(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let (min, max) = (ScoreBound::parse(args[2])?, ScoreBound::parse(args[3])?);
    Ok(Reply::count(keys.read::<SortedSet>(args[1], now)?.map_or(0, |set| set.between(min, max).len())))
}

pub(super) fn zremrangebyscore(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let (min, max) = (ScoreBound::parse(args[2])?, ScoreBound::parse(args[3])?);
    remove_range(keys, args[1], |set| set.between(min, max), now)
}

pub(super) fn zremrangebyrank(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let (start, stop) = (integer(args[2])?, integer(args[3])?);
    remove_range(keys, args[1], |set| set.ranks(start, stop), now)
}

fn remove_range(keys: &mut Keyspace, key: &[u8], range: impl Fn(&SortedSet) -> Range<usize>, now: i64) -> Outcome {
    let Some(set) = keys.edit::<SortedSet>(key, now)? else {
        return Ok(Reply::Int(0));
    };
    let removed = set.drain(range(set));
    if removed > 0 {
        keys.shrunk::<SortedSet>(key);
    }
    Ok(Reply::count(removed))
}
