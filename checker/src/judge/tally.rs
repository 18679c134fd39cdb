//! What was looked at.

use crate::Nanos;
use crate::finding::Counts;
use crate::history::Outcome;
use crate::judge::fact::{Fact, Instant, OpKind, PROBE};
use crate::judge::names::Name;
use rustc_hash::FxHashSet;

/// Counts, and what is needed to count.
#[derive(Debug, Default)]
pub struct Tally {
    counts: Counts,
    locks: FxHashSet<Name>,
    /// Who was refused which lock since its last grant of it.
    refused: FxHashSet<(Name, Name)>,
    /// Whether any client was ever granted a lock, the probe aside.
    had: bool,
}

impl Tally {
    /// Takes in an instant.
    pub fn see(&mut self, instant: &Instant<'_>) {
        for fact in instant.facts {
            match fact {
                Fact::Invoked(op) => {
                    self.counts.operations += 1;
                    if op.kind.is_of_lock() {
                        self.locks.insert(op.target);
                    }
                }
                Fact::Done(done) => {
                    let who = (done.op.client, done.op.target);
                    match (done.op.kind, done.outcome) {
                        (_, Outcome::Info) => self.counts.unknown += 1,
                        (OpKind::Acquire, Outcome::Fail) if !done.error && instant.name(who.0) != PROBE => {
                            self.counts.contended += u64::from(self.refused.insert(who));
                        }
                        (OpKind::Acquire, Outcome::Ok) => {
                            self.counts.granted += 1;
                            self.refused.remove(&who);
                            self.had |= instant.name(who.0) != PROBE;
                        }
                        (OpKind::Write, Outcome::Ok) => self.counts.writes += 1,
                        (OpKind::Write, Outcome::Fail) if done.fenced_by.is_some() => self.counts.rejected_stale_writes += 1,
                        _ => {}
                    }
                }
                Fact::Leased(id) => {
                    let gap = instant.leases.grant(*id).filter(|grant| grant.start < grant.end);
                    let gap = gap.and_then(|grant| instant.leases.gap_before(grant));
                    self.closest(gap);
                }
                _ => {}
            }
        }
    }

    /// Whether any client was ever granted a lock, the probe aside.
    pub fn anybody_had_a_lock(&self) -> bool {
        self.had
    }

    fn closest(&mut self, gap: Option<Nanos>) {
        if let Some(gap) = gap {
            self.counts.closest_ns = Some(self.counts.closest_ns.map_or(gap, |closest| closest.min(gap)));
        }
    }

    /// The counts, given how many operations never completed.
    pub fn counts(mut self, pending: u64) -> Counts {
        self.counts.unknown += pending;
        self.counts.locks = self.locks.len() as u64;
        self.counts
    }
}
