//! Findings about leases that overlap, until the overlap is over and its end is known.

use crate::Nanos;
use crate::history::OpId;
use crate::judge::fact::{Fact, Instant, OpKind};
use crate::judge::found::{Draft, Found};
use crate::lease::{Grant, NEVER};

/// Overlaps that are not over.
#[derive(Debug, Default)]
pub(super) struct Overlaps {
    open: Vec<(Vec<OpId>, Draft)>,
}

impl Overlaps {
    pub(super) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// An overlap of the leases of these grants has begun.
    pub(super) fn begin(&mut self, grants: Vec<OpId>, draft: Draft) {
        self.open.push((grants, draft));
    }

    /// Adds those findings whose overlap is over now.
    pub(super) fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        self.open.retain(|(grants, draft)| {
            let until = first_end(now, grants, draft.from);
            if until > now.at {
                return true;
            }
            found.add(draft.kind, draft.lock, || Draft { until, ..draft.clone() });
            false
        });
    }

    /// Adds the rest: the history is over before they are.
    pub(super) fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        for (grants, draft) in self.open.drain(..) {
            let end = first_end(now, &grants, draft.from);
            let until = if end == NEVER { now.at } else { end };
            found.add(draft.kind, draft.lock, || Draft { until, ..draft.clone() });
        }
    }
}

/// The first end of the leases; a grant that is forgotten has long ended.
fn first_end(now: &Instant<'_>, grants: &[OpId], from: Nanos) -> Nanos {
    grants.iter().map(|id| now.leases.grant(*id).map_or(from, |grant| grant.end)).min().unwrap_or(from).max(from)
}

/// The other clients' grants of the lock whose lease runs on after this instant, one a client: the first that it holds.
pub(super) fn others<'a>(now: &Instant<'a>, grant: &Grant) -> Vec<&'a Grant> {
    let mut others: Vec<&Grant> = now.leases.holders(grant.lock, now.at).filter(|other| other.client != grant.client).collect();
    others.sort_by_key(|other| (other.start, other.id));
    let mut firsts: Vec<&Grant> = Vec::with_capacity(others.len());
    for other in others {
        if firsts.iter().all(|first| first.client != other.client) {
            firsts.push(other);
        }
    }
    firsts
}

/// Whether the same client holds the lock through an earlier grant too, so that this one only nests.
pub(super) fn nests(now: &Instant<'_>, grant: &Grant) -> bool {
    now.leases.holders(grant.lock, now.at).any(|own| own.client == grant.client && (own.start, own.id) < (grant.start, grant.id))
}

/// Whether the client gave a grant back at the very stamp at which its lease began, and was not told at that stamp that it had lost it: that
/// lease is empty, and yet it certainly held the lock at that instant.
pub(super) fn held_for_an_instant(now: &Instant<'_>, grant: &Grant) -> bool {
    let begins = grant.start == now.at && grant.end <= now.at;
    let gives_back = |fact: &Fact| match fact {
        Fact::Invoked(op) => op.kind == OpKind::Release && op.grant == Some(grant.id) && op.client == grant.client,
        _ => false,
    };
    let ends = |fact: &Fact| match fact {
        Fact::Told(id, _) => *id == grant.id,
        Fact::Lost(client, lock) => (*client, *lock) == (grant.client, grant.lock),
        Fact::Gone(client) => *client == grant.client,
        _ => false,
    };
    begins && now.facts.iter().any(gives_back) && !now.facts.iter().any(ends)
}
