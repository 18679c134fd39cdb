//! `stuck`: all faults were healed, and a fresh client could not acquire in time.
//!
//! **Definition.** After the run went quiet the probe tried to take a lock, none of its tries was granted, and one of them ended
//! at or after the deadline without being granted, or never ended though the history goes on past the deadline. The deadline is
//! the longest TTL that the lock's terms name or that anybody asked for, plus the margin of the terms, after the run went quiet.
//!
//! **Source.** Liveness property B of the Redlock document: a lock must become available even if its holder crashes.
//!
//! **Why exact.** When all is quiet nobody holds the lock, and whatever was left of a crashed holder expires within the
//! longest TTL: from there on nothing may keep a fresh client out.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome, Phase};
use crate::judge::fact::{Fact, Facts, Instant, OpKind, PROBE, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::{Name, Names};
use crate::judge::seconds::Seconds;
use std::collections::BTreeMap;

/// The property.
#[derive(Debug)]
pub struct Stuck {
    probe: Name,
    quiet: Option<Nanos>,
    /// What came of the probe's tries, by lock.
    tries: BTreeMap<Name, Tries>,
}

#[derive(Debug, Default)]
struct Tries {
    pending: Option<OpId>,
    over: bool,
}

impl Stuck {
    /// Nothing tried yet.
    pub fn new(names: &mut Names) -> Self {
        Stuck { probe: names.of(PROBE), quiet: None, tries: BTreeMap::new() }
    }

    fn deadline(&self, now: &Instant<'_>, lock: Name) -> Option<Nanos> {
        let ms = now.leases.longest_ttl_ms(lock).saturating_add(now.terms(lock).margin_ms);
        Some(self.quiet?.saturating_add(ms.saturating_mul(1_000_000)))
    }
}

impl Property for Stuck {
    fn wants(&self) -> Facts {
        facts::PHASE | if self.quiet.is_some() { facts::invoked(OpKind::Acquire) | facts::done(OpKind::Acquire) } else { 0 }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for fact in now.facts {
            match fact {
                Fact::Phase(Phase::Quiet) => self.quiet = self.quiet.or(Some(now.at)),
                Fact::Invoked(op) if op.client == self.probe && op.kind == OpKind::Acquire => {
                    self.tries.entry(op.target).or_default().pending = Some(op.id);
                }
                Fact::Done(done) if done.op.client == self.probe && done.op.kind == OpKind::Acquire => {
                    let lock = done.op.target;
                    let late = self.deadline(now, lock).is_some_and(|deadline| now.at >= deadline);
                    let tries = self.tries.entry(lock).or_default();
                    tries.pending = None;
                    if done.outcome == Outcome::Ok {
                        tries.over = true;
                    } else if late && !std::mem::replace(&mut tries.over, true) {
                        found.add(Kind::Stuck, lock, || self.draft(now, lock, done.op.id));
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        for (lock, tries) in &self.tries {
            if let (false, Some(id)) = (tries.over, tries.pending)
                && self.deadline(now, *lock).is_some_and(|deadline| now.at >= deadline)
            {
                found.add(Kind::Stuck, *lock, || self.draft(now, *lock, id));
            }
        }
    }
}

impl Stuck {
    fn draft(&self, now: &Instant<'_>, lock: Name, id: OpId) -> Draft {
        let quiet = self.quiet.unwrap_or(now.at);
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
        clients.push(self.probe);
        Draft {
            clients,
            events: vec![id],
            since: now.zero,
            from: quiet,
            until: now.at,
            ..Draft::new(Kind::Stuck, lock, now.at, sentence)
        }
    }
}
