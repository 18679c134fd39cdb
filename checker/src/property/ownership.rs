//! `ownership`: a release or an extension took effect on another's lock.
//!
//! **Definition.** A release or an extension was answered `ok` (the store deleted or lengthened something) under a grant of a
//! mutex whose [certain lease](crate::lease) had ended before it was invoked, and before the lease of another client's
//! grant began; and everything from its invocation to its answer lies within that lease. Not so if an observation that
//! began after the answer, within that lease, shows the other's token still in place: then nothing of the other's was hit.
//!
//! **Source.** The release by a blind `DEL` (laravel 26213, twenty 25661); antirez's own advice to compare the token first.
//!
//! **Why exact.** At whatever moment the operation took effect, the other's grant had taken effect and had not ended, so what
//! was hit was the other's. An operation whose outcome is unknown, or that began before the other was granted, proves nothing.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Fact, Facts, Instant, OpKind, Operation, Seen, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::seconds::Seconds;
use rustc_hash::FxHashMap;

/// The property.
#[derive(Debug, Default)]
pub struct Ownership {
    /// Pending operations that hit another's lock if they take effect before that one's lease ends.
    pending: FxHashMap<OpId, (OpId, Draft)>,
    /// Those that did, until the other's lease is over: an observation may clear them.
    accused: Vec<Accused>,
}

#[derive(Debug)]
struct Accused {
    other: OpId,
    done_at: Nanos,
    draft: Draft,
}

impl Property for Ownership {
    fn wants(&self) -> Facts {
        let waits = if self.accused.is_empty() { 0 } else { facts::ALWAYS };
        let pends = if self.pending.is_empty() { 0 } else { facts::done(OpKind::Release) | facts::done(OpKind::Extend) };
        facts::invoked(OpKind::Release) | facts::invoked(OpKind::Extend) | waits | pends
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for fact in now.facts {
            if let Fact::Invoked(op) = fact
                && matches!(op.kind, OpKind::Release | OpKind::Extend)
                && let Some((other, draft)) = accusation(now, op)
            {
                self.pending.insert(op.id, (other, draft));
            }
        }
        for done in now.done() {
            let Some((other, draft)) = self.pending.remove(&done.op.id) else { continue };
            let within = now.leases.grant(other).is_some_and(|other| other.holds_throughout(done.op.at, done.at));
            if done.outcome == Outcome::Ok && within {
                let answered = Seconds::telling_apart(now.zero, &[done.op.at, done.at]).at(done.at);
                let sentence = format!("{}, answered at {answered}", draft.sentence);
                self.accused.push(Accused { other, done_at: done.at, draft: Draft { sentence, until: done.at, ..draft } });
            }
        }
        now.seen().for_each(|seen| self.accused.retain(|accused| !accused.is_cleared(now, seen)));
        self.accused.retain(|accused| {
            let over = now.leases.grant(accused.other).is_none_or(|other| other.end <= now.at);
            if over {
                found.add(Kind::Ownership, accused.draft.lock, || accused.draft.clone());
            }
            !over
        });
    }

    fn finish(&mut self, _now: &Instant<'_>, found: &mut Found) {
        for accused in self.accused.drain(..) {
            found.add(Kind::Ownership, accused.draft.lock, || accused.draft);
        }
    }
}

impl Accused {
    fn is_cleared(&self, now: &Instant<'_>, seen: &Seen) -> bool {
        let Some(other) = now.leases.grant(self.other) else { return false };
        seen.lock == other.lock
            && seen.from >= self.done_at
            && other.holds_throughout(seen.from, now.at)
            && seen.holder.is_some()
            && seen.holder == other.token
    }
}

/// Whose lock the operation hits if it takes effect.
fn accusation(now: &Instant<'_>, op: &Operation) -> Option<(OpId, Draft)> {
    let grant = now.leases.grant(op.grant?).filter(|grant| grant.client == op.client && grant.end < op.at)?;
    if now.terms(grant.lock).limit != 1 {
        return None;
    }
    let others = super::overlap::others(now, grant);
    let other = others.into_iter().find(|other| grant.end <= other.start)?;
    let seconds = Seconds::telling_apart(now.zero, &[grant.end, other.start, op.at]);
    let (one, two) = (now.name(grant.client), now.name(other.client));
    let sentence = format!(
        "{one}'s time on {} was over at {}, and {two} was granted it at {}; {one} {} at {}, and that took effect on {two}'s",
        now.name(grant.lock),
        seconds.at(grant.end),
        seconds.at(other.start),
        if op.kind == OpKind::Release { "released it" } else { "extended it" },
        seconds.at(op.at)
    );
    let draft = Draft {
        clients: vec![grant.client, other.client],
        events: vec![grant.id, other.id, op.id],
        since: grant.invoked,
        ..Draft::new(Kind::Ownership, grant.lock, op.at, sentence)
    };
    Some((other.id, draft))
}
