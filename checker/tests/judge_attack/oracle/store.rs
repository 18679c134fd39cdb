//! ghost, phantom, leak, immortal, stuck: what the store held beside what clients were told.

use super::{Done, Facts, Grant, Wrong};
use checker::finding::Kind;
use checker::history::{KeySeen, Moment, Observation, Op, Outcome, Phase, Value, What};
use std::collections::BTreeSet;

/// An observation and its end.
type Look<'h> = (u64, &'h Observation);

pub fn wrongs(facts: &Facts<'_>, all: &mut BTreeSet<Wrong>) {
    let events = &facts.history.events;
    let looks: Vec<Look<'_>> = events
        .iter()
        .filter_map(|event| match &event.what {
            What::Observe(seen) => Some((event.at, seen)),
            _ => None,
        })
        .collect();
    let quiet = events.iter().find(|event| event.what == What::Phase(Phase::Quiet)).map(|event| event.at);
    for grant in facts.grants.iter().filter(|grant| facts.terms(&grant.lock).limit == 1) {
        if looks.iter().any(|look| is_absent(facts, grant, *look)) || is_affirmed_in_vain(facts, grant, &looks) {
            all.insert((Kind::Ghost, grant.lock.clone(), grant.id.to_string()));
        }
    }
    for refused in facts.ops.iter().filter(|op| matches!(op.op, Op::Acquire { .. }) && op.is(Outcome::Fail)) {
        if looks.iter().any(|look| is_phantom(facts, refused, *look)) {
            all.insert((Kind::Phantom, refused.lock().unwrap_or_default().into(), refused.id.to_string()));
        }
    }
    let Some(quiet) = quiet else { return };
    let after: Vec<Look<'_>> = looks.into_iter().filter(|(_, seen)| quiet <= seen.from).collect();
    for look in &after {
        for key in &look.1.keys {
            if is_leak(facts, *look, key) {
                all.insert((Kind::Leak, look.1.lock.clone(), String::new()));
            }
            if is_immortal(facts, &after, *look, key) {
                all.insert((Kind::Immortal, look.1.lock.clone(), String::new()));
            }
        }
    }
    for op in facts.ops.iter().filter(|op| op.client == "probe") {
        if let Op::Acquire { lock, .. } = &op.op
            && is_stuck(facts, lock, quiet)
        {
            all.insert((Kind::Stuck, lock.clone(), String::new()));
        }
    }
}

fn token(attempt: &Done) -> Option<&str> {
    attempt.end.as_ref().and_then(|(_, done)| done.token.as_deref())
}

/// Every acquire of the lock that had been invoked by then and may have left this token: it says so, or says nothing and is of this client.
fn may_have_left<'a>(facts: &'a Facts<'_>, lock: &str, left: &str, client: &str, by: u64) -> Vec<&'a Done> {
    let acquires = facts.ops.iter().filter(|op| matches!(op.op, Op::Acquire { .. }) && op.lock() == Some(lock) && op.from <= by);
    acquires.filter(|op| token(op) == Some(left) || (token(op).is_none() && op.client == client)).collect()
}

/// Whether attempts of several clients, invoked by then, have this token.
fn is_shared(facts: &Facts<'_>, lock: &str, left: &str, by: u64) -> bool {
    let with = facts.ops.iter().filter(|op| op.lock() == Some(lock) && token(op) == Some(left) && op.from <= by);
    with.map(|op| &op.client).collect::<BTreeSet<_>>().len() > 1
}

/// Nothing took the grant away, and it is not there.
fn is_absent(facts: &Facts<'_>, grant: &Grant, (at, seen): Look<'_>) -> bool {
    let within = grant.lock == seen.lock
        && grant.token.is_some()
        && grant.is_open(at)
        && grant.real().any(|lease| lease.start <= seen.from && at <= lease.end);
    let displaced = match &seen.holder {
        None => true,
        // The token of somebody's earlier grant, that no later attempt of the same client may have left.
        Some(holder) => {
            let earlier: Vec<&Grant> = facts
                .grants
                .iter()
                .filter(|other| other.lock == grant.lock && other.token.as_ref() == Some(holder) && other.granted <= at)
                .collect();
            Some(holder) != grant.token.as_ref()
                && !is_shared(facts, &seen.lock, holder, at)
                && earlier.iter().all(|other| other.granted < grant.invoked)
                && earlier.first().is_some_and(|first| {
                    let acquires =
                        facts.ops.iter().filter(|op| matches!(op.op, Op::Acquire { .. }) && op.lock() == Some(&seen.lock));
                    let mut of_client = acquires.filter(|op| op.client == first.client && op.from <= at);
                    of_client.all(|op| {
                        let named = token(op).is_some_and(|token| token != holder);
                        let known = op.until().is_some_and(|until| until <= at);
                        known && (named || op.is(Outcome::Fail) || earlier.iter().any(|grant| grant.id == op.id))
                    })
                })
        }
    };
    let meddled = facts.ops.iter().any(|op| {
        matches!(op.op, Op::Release { .. } | Op::Extend { .. })
            && op.lock() == Some(&grant.lock)
            && (&op.client, op.grant()) != (&grant.client, Some(grant.id))
            && op.from <= at
            && (!op.is(Outcome::Fail) || op.until().is_some_and(|until| until > at))
            && (!op.is(Outcome::Ok) || op.until().is_some_and(|until| until >= grant.invoked))
    });
    within && displaced && !meddled && !hurt(facts, grant.invoked, at)
}

