//! ZINTERSTORE, by which the fair semaphore drops owners that timed out.

use super::super::keyspace::{Expiry, Keyspace};
use super::super::number::{float, integer};
use super::super::reply::{ErrorReply, Outcome, Reply, SYNTAX, WRONG_TYPE};
use super::super::sorted_set::SortedSet;
use super::super::value::Value;
use super::is;
use std::collections::BTreeMap;

/// How the scores of a member are put together.
#[derive(Clone, Copy)]
enum Aggregate {
    Sum,
    Min,
    Max,
}

impl Aggregate {
    fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Aggregate::Sum => not_nan(a + b),
            // As Redis compares: what is no number, an infinity of weight 0, changes nothing.
            Aggregate::Min => {
                if b < a {
                    b
                } else {
                    a
                }
            }
            Aggregate::Max => {
                if b > a {
                    b
                } else {
                    a
                }
            }
        }
    }
}

/// Infinities that cancel out are 0.
fn not_nan(score: f64) -> f64 {
    if score.is_nan() { 0.0 } else { score }
}

pub(super) fn zinterstore(keys: &mut Keyspace, args: &[&[u8]], now: i64) -> Outcome {
    let count = integer(args[2])?;
    if count < 1 {
        return Err(ErrorReply::fixed("ERR at least 1 input key is needed for 'zinterstore' command"));
    }
    let count = usize::try_from(count).ok().filter(|count| *count <= args.len() - 3).ok_or(SYNTAX)?;
    let (sources, options) = args[3..].split_at(count);
    let mut inputs = Vec::with_capacity(count);
    for source in sources {
        inputs.push(scores(keys, source, now)?);
    }
    let (weights, aggregate) = parse(options, count)?;
    for (input, weight) in inputs.iter_mut().zip(weights) {
        for score in input.values_mut() {
            *score *= weight;
        }
    }
    // Redis begins with the smallest set.
    inputs.sort_by_key(BTreeMap::len);
    let mut result = SortedSet::default();
    let (smallest, others) = inputs.split_first().ok_or(SYNTAX)?;
    for (member, score) in smallest {
        let all = others.iter().try_fold(not_nan(*score), |sum, other| Some(aggregate.of(sum, *other.get(member)?)));
        if let Some(score) = all {
            result.insert(member, score);
        }
    }
    let size = result.len();
    let had = keys.delete(args[1], now);
    if size > 0 {
        keys.put(args[1], Value::SortedSet(result), Expiry::Never);
    } else if had {
        keys.touch(args[1]);
    }
    Ok(Reply::count(size))
}

/// The scores of a sorted set, or of a set, where each is 1.
fn scores(keys: &mut Keyspace, key: &[u8], now: i64) -> Result<BTreeMap<Vec<u8>, f64>, ErrorReply> {
    match keys.entry(key, now).map(|entry| &entry.value) {
        None => Ok(BTreeMap::new()),
        Some(Value::SortedSet(set)) => Ok(set.iter().map(|(score, member)| (member.clone(), *score)).collect()),
        Some(Value::Set(set)) => Ok(set.iter().map(|member| (member.clone(), 1.0)).collect()),
        Some(_) => Err(WRONG_TYPE),
    }
}

fn parse(mut options: &[&[u8]], count: usize) -> Result<(Vec<f64>, Aggregate), ErrorReply> {
    let mut weights = vec![1.0; count];
    let mut aggregate = Aggregate::Sum;
    while let [option, rest @ ..] = options {
        options = if is(option, "WEIGHTS") && rest.len() >= count {
            let (given, rest) = rest.split_at(count);
            let parsed: Result<_, _> = given.iter().map(|weight| float(weight)).collect();
            weights = parsed.map_err(|_| ErrorReply::fixed("ERR weight value is not a float"))?;
            rest
        } else if let (true, [how, rest @ ..]) = (is(option, "AGGREGATE"), rest) {
            aggregate = match how {
                h if is(h, "SUM") => Aggregate::Sum,
                h if is(h, "MIN") => Aggregate::Min,
                h if is(h, "MAX") => Aggregate::Max,
                _ => return Err(SYNTAX),
            };
            rest
        } else {
            return Err(SYNTAX);
        };
    }
    Ok((weights, aggregate))
}
