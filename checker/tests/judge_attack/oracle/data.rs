//! stale-write, oversold, and whether any order of a resource's writes loses no update.

use super::{Done, Facts, Wrong};
use crate::story::History;
use checker::finding::Kind;
use checker::history::{Op, Outcome, Phase, ResourceKind, Value, What};
use std::collections::{BTreeMap, BTreeSet};

struct Write<'h> {
    op: &'h Done,
    resource: &'h str,
    value: &'h Value,
    base: Option<&'h Value>,
}

fn writes<'h>(facts: &'h Facts<'_>) -> Vec<Write<'h>> {
    let write = |op: &'h Done| match &op.op {
        Op::Write { resource, value, base, .. } => Some(Write { op, resource, value, base: base.as_ref() }),
        _ => None,
    };
    facts.ops.iter().filter_map(write).collect()
}

pub fn wrongs(facts: &Facts<'_>, all: &mut BTreeSet<Wrong>) {
    let writes = writes(facts);
    let taken = || writes.iter().filter(|write| write.op.is(Outcome::Ok));
    for late in taken() {
        let stale =
            |early: &&Write<'_>| early.resource == late.resource && early.op.before(late.op) && is_newer(facts, early, late);
        if taken().any(|early| stale(&early)) {
            all.insert((Kind::StaleWrite, late.resource.into(), late.op.id.to_string()));
        }
    }
    conserved(facts, &writes, all);
    for (resource, terms) in &facts.history.header.resources {
        if let (ResourceKind::Stock, Value::Int(initial)) = (terms.kind, &terms.initial) {
            let of_it: Vec<_> = writes.iter().filter(|write| write.resource == resource).collect();
            if of_it.iter().any(|write| write.op.is(Outcome::Ok) && oversells(&of_it, write, *initial)) {
                all.insert((Kind::Oversold, resource.clone(), String::new()));
            }
        }
    }
}

/// The groups whose sum has changed when all is quiet, as far as every member was then read and nothing was written any more.
fn conserved(facts: &Facts<'_>, writes: &[Write<'_>], all: &mut BTreeSet<Wrong>) {
    let quiet = facts.history.events.iter().find(|event| event.what == What::Phase(Phase::Quiet)).map(|event| event.at);
    let Some(quiet) = quiet else { return };
    let resources = &facts.history.header.resources;
    for group in resources.values().filter_map(|terms| terms.group.as_ref()).collect::<BTreeSet<_>>() {
        let members: Vec<_> = resources.iter().filter(|(_, terms)| terms.group.as_ref() == Some(group)).collect();
        let last_read = |member: &str| {
            let reads = facts.ops.iter().filter(|op| matches!(&op.op, Op::Read { resource, .. } if resource == member));
            let after = reads.filter(|op| op.is(Outcome::Ok) && op.from >= quiet);
            after.filter_map(|op| op.end.as_ref()).next_back().and_then(|(_, done)| number(done.value.as_ref()?))
        };
        let of_group = |write: &&Write<'_>| members.iter().any(|(name, _)| *name == write.resource);
        let is_settled =
            |write: &Write<'_>| write.op.is(Outcome::Fail) || (write.op.is(Outcome::Ok) && write.op.until() <= Some(quiet));
        let sum = |numbers: Vec<Option<i128>>| numbers.into_iter().sum::<Option<i128>>();
        let before = sum(members.iter().map(|(_, terms)| number(&terms.initial)).collect());
        let after = sum(members.iter().map(|(name, _)| last_read(name)).collect());
        if writes.iter().filter(of_group).all(is_settled) && before.zip(after).is_some_and(|(before, after)| before != after) {
            all.insert((Kind::NotConserved, group.clone(), String::new()));
        }
    }
}

fn number(value: &Value) -> Option<i128> {
    match value {
        Value::Int(number) => Some(i128::from(*number)),
        _ => None,
    }
}

/// Whether the grant of the one is later than that of the other.
fn is_newer(facts: &Facts<'_>, one: &Write<'_>, other: &Write<'_>) -> bool {
    let fence = |write: &Write<'_>| match &write.op.op {
        Op::Write { fence: Some(fence), .. } => Some(*fence),
        _ => facts.grant_of(write.op).and_then(|grant| grant.fence),
    };
    if let (Some(one), Some(other)) = (facts.grant_of(one.op), facts.grant_of(other.op)) {
        let nested = one.client == other.client && facts.tenure(one) == facts.tenure(other);
        if one.lock != other.lock || facts.terms(&one.lock).limit != 1 || nested {
            return false;
        }
    }
    match (fence(one), fence(other)) {
        (Some(one), Some(other)) => one > other,
        _ => match (facts.grant_of(one.op), facts.grant_of(other.op)) {
            (Some(one), Some(other)) => one.lock == other.lock && other.granted <= one.invoked && other.invoked < one.invoked,
            _ => false,
        },
    }
}

/// Whether, once this write was taken, more had been taken away than there can have been.
fn oversells(all: &[&Write<'_>], write: &Write<'_>, initial: i64) -> bool {
    let Some(now) = write.op.until() else { return false };
    let away = |write: &Write<'_>| match (write.base, write.value) {
        (Some(Value::Int(base)), Value::Int(value)) => i128::from(*base) - i128::from(*value),
        _ => 0,
    };
    let sold: i128 = all.iter().filter(|w| w.op.is(Outcome::Ok) && w.op.until() <= Some(now)).map(|w| away(w).max(0)).sum();
    let put_back: i128 = all.iter().filter(|w| w.op.from <= now && !w.op.is(Outcome::Fail)).map(|w| (-away(w)).max(0)).sum();
    matches!(write.value, Value::Int(..0)) || sold > i128::from(initial) + put_back
}

/// Whether the accepted writes of a resource, and any of those of unknown outcome, have an order in time in which each overwrites exactly
/// what it was computed from.
pub fn explainable(history: &History, resource: &str) -> bool {
    let facts = Facts::new(history);
    let mut writes = writes(&facts);
    writes.retain(|write| write.resource == resource && !write.op.is(Outcome::Fail));
    let initial = facts.history.header.resources.get(resource).map(|terms| terms.initial.clone());
    // Of a resource that the header does not name nobody knows what it began with.
    let begins: Vec<Option<Value>> = match initial {
        Some(value) => vec![Some(value)],
        None => writes.iter().map(|write| write.base.cloned()).chain([None]).collect(),
    };
    let must: BTreeSet<usize> = (0..writes.len()).filter(|n| writes[*n].op.is(Outcome::Ok)).collect();
    begins.into_iter().any(|begin| search(&writes, &must, begin, &mut BTreeSet::new(), &mut BTreeMap::new()))
}

fn search(
    writes: &[Write<'_>],
    must: &BTreeSet<usize>,
    now: Option<Value>,
    done: &mut BTreeSet<usize>,
    dead: &mut BTreeMap<(BTreeSet<usize>, Option<Value>), ()>,
) -> bool {
    if must.is_subset(done) {
        return true;
    }
    if dead.contains_key(&(done.clone(), now.clone())) {
        return false;
    }
    for next in 0..writes.len() {
        let waits = must.iter().any(|other| !done.contains(other) && *other != next && writes[*other].op.before(writes[next].op));
        let fits = writes[next].base.is_none_or(|base| now.as_ref() == Some(base));
        if done.contains(&next) || waits || !fits {
            continue;
        }
        done.insert(next);
        if search(writes, must, Some(writes[next].value.clone()), done, dead) {
            return true;
        }
        done.remove(&next);
    }
    dead.insert((done.clone(), now), ());
    false
}
