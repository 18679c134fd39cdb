//! `lost-update`: a write overwrote another that it had not seen.
//!
//! **Definition.** Two accepted writes of one resource were computed from the same value, and that value was not written anew
//! in between: no write of it that was invoked after the first was over, and is not known to have failed, was invoked before
//! the second was over.
//!
//! **Source.** The lost update of the database literature (Berenson and others, *A Critique of ANSI SQL Isolation Levels*,
//! 1995, phenomenon P4), and the counter of the Redis in Action exercises.
//!
//! **Why exact**, where the values written to a resource are all distinct, as those of our workloads are (a counter's too, as
//! long as no update is lost). If no update is lost, each accepted write overwrites exactly the value that it was computed
//! from; in the order in which they take effect the writes form a chain from the initial value, each value is overwritten
//! once, and all bases are distinct. Conversely, let all bases be distinct. Each base is the initial value or was written by
//! an accepted write, so by induction along the chain from the initial value each write extends it where the one before
//! ended, in the only order in which the bases can have been read: every write saw the one that it overwrote. So an update is
//! lost exactly if two accepted writes share a base. Where a value does come back (`1, 2, 1`), the last condition says that
//! the second of two readers of the `1` may have read the later one.
//!
//! The last [`REMEMBERED`](crate::judge::recent::REMEMBERED) bases are compared.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome, Value};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// The property.
#[derive(Debug, Default)]
pub struct LostUpdate {
    /// The last accepted write that was computed from each value of each resource.
    used: Recent<u64, Used>,
}

/// Values are compared by 64 bits of hash, in which all whole numbers differ; of all other pairs that are remembered at one
/// time, one in 2^32 histories would mistake one.
fn key(resource: Name, value: &Value) -> u64 {
    FxBuildHasher.hash_one((resource, value))
}

#[derive(Debug, Clone)]
struct Used {
    by: OpId,
    client: Name,
    at: Nanos,
    /// Writes in flight that may bring the value back.
    pending: u32,
    /// Whether one did, or may have.
    anew: bool,
}

impl Property for LostUpdate {
    fn wants(&self) -> Facts {
        facts::invoked(OpKind::Write) | facts::done(OpKind::Write)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        let written = || now.done().filter(|done| done.op.kind == OpKind::Write);
        written().filter(|done| done.op.at < now.at).for_each(|done| self.wrote(done));
        for done in written().filter(|done| done.outcome == Outcome::Ok) {
            self.judge(now, done, found);
        }
        for op in now.invoked().filter(|op| op.kind == OpKind::Write) {
            if let Some(used) = self.used_of(op.target, op.value.as_ref()) {
                used.pending += 1;
            }
        }
        written().filter(|done| done.op.at == now.at).for_each(|done| self.wrote(done));
    }
}

impl LostUpdate {
    fn used_of(&mut self, resource: Name, value: Option<&Value>) -> Option<&mut Used> {
        self.used.get_mut(&key(resource, value?))
    }

    /// A write is over: it brought its value back, may have, or did not.
    fn wrote(&mut self, done: &Completed) {
        if let Some(used) = self.used_of(done.op.target, done.op.value.as_ref())
            && used.at <= done.op.at
        {
            used.pending = used.pending.saturating_sub(1);
            used.anew |= done.outcome != Outcome::Fail;
        }
    }

    fn judge(&mut self, now: &Instant<'_>, done: &Completed, found: &mut Found) {
        let Some(base) = &done.op.base else { return };
        if let Some(used) = self.used_of(done.op.target, Some(base)).filter(|used| !used.anew && used.pending == 0) {
            let used = used.clone();
            found.add(Kind::LostUpdate, done.op.target, || draft(now, done, base, &used));
        }
        let used = Used { by: done.op.id, client: done.op.client, at: now.at, pending: 0, anew: false };
        self.used.insert(key(done.op.target, base), used);
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
