//! `stale-write`: the resource took a write of an older grant after it had taken one of a newer grant.
//!
//! **Definition.** A write was accepted, certainly after an accepted write of the same resource under a later grant. Which of
//! two grants is later their fencing tokens say, where both have one and they are not known to be of two locks, each of which counts for
//! itself; else it is the one of the same lock that was asked for after the other was granted. Grants that may hold side by side are neither: those of one lock that lets in more than one, and
//! those of one [tenure](crate::lease::Grant::tenure) of a reentrant lock, whose outer hold may write after the inner. Nor is a
//! grant later than itself, whatever tokens are shown under it.
//!
//! **Source.** Kleppmann's fencing (2016), after the sequencers of Chubby (Burrows 2006): the resource must refuse a token
//! lower than the highest that it has seen. Refused writes are counted in
//! [`Counts::rejected_stale_writes`](crate::finding::Counts): the proof that fencing worked.
//!
//! **Why exact.** Being later is monotone in the token, and in the time at which the later grant was asked for. So a write
//! is stale exactly if it is so against the accepted write of the highest token, or of the grant asked for last, among those
//! that were over when it was invoked and are not of its own side; which one that is is known if the first is kept, and the
//! first of any other side than that one's. A write of whose grant nothing is known is compared with those of every lock.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, Operation, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::{ByName, Name};
use crate::judge::seconds::Seconds;
use crate::lease::Grant;
use rustc_hash::FxHashMap;

/// The property.
#[derive(Debug, Default)]
pub struct StaleWrite {
    /// Of each resource: the accepted writes with the highest tokens.
    by_any_fence: ByName<Latest>,
    /// The same of each resource and lock, and of grants of which nothing is known.
    by_fence: FxHashMap<(Name, Option<Name>), Latest>,
    /// Of each resource, lock and whether it had a token: the accepted writes of the grants that were asked for last.
    by_grant: FxHashMap<(Name, Name, bool), Latest>,
    /// Pending writes that are stale if they are accepted, with a write that they would follow.
    stale: FxHashMap<OpId, Accepted>,
}

/// What is compared of a write.
#[derive(Debug, Clone, Copy)]
struct Accepted {
    id: OpId,
    client: Name,
    at: Nanos,
    fence: Option<u64>,
    grant: Option<Ordered>,
}

/// What is compared of its grant.
#[derive(Debug, Clone, Copy)]
struct Ordered {
    lock: Name,
    invoked: Nanos,
    granted: Nanos,
    side: Side,
}

/// What a grant may hold side by side with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// All others of a lock that lets in more than one.
    Lock(Name),
    /// The others of one holding of a mutex: of a reentrant one those that nest, else itself alone.
    Tenure(OpId),
}

/// The latest accepted write of all, and the latest of another side.
#[derive(Debug, Default)]
struct Latest([Option<Accepted>; 2]);

impl Latest {
    /// The latest that is not of the write's own side.
    fn beside(&self, write: &Accepted) -> Option<&Accepted> {
        self.0.iter().flatten().find(|latest| !latest.is_beside(write))
    }

    /// Keeps a write if it is among the latest, by this order.
    fn take(&mut self, write: Accepted, order: impl Fn(&Accepted) -> Option<u64>) {
        let [first, second] = &mut self.0;
        let later = |than: &Option<Accepted>| than.is_none_or(|than| order(&write) > order(&than));
        match (later(first), first.is_some_and(|first| first.is_beside(&write))) {
            (true, true) => *first = Some(write),
            (true, false) => (*first, *second) = (Some(write), *first),
            (false, false) if later(second) => *second = Some(write),
            _ => {}
        }
    }
}

impl Side {
    fn of(now: &Instant<'_>, grant: &Grant) -> Self {
        let terms = now.terms(grant.lock);
        match terms.limit {
            1 => Side::Tenure(grant.tenure),
            _ => Side::Lock(grant.lock),
        }
    }
}

impl Accepted {
    fn of(now: &Instant<'_>, op: &Operation, at: Nanos) -> Self {
        let grant = op.grant.and_then(|id| now.leases.grant(id));
        Accepted {
            id: op.id,
            client: op.client,
            at,
            fence: op.fence.or(grant.and_then(|grant| grant.fence)),
            grant: grant.map(|grant| Ordered {
                lock: grant.lock,
                invoked: grant.invoked,
                granted: grant.granted,
                side: Side::of(now, grant),
            }),
        }
    }

