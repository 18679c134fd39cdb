//! The lease of a grant, as its holder sees it.

use super::operation::Operation;
use checker::Nanos;
use checker::history::{Event, Header, Op, OpId, Outcome, What};
use std::collections::BTreeMap;

/// A lease, as its holder sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// From the grant's completion.
    pub from: Nanos,
    /// Until it certainly ended.
    pub until: Nanos,
    /// Until its holder knew.
    pub believed: Nanos,
    /// When its time to live was over.
    pub expiry: Option<Nanos>,
}

/// What ends or lengthens leases, by the grant that it is about: each lease is then found in O(log n).
#[derive(Debug)]
pub struct Leases<'e> {
    header: &'e Header,
    releases: BTreeMap<OpId, Operation<'e>>,
    extensions: BTreeMap<OpId, Operation<'e>>,
    notices: BTreeMap<(&'e str, &'e str), Vec<Nanos>>,
}

impl<'e> Leases<'e> {
    /// Of these operations, and the notices of loss among these events.
    pub fn new(operations: impl IntoIterator<Item = Operation<'e>>, events: &'e [Event], header: &'e Header) -> Leases<'e> {
        let (mut releases, mut extensions) = (BTreeMap::new(), BTreeMap::new());
        for operation in operations {
            let Some(grant) = operation.grant() else { continue };
            match operation.op {
                Op::Release { .. } => first(&mut releases, grant, operation),
                Op::Extend { .. } if operation.ended(Outcome::Ok) => last(&mut extensions, grant, operation),
                _ => {}
            }
        }
        let mut notices: BTreeMap<_, Vec<Nanos>> = BTreeMap::new();
        for event in events {
            if let What::Lost { client, lock } = &event.what {
                notices.entry((client.as_str(), lock.as_str())).or_default().push(event.at);
            }
        }
        for notices in notices.values_mut() {
            notices.sort_unstable();
        }
        Leases { header, releases, extensions, notices }
    }

    /// The lease of a grant; one whose holder never let go is drawn to `end`. None where the operation is no grant.
    pub fn of(&self, grant: &Operation<'_>, end: Nanos) -> Option<Lease> {
        let Op::Acquire { lock, ttl_ms } = grant.op else { return None };
        let (from, completion) = grant.done.filter(|(_, completion)| completion.outcome == Outcome::Ok)?;
        let released = self.releases.get(&grant.id).map(|release| release.invoked);
        let lost = self.notices.get(&(grant.client, lock.as_str())).and_then(|notices| {
            let later = notices.partition_point(|at| *at < from);
            notices.get(later).copied()
        });
        let known = [released, lost].into_iter().flatten().min();
        let terms = self.header.locks.get(lock);
        let extended = self.extensions.get(&grant.id);
        let asked = extended.map_or(grant.invoked, |extension| extension.invoked);
        let said = extended.and_then(|extension| extension.done).map_or(completion, |(_, completion)| completion);
        let ttl_ms = match extended.map(|extension| extension.op) {
            Some(Op::Extend { ttl_ms, .. }) => *ttl_ms,
            _ => ttl_ms.or(terms.and_then(|terms| terms.ttl_ms)),
        };
        let after = |ms: i64| asked.saturating_add_signed(ms.saturating_mul(1_000_000));
        let renewed = terms.is_some_and(|terms| terms.renewed);
        let expiry = said
            .valid_until
            .or_else(|| said.valid_for_ms.map(after))
            .or_else(|| ttl_ms.filter(|_| !renewed).map(|ms| after(ms.try_into().unwrap_or(i64::MAX))));
        let last = known.unwrap_or(end).max(from);
        Some(Lease {
            from,
            until: expiry.map_or(last, |expiry| expiry.clamp(from, last)),
            believed: last,
            expiry: expiry.filter(|expiry| *expiry >= from),
        })
    }
}

fn first<'e>(of: &mut BTreeMap<OpId, Operation<'e>>, grant: OpId, operation: Operation<'e>) {
    let kept = of.entry(grant).or_insert(operation);
    if (operation.invoked, operation.id) < (kept.invoked, kept.id) {
        *kept = operation;
    }
}

fn last<'e>(of: &mut BTreeMap<OpId, Operation<'e>>, grant: OpId, operation: Operation<'e>) {
    let kept = of.entry(grant).or_insert(operation);
    if (operation.invoked, operation.id) > (kept.invoked, kept.id) {
        *kept = operation;
    }
}
