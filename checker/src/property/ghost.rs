//! `ghost`: success was reported and nothing was held.
//!
//! **Definition.** Of a mutex, either
//! * an observation lies wholly within the [certain lease](crate::lease) of a grant and finds no holder, or the token of a
//!   grant that was there before and that no later attempt of the same client may have left; while since the acquire was invoked no fault was
//!   in force and no release or extension under another grant may have taken effect; or
//! * an observation that began when a grant had been answered finds that its token is not in place, and the client is afterwards told, by a
//!   check that is invoked after it, that the grant holds; while since the observation began no fault was in force, no observation
//!   found the token, the client did not begin to release the grant, and no extension of it, nor any attempt that has or may have the same token, may
//!   have taken effect.
//!
//! A fault is in force from its begin until its end, whether it is verified or not; one that failed and never was verified, until then. One that is
//! never said to have ended explains all that follows. What took effect did so between its invocation and its answer; what has an
//! unknown outcome, or is in flight, may take effect at any time after its invocation.
//!
//! **Source.** bsm/redislock (a TTL under 1 ms deletes the key, the grant is OK); redis-py 2624 (replies shifted by one);
//! redsync 72 and rslock (`valid()` is true though the key is gone).
//!
//! **Why exact.** Within the certain lease the store must hold the grant's token, unless something took it away; everything
//! that could is looked for. What is not there does not come back by itself, so a later yes is untrue. Of the observations before a check only
//! that which began last counts: whatever explains it explains every earlier one. What is in flight when the store is looked at, or when the check is
//! answered, explains it even where it is refused later.

