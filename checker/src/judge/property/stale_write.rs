//! **stale-write**: the resource took a write of an older grant after it had taken one of a newer grant.
//!
//! Kleppmann's second half: what a fencing token is there to stop. The write must certainly have come after the other, so the other had been
//! answered before this one was invoked. *Newer* is by fencing tokens where both writes showed one, else by the certain order of the grants: this
//! one's acquire had been answered before the other's was invoked. Both orders are of maxima, so one number a resource each is
//! enough: if any earlier write outranks this one, the highest does. Exact, O(1) a write.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{Op, OpId, Outcome};
use crate::judge::ledger::{Fact, Ledger, Pending};
use crate::judge::quick::ById;
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::HashMap;

/// Looks for writes that came too late.
#[derive(Debug, Default)]
pub struct StaleWrite {
    resources: HashMap<String, Highest>,
    /// What each pending write would have to outrank.
    pending: ById<Highest>,
}

/// The highest of the accepted writes of one resource, by each order.
#[derive(Debug, Clone, Default)]
struct Highest {
    /// By fencing token.
    fenced: Option<(u64, Taken)>,
    /// By the invocation of its acquire: of writes without a token.
    unfenced: Option<(Nanos, Taken)>,
    /// By the invocation of its acquire: of all writes.
    any: Option<(Nanos, Taken)>,
}

/// A write that the resource took.
#[derive(Debug, Clone)]
struct Taken {
    id: OpId,
    client: String,
    grant: OpId,
    at: Nanos,
}

fn raise<T: PartialOrd>(highest: &mut Option<(T, Taken)>, rank: T, taken: &Taken) {
    if highest.as_ref().is_none_or(|(held, _)| rank > *held) {
        *highest = Some((rank, taken.clone()));
    }
}

impl StaleWrite {
    fn accepted(&mut self, write: &Pending, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let Op::Write { resource, grant: Some(id), fence, .. } = &write.op else { return };
        let before = self.pending.remove(&write.id).unwrap_or_default();
        let Some(grant) = ledger.grant(*id) else { return };
        let by_order =
            |highest: Option<(Nanos, Taken)>| highest.filter(|(invoked, _)| *invoked > grant.granted).map(|(_, taken)| taken);
        let newer = match fence {
            Some(fence) => {
                let by_token = before.fenced.filter(|(highest, _)| highest > fence).map(|(_, taken)| taken);
                by_token.or_else(|| by_order(before.unfenced))
            }
            None => by_order(before.any),
        };
        if let Some(newer) = newer {
            let template = format!(
                "{resource} took a write of {} at {{}}, under a grant of {{}}, after it had taken one of {} at {{}}, whose grant is newer",
                write.client, newer.client
            );
            report.push(Suspicion {
                kind: Kind::StaleWrite,
                lock: resource.clone(),
                clients: vec![write.client.clone(), newer.client.clone()],
                events: vec![*id, newer.grant, newer.id, write.id],
                window: (grant.invoked, ledger.now),
                harm: (write.invoked, ledger.now),
                story: Story::new(&template, &[ledger.now, grant.granted, newer.at]),
            });
        }
        let taken = Taken { id: write.id, client: write.client.clone(), grant: *id, at: ledger.now };
        let highest = self.resources.entry(resource.clone()).or_default();
        raise(&mut highest.any, grant.invoked, &taken);
        match fence {
            Some(fence) => raise(&mut highest.fenced, *fence, &taken),
            None => raise(&mut highest.unfenced, grant.invoked, &taken),
        }
    }
}

impl Property for StaleWrite {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        match fact {
            Fact::Invoked(write) => {
                if let Op::Write { resource, .. } = &write.op
                    && let Some(highest) = self.resources.get(resource)
                {
                    self.pending.insert(write.id, highest.clone());
                }
            }
            Fact::Ended(write, completion) if completion.outcome == Outcome::Ok => self.accepted(write, ledger, report),
            Fact::Ended(write, _) => drop(self.pending.remove(&write.id)),
            _ => {}
        }
    }
}
