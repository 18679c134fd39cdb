//! **late-notice**: a holder was told too late, or not at all, that it had lost the lock.
//!
//! Two cases. A lock that promises to renew its leases owes its holder the news: told only after another's certain lease had
//! begun is too late. And any lock that extends a grant, or answers that it is held, after the lock was certainly another's since that
//! grant (granted to another by an acquire that was invoked after it and answered before the question) has hidden the loss: the
//! other may have written meanwhile, though it has released since (redis-semaphore issue 175, RedLock.net issue 48).

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{Completion, Op, OpId, Outcome, Value};
use crate::judge::ledger::{Cut, Fact, Grant, Ledger, Pending, grant_of};
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::BTreeMap;

/// Looks for losses that were hidden.
#[derive(Debug, Default)]
pub struct LateNotice {
    /// By lock: the last grant, and the last one of another client than that one's.
    last: BTreeMap<String, [Option<Brief>; 2]>,
}

#[derive(Debug, Clone)]
struct Brief {
    id: OpId,
    client: String,
    invoked: Nanos,
    granted: Nanos,
}

impl LateNotice {
    /// The last grant of the lock to another than this client.
    fn last_other(&self, lock: &str, client: &str) -> Option<&Brief> {
        self.last.get(lock)?.iter().flatten().find(|brief| brief.client != client)
    }

    fn confirmed(&self, question: &Pending, own: &Grant, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let Some(other) = self.last_other(&own.lock, &own.client) else { return };
        if other.invoked <= own.granted || other.granted >= question.invoked || ledger.terms(&own.lock).limit > 1 {
            return;
        }
        let answer = if matches!(question.op, Op::Extend { .. }) { "extended its grant" } else { "was told that it holds it" };
        let template = format!(
            "{} {answer} of {} at {{}}, and never heard that the lock had been {}'s at {{}}, after its own grant",
            own.client, own.lock, other.client
        );
        report.push(self.suspicion(own, other, question.id, ledger.now, Story::new(&template, &[ledger.now, other.granted])));
    }

    fn told(&self, own: &Grant, at: Nanos, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        if !ledger.terms(&own.lock).renewed {
            return;
        }
        let Some(other) = ledger.holders(&own.lock).find(|other| other.client != own.client && other.holds_at(at)) else {
            return;
        };
        let template =
            format!("{} was told only at {{}} that it had lost {}, which {} held since {{}}", own.client, own.lock, other.client);
        let brief = Brief { id: other.id, client: other.client.clone(), invoked: other.invoked, granted: other.granted };
        report.push(self.suspicion(own, &brief, own.id, at, Story::new(&template, &[at, other.granted])));
    }

    fn suspicion(&self, own: &Grant, other: &Brief, event: OpId, now: Nanos, story: Story) -> Suspicion {
        let mut events = vec![own.id, other.id, event];
        events.dedup();
        Suspicion {
            kind: Kind::LateNotice,
            lock: own.lock.clone(),
            clients: vec![own.client.clone(), other.client.clone()],
            events,
            window: (own.invoked, now),
            harm: (other.granted, now),
            story,
        }
    }
}

impl Property for LateNotice {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        match fact {
            Fact::Granted(_, _, grant) => {
                let brief = Brief { id: grant.id, client: grant.client.clone(), invoked: grant.invoked, granted: grant.granted };
                let slot = self.last.entry(grant.lock.clone()).or_default();
                if slot[0].as_ref().is_some_and(|last| last.client != brief.client) {
                    slot[1] = slot[0].take();
                }
                slot[0] = Some(brief);
            }
            Fact::Extended(question, _, own) => self.confirmed(question, own, ledger, report),
            Fact::Ended(question, Completion { outcome: Outcome::Ok, value: Some(Value::Bool(true)), .. })
                if matches!(question.op, Op::Check { .. }) =>
            {
                if let Some(own) = grant_of(&question.op).and_then(|id| ledger.grant(id)) {
                    self.confirmed(question, own, ledger, report);
                }
            }
            Fact::Cut(own, Cut::Told) => self.told(own, ledger.now, ledger, report),
            _ => {}
        }
    }
}