use super::Property;
use super::meddling::Meddling;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::OpId;
use crate::judge::fact::{Completed, Facts, Instant, OpKind, Operation, Seen, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use crate::lease::Grant;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The property.
#[derive(Debug, Default)]
pub struct Ghost {
    meddling: Meddling,
    /// Grants that were not found: by which observation.
    missing: Recent<OpId, Look>,
    /// When an observation that found it last ended, by lock and token.
    found: Recent<(Name, Arc<str>), Nanos>,
    /// Checks in flight of grants that were missing before: which grant, and by which observation.
    asked: FxHashMap<OpId, (OpId, Look)>,
    told: Recent<OpId, ()>,
}

/// When an observation began and ended.
#[derive(Debug, Clone, Copy)]
struct Look {
    from: Nanos,
    until: Nanos,
}

impl Property for Ghost {
    fn wants(&self) -> Facts {
        let meddling = facts::done(OpKind::Release) | facts::done(OpKind::Extend);
        let checks = facts::invoked(OpKind::Check) | facts::done(OpKind::Check) | facts::invoked(OpKind::Release);
        facts::OBSERVED | meddling | if self.missing.is_empty() { 0 } else { checks }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        now.done().for_each(|done| self.meddling.done(done));
        for seen in now.seen().filter(|seen| now.terms(seen.lock).limit == 1) {
            self.seen(now, seen, found);
        }
        now.invoked().for_each(|op| self.invoked(op));
        if !self.asked.is_empty() {
            now.done().for_each(|done| self.checked(now, done, found));
        }
    }
}

impl Ghost {
    fn seen(&mut self, now: &Instant<'_>, seen: &Seen, found: &mut Found) {
        if let Some(token) = &seen.holder {
            self.found.insert((seen.lock, token.clone()), now.at);
        }
        for grant in now.leases.open(seen.lock).filter(|grant| grant.token.is_some() && grant.token != seen.holder) {
            if grant.granted <= seen.from && self.missing.get(&grant.id).is_none_or(|look| look.from <= seen.from) {
                self.missing.insert(grant.id, Look { from: seen.from, until: now.at });
            }
            let certain = grant.holds_throughout(seen.from, now.at) && displaced(now, seen, grant);
            if certain && !now.faults.in_force_since(grant.invoked) && !self.meddling.may_explain(now, grant) {
                self.tell(grant, found, || absent(now, grant, seen));
            }
        }
    }

    fn invoked(&mut self, op: &Operation) {
        let Some(grant) = op.grant else { return };
        match op.kind {
            OpKind::Release => {
                self.missing.remove(&grant);
                self.asked.retain(|_, (of, _)| *of != grant);
            }
            OpKind::Check => {
                if let Some(look) = self.missing.get(&grant) {
                    self.asked.insert(op.id, (grant, *look));
                }
            }
            _ => {}
        }
    }

    fn checked(&mut self, now: &Instant<'_>, done: &Completed, found: &mut Found) {
        let Some((id, look)) = self.asked.remove(&done.op.id) else { return };
        let Some(grant) = now.leases.grant(id).filter(|_| done.affirms_holding()) else { return };
        let Some(token) = grant.token.clone() else { return };
        let was_found = self.found.get(&(grant.lock, token)).is_some_and(|at| *at >= look.from);
        if !was_found && !now.faults.in_force_since(look.from) && !may_be_back(now, grant, look.from) {
            self.tell(grant, found, || affirmed(now, grant, look, done.op.id));
        }
    }

    fn tell(&mut self, grant: &Grant, found: &mut Found, draft: impl FnOnce() -> Draft) {
        if self.told.get(&grant.id).is_none() {
            self.told.insert(grant.id, ());
            found.add(Kind::Ghost, grant.lock, draft);
        }
    }
}

/// Whether nobody is seen to hold the lock, or one who was granted it before this grant was asked for.
fn displaced(now: &Instant<'_>, seen: &Seen, grant: &Grant) -> bool {
    let Some(token) = &seen.holder else { return true };
    let earlier = now.leases.attempts().granted(seen.lock, token).filter(|attempt| attempt.since < grant.invoked);
    earlier.is_some_and(|earlier| !acquires(now, seen.lock, earlier.client))
}

/// Whether an extension or another attempt with the same token may have set the key again since then.
fn may_be_back(now: &Instant<'_>, grant: &Grant, since: Nanos) -> bool {
    let last = grant.token.as_ref().and_then(|token| now.leases.attempts().granted(grant.lock, token));
    let is_last = last.is_some_and(|last| last.id == grant.id);
    grant.may_be_extended_since(since) || !is_last || acquires(now, grant.lock, grant.client)
}

/// Whether an acquire of this client is in flight.
fn acquires(now: &Instant<'_>, lock: Name, client: Name) -> bool {
    now.leases.pending().any(|op| op.kind == OpKind::Acquire && op.target == lock && op.client == client)
}

fn absent(now: &Instant<'_>, grant: &Grant, seen: &Seen) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[grant.start, now.at, grant.end]);
    let held = match &seen.holder {
        None => "nobody".to_string(),
        Some(token) => format!("token {token}"),
    };
    let sentence = format!(
        "{} was granted {} at {}; at {} the store said that {held} holds it",
        now.name(grant.client),
        now.name(seen.lock),
        seconds.at(grant.start),
        seconds.at(now.at)
    );
    draft(now, grant, vec![grant.id], sentence)
}

fn affirmed(now: &Instant<'_>, grant: &Grant, look: Look, check: OpId) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[look.until, now.at]);
    let sentence = format!(
        "at {} the store did not hold {}'s grant of {}; at {} {} was told that it holds it",
        seconds.at(look.until),
        now.name(grant.client),
        now.name(grant.lock),
        seconds.at(now.at),
        now.name(grant.client)
    );
    draft(now, grant, vec![grant.id, check], sentence)
}

fn draft(now: &Instant<'_>, grant: &Grant, events: Vec<OpId>, sentence: String) -> Draft {
    Draft { clients: vec![grant.client], events, since: grant.invoked, ..Draft::new(Kind::Ghost, grant.lock, now.at, sentence) }
}
