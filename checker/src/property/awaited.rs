//! Findings about a token that was seen in the store, until every acquire is over that may have put it there.

use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use std::sync::Arc;

/// Findings that wait, and those that were told, one a token.
#[derive(Debug, Default)]
pub(super) struct Awaited {
    waiting: Vec<Waiting>,
    told: Recent<(Name, Arc<str>), ()>,
}

#[derive(Debug)]
struct Waiting {
    lock: Name,
    token: Arc<str>,
    /// Whose token it is.
    client: Name,
    /// The acquires that were in flight when it was seen, and whose they are.
    others: Vec<(OpId, Name)>,
    draft: Draft,
}

impl Awaited {
    /// The ends of acquires, while something waits for them.
    pub(super) fn wants(&self) -> Facts {
        if self.waiting.is_empty() { 0 } else { facts::done(OpKind::Acquire) }
    }

    /// A token of this client was seen, and nothing that has ended explains it.
    pub(super) fn seen(&mut self, now: &Instant<'_>, lock: Name, token: &Arc<str>, client: Name, draft: impl FnOnce() -> Draft) {
        let same = |other: &Waiting| other.lock == lock && other.token == *token;
        if self.told.get(&(lock, token.clone())).is_some() || self.waiting.iter().any(same) {
            return;
        }
        let acquires = now.leases.pending().filter(|op| op.kind == OpKind::Acquire && op.target == lock);
        let others = acquires.map(|op| (op.id, op.client)).collect();
        self.waiting.push(Waiting { lock, token: token.clone(), client, others, draft: draft() });
    }

    /// Takes in the acquires that ended: before anything that was seen in the same instant.
    pub(super) fn ended(&mut self, now: &Instant<'_>) {
        for done in now.done().filter(|done| done.op.kind == OpKind::Acquire) {
            self.waiting.retain_mut(|waiting| !waiting.is_explained_by(done));
        }
    }

    /// Tells what waits for nothing any more.
    pub(super) fn tell(&mut self, kind: Kind, found: &mut Found) {
        for over in self.waiting.extract_if(.., |waiting| waiting.others.is_empty()) {
            self.told.insert((over.lock, over.token), ());
            found.add(kind, over.lock, || over.draft);
        }
    }

    /// The history is over: an acquire of the same client that never ended may have put there what was seen.
    pub(super) fn finish(&mut self, kind: Kind, found: &mut Found) {
        for waiting in self.waiting.drain(..) {
            if waiting.others.iter().all(|(_, client)| *client != waiting.client) {
                found.add(kind, waiting.lock, || waiting.draft);
            }
        }
    }
}

impl Waiting {
    /// Whether an acquire that was in flight may have put there what was seen, or has the same token as another client's.
    fn is_explained_by(&mut self, done: &Completed) -> bool {
        let Some(place) = self.others.iter().position(|(id, _)| *id == done.op.id) else { return false };
        self.others.swap_remove(place);
        let names_it = done.token.as_ref() == Some(&self.token);
        match done.op.client == self.client {
            // One that was refused gave back what it had, and may have been seen with it.
            true => names_it || (done.outcome != Outcome::Fail && done.token.is_none()),
            false => names_it,
        }
    }
}
