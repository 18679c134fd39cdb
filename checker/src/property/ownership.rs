//! `ownership`: a release or an extension took effect on another's lock.
//!
//! **Definition.** A release or an extension was answered `ok` (the store deleted or lengthened something) under a grant of a
//! mutex whose [certain lease](crate::lease) had ended before it was invoked, and before the lease of another client's
//! grant began; and everything from its invocation to its answer lies within that lease. Not so if an observation that
//! began after the answer, within that lease, shows the other's token still in place: then nothing of the other's was hit.
//! Each operation is told once, with that grant whose lease ended first.
//!
//! **Source.** The release by a blind `DEL` (laravel 26213, twenty 25661); antirez's own advice to compare the token first.
//!
//! **Why exact.** At whatever moment the operation took effect, the other's grant had taken effect and had not ended, so what
//! was hit was the other's. An operation whose outcome is unknown, or that began before the other was granted, proves nothing.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Facts, Instant, OpKind, Operation, Seen, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::seconds::Seconds;
use crate::lease::Grant;
use rustc_hash::FxHashMap;

/// The property.
#[derive(Debug, Default)]
pub struct Ownership {
    /// Pending operations that hit another's lock if they take effect before that one's lease ends.
    pending: FxHashMap<OpId, Vec<Hit>>,
    /// Those that did, until the other's lease is over: an observation may clear them.
    accused: Vec<Accused>,
}

/// Another's grant that an operation hits.
#[derive(Debug)]
struct Hit {
    other: OpId,
    /// The end of its lease, as far as is known.
    end: Nanos,
    draft: Draft,
}

#[derive(Debug)]
struct Accused {
    hits: Vec<Hit>,
    done_at: Nanos,
}

impl Property for Ownership {
    fn wants(&self) -> Facts {
        let waits = if self.accused.is_empty() { 0 } else { facts::ALWAYS };
        let pends = if self.pending.is_empty() { 0 } else { facts::done(OpKind::Release) | facts::done(OpKind::Extend) };
        facts::invoked(OpKind::Release) | facts::invoked(OpKind::Extend) | waits | pends
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for op in now.invoked().filter(|op| matches!(op.kind, OpKind::Release | OpKind::Extend)) {
            let hits = hits(now, op);
            if !hits.is_empty() {
                self.pending.insert(op.id, hits);
            }
        }
        for done in now.done() {
            let Some(mut hits) = self.pending.remove(&done.op.id) else { continue };
            hits.retain(|hit| now.leases.grant(hit.other).is_some_and(|other| other.holds_throughout(done.op.at, done.at)));
            if done.outcome == Outcome::Ok {
                let answered = Seconds::telling_apart(now.zero, &[done.op.at, done.at]).at(done.at);
                for Hit { draft, .. } in &mut hits {
                    draft.sentence.push_str(&format!(", answered at {answered}"));
                    draft.until = done.at;
                }
                self.accused.push(Accused { hits, done_at: done.at });
            }
        }
        for seen in now.seen() {
            self.accused.iter_mut().for_each(|accused| accused.clear(now, seen));
        }
        self.accused.retain_mut(|accused| {
            // Of several whose leases are over by now it is always the same that is told, whenever this is asked.
            if let Some(hit) = accused.over(now).min_by_key(|hit| hit.end) {
                found.add(Kind::Ownership, hit.draft.lock, || hit.draft.clone());
                return false;
            }
            !accused.hits.is_empty()
        });
    }

    fn finish(&mut self, _now: &Instant<'_>, found: &mut Found) {
        let first = |accused: Accused| accused.hits.into_iter().min_by_key(|hit| hit.end);
        for Hit { draft, .. } in self.accused.drain(..).filter_map(first) {
            found.add(Kind::Ownership, draft.lock, || draft);
        }
    }
}

impl Accused {
    /// What it hit and can no longer be cleared of: the lease is over, be it that an extension began another stretch of it.
    fn over(&mut self, now: &Instant<'_>) -> impl Iterator<Item = &Hit> {
        let done_at = self.done_at;
        self.hits.iter_mut().filter_map(move |hit| {
            let goes_on = now.leases.grant(hit.other).filter(|other| other.start <= done_at);
            if let Some(other) = goes_on {
                hit.end = other.end;
            }
            (goes_on.is_none() || hit.end <= now.at).then_some(&*hit)
        })
    }

    /// Takes back what the observation shows to be in place yet.
    fn clear(&mut self, now: &Instant<'_>, seen: &Seen) {
        let in_place = |other: &Grant| {
            seen.lock == other.lock
                && seen.from >= self.done_at
                && other.holds_throughout(seen.from, now.at)
                && seen.holder.is_some()
                && seen.holder == other.token
        };
        self.hits.retain(|hit| !now.leases.grant(hit.other).is_some_and(in_place));
    }
}

/// The others' grants that the operation hits if it takes effect, the oldest first.
fn hits(now: &Instant<'_>, op: &Operation) -> Vec<Hit> {
    let own = op.grant.and_then(|id| now.leases.grant(id)).filter(|grant| grant.client == op.client && grant.end < op.at);
    let Some(grant) = own.filter(|grant| now.terms(grant.lock).limit == 1) else { return Vec::new() };
    let of_others = now.leases.holders(grant.lock, now.at).filter(|other| other.client != grant.client);
    let mut others: Vec<&Grant> = of_others.filter(|other| grant.end <= other.start).collect();
    others.sort_by_key(|other| (other.start, other.id));
    others.into_iter().map(|other| Hit { other: other.id, end: other.end, draft: draft(now, op, grant, other) }).collect()
}

fn draft(now: &Instant<'_>, op: &Operation, grant: &Grant, other: &Grant) -> Draft {
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
    Draft {
        clients: vec![grant.client, other.client],
        events: vec![grant.id, other.id, op.id],
        since: grant.invoked,
        ..Draft::new(Kind::Ownership, grant.lock, op.at, sentence)
    }
}
