//! `stuck`: all faults were healed, and a fresh client could not acquire in time.
//!
//! **Definition.** After the run went quiet the probe tried to take a lock, and one of these tries
//! * was refused, and was invoked at or after the deadline: the longest TTL that the lock's terms name or that anybody had asked
//!   for by then, plus the margin of the terms, after the run went quiet; or
//! * was never answered, though the history goes on for so long after its invocation;
//!
//! and every other try of anybody that was invoked after the run went quiet, and before that one's end, was refused.
//!
//! **Source.** Liveness property B of the Redlock document: a lock must become available even if its holder crashes.
//!
//! **Why exact.** When all is quiet nobody holds the lock, and whatever was left of a crashed holder expires within the
//! longest TTL: from there on nothing may keep a fresh client out. A try counts by its invocation, for it may have been refused at
//! its beginning and told so late. One of unknown outcome may itself hold the lock, the probe's own included, and a grant does: what is refused
//! meanwhile or later proves nothing. Of tries in flight that is known when they end; until then the finding waits.

use super::Property;
use super::quiet::Quiet;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, Operation, PROBE, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::{Name, Names};
use crate::judge::seconds::Seconds;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The property.
#[derive(Debug)]
pub struct Stuck {
    probe: Name,
    quiet: Quiet,
    /// What came of the tries since all is quiet, by lock.
    tries: BTreeMap<Name, Tries>,
}

#[derive(Debug, Default)]
struct Tries {
    /// Whether somebody was granted the lock, or may have been, or it was told to be stuck.
    over: bool,
    proof: Option<Proof>,
}

/// A refusal in due time, until the others that were in flight have been refused, too.
#[derive(Debug)]
struct Proof {
    others: Vec<OpId>,
    draft: Draft,
}

impl Stuck {
    /// Nothing tried yet.
    pub fn new(names: &mut Names) -> Self {
        Stuck { probe: names.of(PROBE), quiet: Quiet::default(), tries: BTreeMap::new() }
    }
}

impl Property for Stuck {
    fn wants(&self) -> Facts {
        self.quiet.wants(facts::done(OpKind::Acquire))
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        let Some(quiet) = self.quiet.since(now) else { return };
        let tried = |done: &&Completed| done.op.kind == OpKind::Acquire && done.op.at >= quiet;
        let refused = |done: &&Completed| done.outcome == Outcome::Fail;
        // What is granted at one stamp with a refusal counts first.
        for done in now.done().filter(tried).filter(|done| !refused(done)) {
            let tries = self.tries.entry(done.op.target).or_default();
            tries.over = true;
            tries.proof.take_if(|proof| proof.others.contains(&done.op.id));
        }
        for done in now.done().filter(tried).filter(refused) {
            let (op, tries) = (&done.op, self.tries.entry(done.op.target).or_default());
            if let Some(proof) = &mut tries.proof {
                proof.others.retain(|other| *other != op.id);
            } else if op.client == self.probe && !tries.over && op.at >= after(quiet, now, op.target) {
                let others = in_flight(now, op.target, quiet).map(|other| other.id).collect();
                tries.proof = Some(Proof { others, draft: draft(now, quiet, op) });
            }
        }
        for (lock, tries) in &mut self.tries {
            if let Some(proof) = tries.proof.take_if(|proof| proof.others.is_empty()) {
                tries.over = true;
                found.add(Kind::Stuck, *lock, || proof.draft);
            }
        }
    }

    fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        let Some(quiet) = self.quiet.since(now) else { return };
        let tries = now.leases.pending().filter(|op| op.client == self.probe && op.kind == OpKind::Acquire && op.at >= quiet);
        let mut unanswered: Vec<&Arc<Operation>> = tries.filter(|op| now.at >= after(op.at, now, op.target)).collect();
        unanswered.sort_by_key(|op| op.id);
        for op in unanswered {
            let is_over = self.tries.get(&op.target).is_some_and(|tries| tries.over);
            if !is_over && in_flight(now, op.target, quiet).all(|other| other.id == op.id) {
                found.add(Kind::Stuck, op.target, || draft(now, quiet, op));
            }
        }
    }
}

/// So long after some time that nothing left by a crashed holder may keep anybody out of the lock.
fn after(time: Nanos, now: &Instant<'_>, lock: Name) -> Nanos {
    let ms = now.leases.longest_ttl_ms(lock).saturating_add(now.terms(lock).margin_ms);
    time.saturating_add(ms.saturating_mul(1_000_000))
}

/// The tries of a lock that began when all was quiet and have not ended.
fn in_flight<'a>(now: &Instant<'a>, lock: Name, quiet: Nanos) -> impl Iterator<Item = &'a Arc<Operation>> {
    now.leases.pending().filter(move |op| op.kind == OpKind::Acquire && op.target == lock && op.at >= quiet)
}

fn draft(now: &Instant<'_>, quiet: Nanos, op: &Operation) -> Draft {
    let lock = op.target;
    let seconds = Seconds::telling_apart(now.zero, &[quiet, now.at]);
    let ttl = match now.leases.longest_ttl_ms(lock) {
        0 => "which has no time to live".to_string(),
        ms => format!("whose longest time to live is {}", seconds.length(ms.saturating_mul(1_000_000))),
    };
    let sentence = format!(
        "all was quiet from {}, and at {} a fresh client still could not take {}, {ttl}",
        seconds.at(quiet),
        seconds.at(now.at),
        now.name(lock)
    );
    // Whoever has it last is the one to look at: a gone client before the probe itself.
    let mut clients: Vec<Name> = now.leases.open(lock).map(|grant| grant.client).collect();
    clients.push(op.client);
    Draft {
        clients,
        events: vec![op.id],
        since: now.zero,
        from: quiet,
        until: now.at,
        ..Draft::new(Kind::Stuck, lock, now.at, sentence)
    }
}
