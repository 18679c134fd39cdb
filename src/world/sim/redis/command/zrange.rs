//! Ranges of sorted sets.

use super::super::keyspace::Keyspace;
use super::super::number::{ScoreBound, integer, print_float};
use super::super::reply::{ErrorReply, Outcome, Reply, SYNTAX};
use super::super::sorted_set::SortedSet;
use super::is;

/// What the two ends of a range are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum By {
    Rank,
    Score,
}

struct Options {
    by: By,
    reversed: bool,
    with_scores: bool,
    limit: Option<(i64, i64)>,
}

pub(super) fn zrange(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let mut options = Options { by: By::Rank, reversed: false, with_scores: false, limit: None };
    let mut rest = &args[4..];
    while let [option, after @ ..] = rest {
        rest = if is(option, "BYSCORE") {
            options.by = By::Score;
            after
        } else if is(option, "REV") {
            options.reversed = true;
            after
        } else if is(option, "BYLEX") {
            return Err(ErrorReply::fixed("ERR BYLEX is not simulated"));
        } else {
            options.common(option, after)?
        };
    }
    if options.limit.is_some() && options.by == By::Rank {
        return Err(ErrorReply::fixed("ERR syntax error, LIMIT is only supported in combination with either BYSCORE or BYLEX"));
    }
    range(keys, args, options, now)
}

pub(super) fn zrangebyscore(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let mut options = Options { by: By::Score, reversed: false, with_scores: false, limit: None };
    let mut rest = &args[4..];
    while let [option, after @ ..] = rest {
        rest = options.common(option, after)?;
    }
    range(keys, args, options, now)
}

impl Options {
    /// An option that both commands have; what follows it.
    fn common<'a, 'b>(&mut self, option: &[u8], after: &'a [&'b [u8]]) -> Result<&'a [&'b [u8]], ErrorReply> {
        match after {
            after if is(option, "WITHSCORES") => {
                self.with_scores = true;
                Ok(after)
            }
            [offset, count, after @ ..] if is(option, "LIMIT") => {
                self.limit = Some((integer(offset)?, integer(count)?));
                Ok(after)
            }
            _ => Err(SYNTAX),
        }
    }
}

fn range(keys: &mut Keyspace, args: &[&[u8]], options: Options, now: i64) -> Outcome {
    let (key, first, last) = (args[1], args[2], args[3]);
    let found: Vec<&(f64, Vec<u8>)> = match options.by {
        By::Rank => {
            let (start, stop) = (integer(first)?, integer(last)?);
            let Some(set) = keys.read::<SortedSet>(key, now)? else { return Ok(Reply::Array(Vec::new())) };
            let ranks = set.ranks(start, stop);
            if options.reversed {
                set.iter().rev().skip(ranks.start).take(ranks.len()).collect()
            } else {
                set.slice(ranks).iter().collect()
            }
        }
        By::Score => {
            let (min, max) = if options.reversed { (last, first) } else { (first, last) };
            let (min, max) = (ScoreBound::parse(min)?, ScoreBound::parse(max)?);
            let Some(set) = keys.read::<SortedSet>(key, now)? else { return Ok(Reply::Array(Vec::new())) };
            let found = set.slice(set.between(min, max)).iter();
            if options.reversed { found.rev().collect() } else { found.collect() }
        }
    };
    // A negative offset leaves nothing, a negative count everything.
    let (offset, count) = options.limit.unwrap_or((0, -1));
    let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
    let taken = usize::try_from(count).unwrap_or(usize::MAX);
    let mut reply = Vec::new();
    for (score, member) in found.into_iter().skip(skipped).take(taken) {
        reply.push(Reply::Bulk(member.clone()));
        if options.with_scores {
            reply.push(Reply::bulk(print_float(*score)));
        }
    }
    Ok(Reply::Array(reply))
}