/// Whether a fault was in force at some time of this interval, verified or not: from its begin until its end, or until it failed and never was
/// verified.
fn hurt(facts: &Facts<'_>, since: u64, until: u64) -> bool {
    let faults = facts.history.events.iter().filter(|event| event.at <= until).filter_map(|event| match &event.what {
        What::Fault(fault) => Some((event.at, fault)),
        _ => None,
    });
    // Those in force, with whether they are verified, by step.
    let mut in_force: Vec<(&str, bool)> = Vec::new();
    let mut meets = false;
    for (at, fault) in faults {
        meets |= since <= at;
        let running = in_force.iter().rposition(|(step, _)| *step == fault.step);
        match (fault.moment, running) {
            (Moment::Begin, _) | (Moment::Verified, None) => in_force.push((&fault.step, fault.moment == Moment::Verified)),
            (Moment::Verified, Some(n)) => in_force[n].1 = true,
            (Moment::Failed, Some(n)) if in_force[n].1 => {}
            (Moment::End | Moment::Failed, Some(n)) => drop(in_force.remove(n)),
            (Moment::End | Moment::Failed, None) => {}
        }
    }
    meets || !in_force.is_empty()
}

/// It was seen not to be there, and yet a later check says that it holds.
fn is_affirmed_in_vain(facts: &Facts<'_>, grant: &Grant, looks: &[Look<'_>]) -> bool {
    facts.ops.iter().any(|check| {
        let says_yes = check.end.as_ref().is_some_and(|(_, done)| done.value == Some(Value::Bool(true)));
        let Some(until) = check.until().filter(|_| says_yes && check.is(Outcome::Ok)) else { return false };
        matches!(check.op, Op::Check { .. })
            && check.grant() == Some(grant.id)
            && looks.iter().any(|(at, seen)| {
                let absent = seen.lock == grant.lock
                    && grant.token.is_some()
                    && seen.holder != grant.token
                    && grant.granted <= seen.from
                    && grant.is_open(*at);
                let back = looks.iter().any(|(later, other)| {
                    *later >= seen.from && *later <= until && other.lock == grant.lock && other.holder == grant.token
                });
                let extended = facts.ops.iter().any(|op| {
                    matches!(op.op, Op::Extend { .. })
                        && op.grant() == Some(grant.id)
                        && op.from <= until
                        && (!op.is(Outcome::Fail) || op.until().is_some_and(|end| end > until))
                        && (!op.is(Outcome::Ok) || op.until().is_some_and(|end| end >= seen.from))
                });
                // By another attempt with the same token, or that may have it.
                let taken_again = facts.ops.iter().any(|op| {
                    let same = token(op) == grant.token.as_deref() || (token(op).is_none() && op.client == grant.client);
                    let over = op.until().is_some_and(|end| end <= until);
                    let before = op.is(Outcome::Ok) && op.until() < Some(grant.granted) && token(op).is_some();
                    matches!(op.op, Op::Acquire { .. })
                        && op.lock() == Some(&grant.lock)
                        && op.id != grant.id
                        && op.from <= until
                        && ((over && same && !op.is(Outcome::Fail) && !before) || (!over && op.client == grant.client))
                });
                absent
                    && *at <= check.from
                    && !back
                    && !hurt(facts, seen.from, until)
                    && !taken_again
                    && !extended
                    && released(facts, grant).is_none_or(|from| from > until)
            })
    })
}

fn released(facts: &Facts<'_>, grant: &Grant) -> Option<u64> {
    let releases = facts.ops.iter().filter(|op| matches!(op.op, Op::Release { .. }) && op.grant() == Some(grant.id));
    releases.map(|op| op.from).min()
}

/// Whether an attempt with this token had not ended when somebody began to look: it may have had the key for a while, even if it was refused.
fn in_flight_with(attempt: &Done, left: &str, from: u64) -> bool {
    token(attempt) == Some(left) && attempt.until().is_none_or(|until| until > from)
}

