//! **stuck**: all faults were healed, and a fresh client could not acquire in time.
//!
//! From the quiet phase on, whoever may still hold the lock loses it within the longest TTL; a fresh client that tried until after that, and a margin, and
//! was never granted it, shows that nobody will be. Judged at the end: an acquire that was invoked past the deadline and was not granted, and none
//! granted since the quiet phase. (Heal, then demand progress: TigerBeetle's simulator.)

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{Op, OpId, Phase, What};
use crate::judge::ledger::{Fact, Ledger};
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::BTreeMap;

/// Looks for locks that nobody gets.
#[derive(Debug, Default)]
pub struct Stuck {
    quiet: Option<Nanos>,
    longest_ttl_ms: BTreeMap<String, u64>,
    /// By lock, since the quiet phase: the last attempt that was refused, none once one was granted.
    tries: BTreeMap<String, Option<Try>>,
}

#[derive(Debug)]
struct Try {
    id: OpId,
    client: String,
    invoked: Nanos,
}

impl Property for Stuck {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, _report: &mut Vec<Suspicion>) {
        match fact {
            Fact::Other(What::Phase(Phase::Quiet)) => self.quiet = self.quiet.or(Some(ledger.now)),
            Fact::Invoked(act) => {
                if let Op::Acquire { lock, ttl_ms: Some(ttl_ms) } = &act.op {
                    match self.longest_ttl_ms.get_mut(lock) {
                        Some(longest) => *longest = (*longest).max(*ttl_ms),
                        None => drop(self.longest_ttl_ms.insert(lock.clone(), *ttl_ms)),
                    }
                }
            }
            Fact::Granted(_, _, grant) if self.quiet.is_some() => drop(self.tries.insert(grant.lock.clone(), None)),
            Fact::Ended(act, _) if self.quiet.is_some() => {
                if let Op::Acquire { lock, .. } = &act.op {
                    let last = Try { id: act.id, client: act.client.clone(), invoked: act.invoked };
                    match self.tries.get_mut(lock) {
                        Some(None) => {}
                        Some(tried) => *tried = Some(last),
                        None => drop(self.tries.insert(lock.clone(), Some(last))),
                    }
                }
            }
            _ => {}
        }
    }

    fn end(&mut self, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let Some(quiet) = self.quiet else { return };
        for (lock, last) in &self.tries {
            let Some(last) = last else { continue };
            let terms = ledger.terms(lock);
            let ttl_ms = self.longest_ttl_ms.get(lock).copied().max(terms.ttl_ms).unwrap_or(0);
            let patience_ms = ttl_ms + terms.margin_ms;
            if last.invoked <= quiet + patience_ms * 1_000_000 {
                continue;
            }
            let template = format!(
                "all was quiet at {{}}, and a fresh client that tried until {{}}, past the longest TTL and a margin of {} ms, was never granted {lock}",
                terms.margin_ms
            );
            report.push(Suspicion {
                kind: Kind::Stuck,
                lock: lock.clone(),
                clients: vec![last.client.clone()],
                events: vec![last.id],
                window: (0, quiet),
                harm: (quiet, last.invoked),
                story: Story::new(&template, &[quiet, last.invoked]),
            });
        }
    }
}
