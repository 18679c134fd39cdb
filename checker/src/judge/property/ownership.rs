//! **ownership**: a release or an extension took effect on another's lock.
//!
//! The store said that it took effect; its whole interval lies inside another's certain lease; and the own lease was over before the other's began.
//! So whatever it hit was not its own. An observation, begun after it and inside the other's lease, that still shows the
//! other's token clears it: then it hit something else (a key on a node that nobody asks any more). So the verdict waits for the next
//! observation of the lock, or for the end of the other's lease.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{Completion, Op, OpId, Outcome, What};
use crate::judge::lease::Lease;
use crate::judge::ledger::{Fact, Grant, Ledger, Pending, grant_of};
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::BTreeMap;

/// Looks for releases and extensions that hit another's lock.
#[derive(Debug, Default)]
pub struct Ownership {
    /// By lock: what waits for an observation.
    waiting: BTreeMap<String, Vec<Candidate>>,
}

#[derive(Debug)]
struct Candidate {
    victim: OpId,
    token: Option<String>,
    at: Nanos,
    suspicion: Suspicion,
}

/// Whether the whole of `[from, to]` lies inside the grant's certain lease, its borders excluded; `to` is now.
fn inside(grant: &Grant, from: Nanos, to: Nanos) -> bool {
    matches!(grant.lease, Lease::Span { from: begun, .. } if begun < from) && grant.end().is_none_or(|end| to < end)
}

fn begun(grant: &Grant) -> Nanos {
    match grant.lease {
        Lease::Span { from, .. } | Lease::Point(from) => from,
        Lease::Empty => grant.granted,
    }
}

impl Ownership {
    fn took_effect(&mut self, act: &Pending, own: &Grant, own_end: Option<Nanos>, ledger: &Ledger) {
        let verb = if matches!(act.op, Op::Extend { .. }) { "extended" } else { "released" };
        let victim = ledger.holders(&own.lock).find(|other| {
            other.client != own.client && inside(other, act.invoked, ledger.now) && own_end.is_some_and(|end| end <= begun(other))
        });
        let (Some(victim), Some(ended)) = (victim, own_end) else { return };
        let template = format!(
            "{} {verb} {} at {{}}, and it took effect; its own lease had ended at {{}}, and {} held the lock since {{}}",
            own.client, own.lock, victim.client
        );
        let suspicion = Suspicion {
            kind: Kind::Ownership,
            lock: own.lock.clone(),
            clients: vec![own.client.clone(), victim.client.clone()],
            events: vec![own.id, victim.id, act.id],
            window: (own.invoked, ledger.now),
            harm: (ledger.now, victim.end().unwrap_or(ledger.now)),
            story: Story::new(&template, &[ledger.now, ended, begun(victim)]),
        };
        let candidate = Candidate { victim: victim.id, token: victim.token.clone(), at: ledger.now, suspicion };
        self.waiting.entry(own.lock.clone()).or_default().push(candidate);
    }

    fn settle(&mut self, lock: &str, report: &mut Vec<Suspicion>, mut verdict: impl FnMut(&Candidate) -> Verdict) {
        let Some(waiting) = self.waiting.get_mut(lock) else { return };
        let mut left = Vec::new();
        for candidate in waiting.drain(..) {
            match verdict(&candidate) {
                Verdict::Wait => left.push(candidate),
                Verdict::Cleared => {}
                Verdict::Certain => report.push(candidate.suspicion),
            }
        }
        if left.is_empty() {
            self.waiting.remove(lock);
        } else {
            *waiting = left;
        }
    }
}

enum Verdict {
    Wait,
    Cleared,
    Certain,
}

impl Property for Ownership {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        match fact {
            Fact::Ended(act, Completion { outcome: Outcome::Ok, .. }) if matches!(act.op, Op::Release { .. }) => {
                if let Some(own) = grant_of(&act.op).and_then(|id| ledger.grant(id)) {
                    self.took_effect(act, own, own.end(), ledger);
                }
            }
            Fact::Extended(act, _, own) => {
                // Its lease is the new one already: what counts is that another had been granted the lock since it was given.
                let before = own.cut.or(if begun(own) == ledger.now { Some(own.granted) } else { None });
                self.took_effect(act, own, before, ledger);
            }
            Fact::Other(What::Observe(seen)) => {
                self.settle(&seen.lock, report, |candidate| match ledger.grant(candidate.victim) {
                    _ if seen.from <= candidate.at => Verdict::Wait,
                    Some(victim) if victim.end().is_none_or(|end| ledger.now < end) => {
                        let there = seen.holder.is_some() && seen.holder == candidate.token;
                        if there { Verdict::Cleared } else { Verdict::Certain }
                    }
                    _ => Verdict::Certain,
                });
            }
            Fact::Cut(victim, _) => {
                self.settle(
                    &victim.lock,
                    report,
                    |candidate| {
                        if candidate.victim == victim.id { Verdict::Certain } else { Verdict::Wait }
                    },
                )
            }
            _ => {}
        }
    }

    fn end(&mut self, _ledger: &Ledger, report: &mut Vec<Suspicion>) {
        for candidate in std::mem::take(&mut self.waiting).into_values().flatten() {
            report.push(candidate.suspicion);
        }
    }
}