fn is_phantom(facts: &Facts<'_>, refused: &Done, (at, seen): Look<'_>) -> bool {
    let (Some(left), Some(until), Some(lock)) = (token(refused), refused.until(), refused.lock()) else { return false };
    let others = may_have_left(facts, lock, left, &refused.client, at);
    seen.lock == lock
        && seen.holder.as_deref() == Some(left)
        && until <= seen.from
        && !is_shared(facts, lock, left, at)
        && others.iter().all(|other| other.is(Outcome::Fail) && !in_flight_with(other, left, seen.from))
        // Of several with one token the first is told.
        && others.iter().all(|other| token(other) != Some(left) || other.until().is_none_or(|end| (until, refused.id) <= (end, other.id)))
}

fn is_leak(facts: &Facts<'_>, (at, seen): Look<'_>, key: &KeySeen) -> bool {
    let given_back = |attempt: &Done| {
        facts.ops.iter().any(|op| {
            matches!(op.op, Op::Release { .. })
                && op.grant() == Some(attempt.id)
                && op.client == attempt.client
                && attempt.is(Outcome::Ok)
                && op.is(Outcome::Ok)
                && op.until().is_some_and(|until| until <= seen.from)
        })
    };
    let refused_by_then = |attempt: &Done| attempt.is(Outcome::Fail) && attempt.until().is_some_and(|until| until <= seen.from);
    let named = |op: &&Done| op.lock() == Some(&seen.lock) && token(op) == Some(&key.token) && op.from <= at;
    let Some(first) = facts.ops.iter().find(named).filter(|_| !is_shared(facts, &seen.lock, &key.token, at)) else {
        return false;
    };
    let all = may_have_left(facts, &seen.lock, &key.token, &first.client, at);
    let refused = |attempt: &Done| attempt.is(Outcome::Fail) && !in_flight_with(attempt, &key.token, seen.from);
    all.iter().all(|attempt| refused(attempt) || given_back(attempt))
        && all.iter().filter(|attempt| named(attempt)).any(|attempt| refused_by_then(attempt) || given_back(attempt))
}

fn is_immortal(facts: &Facts<'_>, looks: &[Look<'_>], (at, seen): Look<'_>, key: &KeySeen) -> bool {
    let certainly_before =
        looks.iter().filter(|(end, look)| look.lock == seen.lock && *end <= seen.from && look.from < seen.from);
    let same = |other: &&KeySeen| (&other.node, &other.key, &other.token) == (&key.node, &key.key, &key.token);
    let earlier = certainly_before.flat_map(|(_, look)| look.keys.iter()).filter(same).filter_map(|other| other.ttl_ms).min();
    let lives_on = match key.ttl_ms {
        None => true,
        Some(ttl) => earlier.is_some_and(|before| before < ttl),
    };
    let is_gone = |client: &str| {
        facts
            .history
            .events
            .iter()
            .any(|event| event.at <= at && matches!(&event.what, What::Gone { client: gone } if gone == client))
    };
    let held = facts.grants.iter().any(|grant| {
        grant.lock == seen.lock
            && grant.token.as_ref() == Some(&key.token)
            && grant.granted <= at
            && grant.closed.is_none_or(|closed| closed > at)
            && !is_gone(&grant.client)
    });
    let in_flight = facts.ops.iter().any(|op| {
        matches!(op.op, Op::Acquire { .. })
            && op.lock() == Some(&seen.lock)
            && op.from <= at
            && op.until().is_none_or(|until| until > at)
            && !is_gone(&op.client)
    });
    let unheard_of = facts.ops.iter().all(|op| op.until().is_none_or(|until| until > at) || token(op) != Some(&key.token));
    lives_on && !held && !(unheard_of && in_flight)
}

fn is_stuck(facts: &Facts<'_>, lock: &str, quiet: u64) -> bool {
    let terms = facts.terms(lock);
    let deadline = |since: u64, by: u64| {
        let asked = facts.ops.iter().filter(|op| op.lock() == Some(lock) && op.from <= by).filter_map(|op| match &op.op {
            Op::Acquire { ttl_ms, .. } | Op::Extend { ttl_ms, .. } => *ttl_ms,
            _ => None,
        });
        let longest = asked.chain(terms.ttl_ms).max().unwrap_or(0);
        since.saturating_add((longest.saturating_add(terms.margin_ms)).saturating_mul(1_000_000))
    };
    let last = facts.history.events.last().map_or(0, |event| event.at);
    let acquires = facts.ops.iter().filter(|op| matches!(op.op, Op::Acquire { .. }) && op.lock() == Some(lock));
    let tries: Vec<&Done> = acquires.filter(|op| op.from >= quiet).collect();
    tries.iter().filter(|op| op.client == "probe").any(|op| {
        let end = op.until().unwrap_or(last);
        let is_late = match op.until() {
            Some(_) => op.is(Outcome::Fail) && op.from >= deadline(quiet, end),
            None => end >= deadline(op.from, end),
        };
        is_late && tries.iter().all(|other| other.id == op.id || other.from > end || other.is(Outcome::Fail))
    })
}
