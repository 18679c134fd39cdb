//! two-holders, over-limit, stale-holder, ownership, late-notice, dishonest-validity.

use super::{Done, Facts, Wrong};
use checker::finding::Kind;
use checker::history::{Completion, Op, Outcome, Value, What};
use std::collections::BTreeSet;

pub fn wrongs(facts: &Facts<'_>, all: &mut BTreeSet<Wrong>) {
    two_holders(facts, all);
    over_limit(facts, all);
    for op in &facts.ops {
        stale_holder(facts, op, all);
        ownership(facts, op, all);
        dishonest_validity(facts, op, all);
    }
    late_notice(facts, all);
}

fn two_holders(facts: &Facts<'_>, all: &mut BTreeSet<Wrong>) {
    for one in &facts.grants {
        for two in facts.grants.iter().filter(|two| two.lock == one.lock && two.client != one.client) {
            let overlap = one.real().any(|a| two.real().any(|b| a.start.max(b.start) < a.end.min(b.end)));
            let claimed = one.claims.iter().any(|claim| two.real().any(|b| b.start < claim.from && claim.until < b.end));
            let instant = one.instants.iter().any(|at| two.real().any(|b| b.start < *at && *at < b.end));
            if facts.terms(&one.lock).limit == 1 && (overlap || claimed || instant) {
                let mut clients = [one.client.as_str(), &two.client];
                clients.sort();
                all.insert((Kind::TwoHolders, one.lock.clone(), clients.join(" ")));
            }
        }
    }
}

fn over_limit(facts: &Facts<'_>, all: &mut BTreeSet<Wrong>) {
    for one in &facts.grants {
        let limit = facts.terms(&one.lock).limit as usize;
        let too_many = one.real().any(|stretch| 1 + facts.others_hold(&one.lock, &one.client, stretch.start) > limit);
        let around = |from: u64, until: u64| {
            let holds = |two: &&super::Grant| two.real().any(|b| b.start < from && until < b.end);
            let others = facts.grants.iter().filter(|two| two.lock == one.lock && two.client != one.client);
            others.filter(holds).map(|two| &two.client).collect::<BTreeSet<_>>().len()
        };
        let instants = one.instants.iter().map(|at| (*at, *at));
        let mut points = one.claims.iter().map(|claim| (claim.from, claim.until)).chain(instants);
        if limit != 1 && (too_many || points.any(|(from, until)| around(from, until) >= limit)) {
            all.insert((Kind::OverLimit, one.lock.clone(), String::new()));
        }
    }
}

fn stale_holder(facts: &Facts<'_>, op: &Done, all: &mut BTreeSet<Wrong>) {
    let acts = match op.op {
        Op::Read { .. } | Op::Write { .. } => true,
        Op::Extend { .. } => op.is(Outcome::Ok) || op.is(Outcome::Info),
        _ => false,
    };
    let Some(own) = facts.own(op).filter(|own| acts && own.was_over(op.from)) else { return };
    if facts.others_hold(&own.lock, &own.client, op.from) >= (facts.terms(&own.lock).limit as usize).max(1) {
        all.insert((Kind::StaleHolder, own.lock.clone(), own.id.to_string()));
    }
}

fn ownership(facts: &Facts<'_>, op: &Done, all: &mut BTreeSet<Wrong>) {
    let Some(own) = facts.own(op).filter(|own| facts.terms(&own.lock).limit == 1 && own.was_over(op.from)) else { return };
    let Some(until) = op.until().filter(|_| op.is(Outcome::Ok)) else { return };
    let Some(own_end) = own.last(op.from).map(|last| last.end) else { return };
    if !matches!(op.op, Op::Release { .. } | Op::Extend { .. }) {
        return;
    }
    for other in facts.grants.iter().filter(|other| other.lock == own.lock && other.client != own.client) {
        for hit in other.real().filter(|b| own_end <= b.start && b.start <= op.from && op.from < b.end && until <= b.end) {
            let cleared = facts.history.events.iter().any(|event| match &event.what {
                What::Observe(seen) => {
                    seen.lock == own.lock
                        && until <= seen.from
                        && hit.start <= seen.from
                        && event.at <= hit.end
                        && seen.holder.is_some()
                        && seen.holder == other.token
                }
                _ => false,
            });
            if !cleared {
                all.insert((Kind::Ownership, own.lock.clone(), op.id.to_string()));
            }
        }
    }
}

fn affirms(op: &Done, done: &Completion) -> bool {
    done.outcome == Outcome::Ok
        && (matches!(op.op, Op::Extend { .. }) || (matches!(op.op, Op::Check { .. }) && done.value == Some(Value::Bool(true))))
}

fn late_notice(facts: &Facts<'_>, all: &mut BTreeSet<Wrong>) {
    for own in facts.grants.iter().filter(|own| facts.terms(&own.lock).limit == 1) {
        let others = || facts.grants.iter().filter(|other| other.lock == own.lock && other.client != own.client);
        let begins: Vec<u64> = others().flat_map(|other| other.real()).map(|stretch| stretch.start).collect();
        let renewed = facts.terms(&own.lock).renewed;
        // The first word that it gets after the other began is the one that counts.
        let late = begins.iter().filter(|begun| own.holds(**begun)).any(|begun| {
            let first = own.told.iter().find(|(at, _)| at > begun);
            first.is_some_and(|(_, asked)| renewed || !asked)
        });
        let never = facts.ops.iter().any(|op| {
            let affirmed = op.end.as_ref().is_some_and(|(_, done)| affirms(op, done));
            affirmed
                && op.client == own.client
                && op.grant() == Some(own.id)
                && begins.iter().any(|begun| {
                    let open = own.is_open(*begun);
                    let before = *begun <= op.from && Some(*begun) < op.until();
                    before && open && own.last(*begun).is_some_and(|last| last.end <= *begun)
                })
        });
        if late || never {
            all.insert((Kind::LateNotice, own.lock.clone(), own.id.to_string()));
        }
    }
}

fn dishonest_validity(facts: &Facts<'_>, op: &Done, all: &mut BTreeSet<Wrong>) {
    let (Op::Acquire { lock, ttl_ms } | Op::Extend { lock, ttl_ms, .. }) = &op.op else { return };
    let Some((at, done)) = op.end.as_ref().filter(|(_, done)| done.outcome == Outcome::Ok) else { return };
    let ttl_ms = ttl_ms.or(facts.terms(lock).ttl_ms);
    let nothing_left = done.valid_for_ms.is_some_and(|ms| ms <= 0);
    let too_long = done.valid_for_ms.zip(ttl_ms).is_some_and(|(ms, ttl)| i128::from(ms) > i128::from(ttl));
    let passed = done.valid_until.zip(done.told_at).is_some_and(|(until, told)| until <= told);
    let too_late = done
        .valid_until
        .zip(ttl_ms)
        .is_some_and(|(until, ttl)| u128::from(until) > u128::from(*at) + u128::from(ttl) * 1_000_000);
    if nothing_left || too_long || passed || too_late {
        all.insert((Kind::DishonestValidity, lock.clone(), op.id.to_string()));
    }
}
