//! What was looked at, counted as it passes.

use crate::Nanos;
use crate::finding::Counts;
use crate::history::{Op, Outcome};
use crate::judge::ledger::{Fact, Ledger};
use std::collections::{BTreeMap, BTreeSet};

/// Counts what a history holds.
#[derive(Debug, Default)]
pub struct Counter {
    counts: Counts,
    locks: BTreeMap<String, Last>,
}

#[derive(Debug, Default)]
struct Last {
    /// Who was refused the lock since their last grant of it.
    refused: BTreeSet<String>,
    /// Who held it last, and until when as far as is known.
    holder: Option<(u64, String)>,
}

impl Counter {
    /// Looks at a fact.
    pub fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger) {
        match fact {
            Fact::Invoked(act) => {
                self.counts.operations += 1;
                if let Op::Acquire { lock, .. } = &act.op
                    && !self.locks.contains_key(lock)
                {
                    self.locks.insert(lock.clone(), Last::default());
                }
            }
            Fact::Granted(_, _, grant) => {
                self.counts.granted += 1;
                let Some(last) = self.locks.get_mut(&grant.lock) else { return };
                self.counts.contended += u64::from(last.refused.remove(&grant.client));
                if let Some((before, client)) = &last.holder
                    && *client != grant.client
                    && let Some(end) = ledger.grant(*before).and_then(|before| before.end())
                    && end <= ledger.now
                {
                    let gap: Nanos = ledger.now - end;
                    self.counts.closest_ns = Some(self.counts.closest_ns.map_or(gap, |closest| closest.min(gap)));
                }
                last.holder = Some((grant.id, grant.client.clone()));
            }
            Fact::Ended(act, completion) => {
                self.counts.unknown += u64::from(completion.outcome == Outcome::Info);
                match (&act.op, completion.outcome) {
                    (Op::Acquire { lock, .. }, Outcome::Fail) => {
                        if let Some(last) = self.locks.get_mut(lock)
                            && !last.refused.contains(&act.client)
                        {
                            last.refused.insert(act.client.clone());
                        }
                    }
                    (Op::Write { .. }, Outcome::Ok) => self.counts.writes += 1,
                    (Op::Write { .. }, Outcome::Fail) if completion.fenced_by.is_some() => self.counts.rejected_stale_writes += 1,
                    _ => {}
                }
            }
            _ => {}
        }
    }

    /// The counts.
    pub fn end(self) -> Counts {
        Counts { locks: self.locks.len() as u64, ..self.counts }
    }
}