    /// Whether its grant may hold side by side with the other's.
    fn is_beside(&self, other: &Accepted) -> bool {
        let side = |write: &Accepted| write.grant.map(|grant| grant.side);
        side(self).is_some_and(|own| side(other) == Some(own))
    }

    /// Whether its grant is certainly older than the other's, by the order of grants.
    fn is_older(&self, other: &Accepted) -> bool {
        matches!((self.grant, other.grant), (Some(own), Some(other)) if own.granted <= other.invoked && own.invoked < other.invoked)
    }
}

impl Property for StaleWrite {
    fn wants(&self) -> Facts {
        facts::invoked(OpKind::Write) | facts::done(OpKind::Write)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        let written = || now.done().filter(|done| done.op.kind == OpKind::Write);
        // In the order that equal stamps leave: what is over, what begins, what ends, what begins and ends at once.
        written().filter(|done| done.outcome == Outcome::Ok && done.op.at < now.at).for_each(|done| self.accept(now, done));
        for op in now.invoked().filter(|op| op.kind == OpKind::Write) {
            if let Some(newer) = self.newer(op.target, &Accepted::of(now, op, now.at)) {
                self.stale.insert(op.id, newer);
            }
        }
        for done in written() {
            if let Some(newer) = self.stale.remove(&done.op.id)
                && done.outcome == Outcome::Ok
            {
                found.add(Kind::StaleWrite, done.op.target, || draft(now, done, &newer));
            }
        }
        written().filter(|done| done.outcome == Outcome::Ok && done.op.at == now.at).for_each(|done| self.accept(now, done));
    }
}

impl StaleWrite {
    /// An accepted write of a later grant.
    fn newer(&self, resource: Name, write: &Accepted) -> Option<Accepted> {
        let by_grant = |fenced: bool| {
            let newer = self.by_grant.get(&(resource, write.grant?.lock, fenced))?.beside(write)?;
            write.is_older(newer).then_some(*newer)
        };
        match write.fence {
            Some(fence) => {
                let of_lock = |lock| self.by_fence.get(&(resource, lock));
                let comparable = match write.grant {
                    Some(grant) => [of_lock(Some(grant.lock)), of_lock(None)],
                    None => [self.by_any_fence.get(resource), None],
                };
                let highest = comparable.into_iter().flatten().filter_map(|latest| latest.beside(write));
                let highest = highest.max_by_key(|highest| highest.fence).filter(|highest| highest.fence > Some(fence));
                highest.copied().or_else(|| by_grant(false))
            }
            None => by_grant(true).or_else(|| by_grant(false)),
        }
    }

    fn accept(&mut self, now: &Instant<'_>, done: &Completed) {
        let write = Accepted::of(now, &done.op, done.at);
        if write.fence.is_some() {
            let of_lock = (done.op.target, write.grant.map(|grant| grant.lock));
            self.by_any_fence.get_or_insert_with(done.op.target, Latest::default).take(write, |write| write.fence);
            self.by_fence.entry(of_lock).or_default().take(write, |write| write.fence);
        }
        if let Some(grant) = write.grant {
            let latest = self.by_grant.entry((done.op.target, grant.lock, write.fence.is_some())).or_default();
            latest.take(write, |write| write.grant.map(|grant| grant.invoked));
        }
    }
}

fn draft(now: &Instant<'_>, done: &Completed, newer: &Accepted) -> Draft {
    let write = Accepted::of(now, &done.op, done.at);
    let seconds = Seconds::telling_apart(now.zero, &[newer.at, done.at]);
    let token = |write: &Accepted| write.fence.map_or("its grant".to_string(), |fence| format!("token {fence}"));
    let sentence = format!(
        "{} took {}'s write under {} at {}, after it had taken {}'s under the newer {} at {}",
        now.name(done.op.target),
        now.name(write.client),
        token(&write),
        seconds.at(done.at),
        now.name(newer.client),
        newer.fence.map_or("grant".to_string(), |fence| format!("token {fence}")),
        seconds.at(newer.at)
    );
    Draft {
        clients: vec![write.client, newer.client],
        events: vec![write.id, newer.id],
        // Where the newer token is the older grant's, what lost the count came between the two grants.
        since: [write.grant, newer.grant]
            .into_iter()
            .flatten()
            .map(|grant| grant.invoked)
            .min()
            .unwrap_or(done.op.at.min(newer.at)),
        ..Draft::new(Kind::StaleWrite, done.op.target, done.at, sentence)
    }
}
