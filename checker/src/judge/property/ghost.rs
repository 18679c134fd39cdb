//! **ghost**: success was reported and nothing was held.
//!
//! The store was looked at while the grant's certain lease lasted, and no key of the lock was there. That is the lock's own doing only if
//! nothing else explains it: no fault was begun since the acquire was invoked, and nobody else released or extended meanwhile
//! (that is `ownership`). A key that holds another's token is `two-holders` or `phantom`, and reported as that. Reported once a grant.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{Moment, Op, Outcome, What};
use crate::judge::lease::Lease;
use crate::judge::ledger::{Fact, Grant, Ledger};
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::BTreeMap;

/// Looks for grants of nothing.
#[derive(Debug, Default)]
pub struct Ghost {
    last_fault: Option<Nanos>,
    /// By lock: when a release or extension that may have taken effect was last answered, and by whom.
    meddled: BTreeMap<String, Vec<(String, Nanos)>>,
    /// By lock: the grant that was last reported.
    reported: BTreeMap<String, u64>,
}

impl Ghost {
    fn explained(&self, grant: &Grant) -> bool {
        let by_fault = self.last_fault.is_some_and(|at| at >= grant.invoked);
        let meddled = self.meddled.get(&grant.lock).map_or(&[][..], Vec::as_slice);
        by_fault || meddled.iter().any(|(client, at)| *client != grant.client && *at >= grant.invoked)
    }
}

impl Property for Ghost {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        match fact {
            Fact::Other(What::Fault(fault)) if fault.moment != Moment::Failed => self.last_fault = Some(ledger.now),
            Fact::Ended(act, completion) if completion.outcome != Outcome::Fail => {
                if let Op::Release { lock, .. } | Op::Extend { lock, .. } = &act.op {
                    let meddled = self.meddled.entry(lock.clone()).or_default();
                    meddled.retain(|(client, _)| *client != act.client);
                    meddled.push((act.client.clone(), ledger.now));
                }
            }
            Fact::Other(What::Observe(seen)) if seen.holder.is_none() && seen.keys.is_empty() => {
                let held = |grant: &&Grant| {
                    let began = matches!(grant.lease, Lease::Span { from, .. } if from < seen.from);
                    began && grant.end().is_none_or(|end| ledger.now < end) && grant.token.is_some()
                };
                let ghosts: Vec<_> = ledger.holders(&seen.lock).filter(held).filter(|grant| !self.explained(grant)).collect();
                for grant in ghosts {
                    if self.reported.insert(seen.lock.clone(), grant.id) == Some(grant.id) {
                        continue;
                    }
                    let template = format!(
                        "{} was granted {} at {{}}, and at {{}}, while its lease lasted, the store held nothing",
                        grant.client, grant.lock
                    );
                    report.push(Suspicion {
                        kind: Kind::Ghost,
                        lock: grant.lock.clone(),
                        clients: vec![grant.client.clone()],
                        events: vec![grant.id],
                        window: (grant.invoked, ledger.now),
                        harm: (seen.from, ledger.now),
                        story: Story::new(&template, &[grant.granted, ledger.now]),
                    });
                }
            }
            _ => {}
        }
    }
}
