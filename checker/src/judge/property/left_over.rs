//! **leak** and **immortal**: keys that are left when all is quiet.
//!
//! The first observation of a lock after the run has become quiet (clients finished, every fault healed) shows a key.
//!
//! * *immortal*: it has no time to live, and no living client holds the grant that it belongs to. It will block forever.
//! * *leak*: it has one, and the attempt that it belongs to is certainly over: refused, or given back with success. It blocks for the rest of its TTL
//!   with nobody to profit. A release or an acquire of unknown outcome proves nothing.

use super::Property;
use crate::finding::Kind;
use crate::history::{KeySeen, Outcome, Phase, What};
use crate::judge::ledger::{Fact, Grant, Ledger};
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::BTreeSet;

/// Looks at what is left.
#[derive(Debug, Default)]
pub struct LeftOver {
    quiet: bool,
    looked_at: BTreeSet<String>,
}

impl LeftOver {
    fn look(&self, lock: &str, key: &KeySeen, ledger: &Ledger) -> Option<Suspicion> {
        let grant = ledger.remembered(lock).filter(|grant| grant.token.as_ref() == Some(&key.token)).max_by_key(|grant| grant.id);
        let refused = ledger.refused(lock).find(|refused| refused.token == key.token);
        let alive = |grant: &Grant| grant.release.is_none() && !grant.orphan;
        let (kind, whose) = match (key.ttl_ms, grant, refused) {
            (None, Some(grant), _) if alive(grant) => return None,
            (None, Some(grant), _) if grant.orphan => (Kind::Immortal, format!("that {}, which is dead, left", grant.client)),
            (None, Some(grant), _) => (Kind::Immortal, format!("that {} left", grant.client)),
            (None, None, Some(refused)) => (Kind::Immortal, format!("of an attempt of {} that was refused", refused.client)),
            (None, None, None) => (Kind::Immortal, "of a client that nobody had told that it holds".to_string()),
            (Some(_), Some(grant), _) if grant.release == Some(Outcome::Ok) => {
                (Kind::Leak, format!("of a grant that {} had given back", grant.client))
            }
            (Some(_), None, Some(refused)) => (Kind::Leak, format!("of an attempt of {} that was refused", refused.client)),
            _ => return None,
        };
        let life = if kind == Kind::Immortal { "a key with no time to live" } else { "a key" };
        let client = grant.map(|grant| grant.client.clone()).or(refused.map(|refused| refused.client.clone()));
        let event = grant.map(|grant| grant.id).or(refused.map(|refused| refused.id));
        let invoked = grant.map(|grant| grant.invoked).or(refused.map(|refused| refused.invoked));
        Some(Suspicion {
            kind,
            lock: lock.to_string(),
            clients: client.into_iter().collect(),
            events: event.into_iter().collect(),
            window: (invoked.unwrap_or(0), ledger.now),
            harm: (ledger.now, ledger.now),
            story: Story::new(&format!("when all was quiet, at {{}}, {lock} had {life} on {}, {whose}", key.node), &[ledger.now]),
        })
    }
}

impl Property for LeftOver {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        match fact {
            Fact::Other(What::Phase(Phase::Quiet)) => self.quiet = true,
            // Once somebody asks for the lock again, what is there is theirs.
            Fact::Invoked(act) if self.quiet => {
                if let crate::history::Op::Acquire { lock, .. } = &act.op {
                    self.looked_at.insert(lock.clone());
                }
            }
            Fact::Other(What::Observe(seen)) if self.quiet && self.looked_at.insert(seen.lock.clone()) => {
                report.extend(seen.keys.iter().filter_map(|key| self.look(&seen.lock, key, ledger)));
            }
            _ => {}
        }
    }
}
