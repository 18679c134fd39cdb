//! `lost-update`: a write overwrote another that it had not seen.
//!
//! **Definition.** Two accepted writes of one resource were computed from the same value, each wrote another one, and no third
//! write can have brought that value back between them, whichever of the two was first. A write of the value can have done so
//! unless it had failed by then, or wrote the very value that it was computed from, or is certainly before both or after both.
//! One of unknown outcome, or in flight, may take effect at any time after its invocation: it is before nothing.
//!
//! **Source.** The lost update of the database literature (Berenson and others, *A Critique of ANSI SQL Isolation Levels*,
//! 1995, phenomenon P4), and the counter of the Redis in Action exercises.
//!
//! **Why exact.** Let no update be lost: then there is an order of the writes, in time, in which each overwrites exactly the
//! value that it was computed from. Take two that were computed from one value, and wrote another. After the first of them the
//! value is gone, and before the second it is there: so a write between them brought it back, and one that is certainly before
//! both or after both is not between them. Conversely, where the values written to a resource are all distinct, as those of our
//! workloads are (a counter's too, as long as no update is lost), no write brings a value back, so that an update is lost
//! exactly if two accepted writes share a base: if all bases are distinct, each is the initial value or was written by an
//! accepted write, and by induction along the chain from the initial value each write extends it where the one before ended.
//!
//! A third write that is over is between the two, in one order or the other, exactly if it is not certainly before the one that
//! was invoked first; it cannot be after the one that is judged, since that ends now. So of the writes of a value only the
//! last end is kept, and of those that were computed from it only the one that was invoked last.
//!
//! **Bounds.** The last [`REMEMBERED`](crate::judge::recent::REMEMBERED) values are compared; a value of which nothing is
//! remembered may have been written until then. Of unknown outcome the values of [`UNKNOWN`] writes are kept; where there are
//! more, nothing is said any more.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome, Value};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, Operation, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// How many values are kept that were written by writes of unknown outcome.
pub const UNKNOWN: usize = 1 << 16;

/// The property.
#[derive(Debug, Default)]
pub struct LostUpdate {
    values: Recent<(Name, Value), Seen>,
    /// The values that writes in flight and those of unknown outcome may bring back.
    may_come: FxHashMap<(Name, Value), MayCome>,
    /// How many of these are of unknown outcome.
    unknown: usize,
    /// When the younger generation of the remembered values began, at the latest, and when the older; and which the younger one is.
    began: [Nanos; 2],
    generation: u64,
}

/// What is remembered of one value of one resource.
#[derive(Debug, Clone)]
struct Seen {
    /// From when on it is certain that no accepted write takes effect any more that brought it.
    written: Nanos,
    /// Of the accepted writes that were computed from it, the one that was invoked last.
    used: Option<Used>,
}

#[derive(Debug, Clone, Copy)]
struct Used {
    by: OpId,
    client: Name,
    from: Nanos,
    at: Nanos,
}

#[derive(Debug, Default)]
struct MayCome {
    in_flight: u32,
    unknown: bool,
}

impl Property for LostUpdate {
    fn wants(&self) -> Facts {
        facts::invoked(OpKind::Write) | facts::done(OpKind::Write)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        if self.unknown > UNKNOWN {
            return;
        }
        // In the order that equal stamps leave: what is over, what begins, what begins and ends at once.
        self.over(now, found, |op| op.at < now.at);
        for op in now.invoked().filter(|op| op.kind == OpKind::Write) {
            if let Some(value) = brought(op) {
                self.may_come.entry(value).or_default().in_flight += 1;
            }
        }
        self.over(now, found, |op| op.at == now.at);
    }
}

/// The value that a write brings, unless it was computed from that very value and changes nothing.
fn brought(op: &Operation) -> Option<(Name, Value)> {
    op.value.clone().filter(|_| op.base != op.value).map(|value| (op.target, value))
}

impl LostUpdate {
    /// Writes are over, all of them at once: first what they brought is known, then what they overwrote is judged.
    fn over(&mut self, now: &Instant<'_>, found: &mut Found, which: impl Fn(&Operation) -> bool) {
        let writes = || now.done().filter(|done| done.op.kind == OpKind::Write && which(&done.op));
        writes().for_each(|done| self.wrote(now, done));
        writes().filter(|done| done.outcome == Outcome::Ok).for_each(|done| self.judge(now, done, found));
    }

    fn wrote(&mut self, now: &Instant<'_>, done: &Completed) {
        let Some(key) = brought(&done.op) else { return };
        if let Entry::Occupied(mut entry) = self.may_come.entry(key.clone()) {
            let may_come = entry.get_mut();
            // Where stamps decrease, a write may be over before it has begun; it then counts as in flight for ever.
            may_come.in_flight = may_come.in_flight.saturating_sub(1);
            if done.outcome == Outcome::Info {
                self.unknown += usize::from(!may_come.unknown);
                may_come.unknown = true;
            } else if may_come.in_flight == 0 && !may_come.unknown {
                entry.remove();
            }
        }
        if done.outcome == Outcome::Ok {
            // What begins and ends at one stamp is not certainly before what begins at it.
            let written = if done.op.at == now.at { now.at.saturating_add(1) } else { now.at };
            self.seen(now, key).written = written;
        }
    }

    fn judge(&mut self, now: &Instant<'_>, done: &Completed, found: &mut Found) {
        let (Some(base), true) = (&done.op.base, done.op.base != done.op.value) else { return };
        let key = (done.op.target, base.clone());
        let may_come = self.may_come.contains_key(&key);
        let seen = self.seen(now, key);
        let own = Used { by: done.op.id, client: done.op.client, from: done.op.at, at: now.at };
        if let Some(used) = seen.used
            && seen.written <= used.from.min(own.from)
            && !may_come
        {
            found.add(Kind::LostUpdate, done.op.target, || draft(now, done, base, &used));
        }
        if seen.used.is_none_or(|used| own.from >= used.from) {
            seen.used = Some(own);
        }
    }

    /// What is remembered of a value. All that is forgotten of it was before the older generation began.
    fn seen(&mut self, now: &Instant<'_>, key: (Name, Value)) -> &mut Seen {
        if self.generation != self.values.generation() {
            self.generation = self.values.generation();
            self.began = [now.at.saturating_add(1), self.began[0]];
        }
        let written = self.began[1];
        self.values.renew(key, || Seen { written, used: None })
    }
}

fn draft(now: &Instant<'_>, done: &Completed, base: &Value, used: &Used) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[used.at, done.at]);
    let sentence = format!(
        "{} computed what it wrote to {} at {} from {base}, as {} had at {}: one of the two updates is lost",
        now.name(done.op.client),
        now.name(done.op.target),
        seconds.at(done.at),
        now.name(used.client),
        seconds.at(used.at)
    );
    let grant = done.op.grant.and_then(|id| now.leases.grant(id));
    Draft {
        clients: vec![done.op.client, used.client],
        events: vec![done.op.id, used.by],
        since: grant.map_or(done.op.at, |grant| grant.invoked),
        ..Draft::new(Kind::LostUpdate, done.op.target, done.at, sentence)
    }
}
