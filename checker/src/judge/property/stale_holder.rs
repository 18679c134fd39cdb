//! **stale-holder**: a client acted under a grant after its certain lease had ended, while another held the lock.
//!
//! The lock kept its promise and the client could not: it slept through it (M. Kleppmann, *How to do distributed locking*, 2016). An act is a
//! read, a write or an extension; it counts if at its invocation the own lease was over and another's certain lease contains
//! that instant. Certain: the client began what it had no right to while somebody else had it.

use super::Property;
use crate::finding::Kind;
use crate::history::Op;
use crate::judge::ledger::{Fact, Ledger, grant_of};
use crate::judge::suspicion::{Story, Suspicion};

/// Looks for acts under a lease that is over.
#[derive(Debug)]
pub struct StaleHolder;

impl Property for StaleHolder {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let Fact::Invoked(act) = fact else { return };
        let (deed, what) = match &act.op {
            Op::Read { resource, .. } => ("read", resource),
            Op::Write { resource, .. } => ("wrote", resource),
            Op::Extend { lock, .. } => ("extended", lock),
            _ => return,
        };
        let Some(own) = grant_of(&act.op).and_then(|id| ledger.grant(id)) else { return };
        let Some(ended) = own.end().filter(|end| *end <= act.invoked) else { return };
        let Some(other) = ledger.holders(&own.lock).find(|other| other.client != own.client && other.holds_at(act.invoked))
        else {
            return;
        };
        let template = format!(
            "{} {deed} {what} at {{}} under a lease of {} that had ended at {{}}, while {} held it since {{}}",
            own.client, own.lock, other.client
        );
        report.push(Suspicion {
            kind: Kind::StaleHolder,
            lock: own.lock.clone(),
            clients: vec![own.client.clone(), other.client.clone()],
            events: vec![own.id, other.id, act.id],
            window: (own.invoked, act.invoked),
            harm: (act.invoked, other.end().unwrap_or(act.invoked).max(act.invoked)),
            story: Story::new(&template, &[act.invoked, ended, other.granted]),
        });
    }
}
