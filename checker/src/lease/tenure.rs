//! Tenures: whole holdings of a reentrant lock by one client, from the outermost grant to the last release.
//!
//! A grant begins a new tenure if, when its acquire was invoked, the client certainly held the lock through no other: every
//! acquire that it had invoked before was refused, or was granted and certainly given back, by a release that was answered
//! `ok` before then. An acquire in flight or of unknown outcome may have taken the lock, a release of unknown outcome may not
//! have given it back, and how often a lock that outlives its lease may be entered again nobody can know: all of these nest.

use crate::Nanos;
use crate::history::{Header, OpId, Outcome};
use crate::judge::fact::{Fact, OpKind, Operation};
use crate::judge::names::{Name, Names};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many holds of one tenure are told apart; one that is nested deeper is taken to last for ever.
const DEPTH: usize = 1 << 8;

/// The tenures that may not be over.
#[derive(Debug, Default)]
pub(super) struct Tenures {
    reentrant: FxHashSet<Name>,
    running: FxHashMap<(Name, Name), Tenure>,
}

#[derive(Debug)]
struct Tenure {
    /// The acquire that began it, by which it is named.
    first: OpId,
    /// Acquires through which the client may hold the lock.
    holds: Vec<OpId>,
    /// Whether there were too many.
    too_deep: bool,
}

impl Tenures {
    /// Of the locks that the header calls reentrant.
    pub(super) fn new(header: &Header, names: &mut Names) -> Self {
        let reentrant = header.locks.iter().filter(|(_, terms)| terms.reentrant).map(|(lock, _)| names.of(lock)).collect();
        Tenures { reentrant, running: FxHashMap::default() }
    }

    /// Takes in everything that happened at one instant. Returns the tenure of each grant of it.
    pub(super) fn settle(&mut self, at: Nanos, facts: &[Fact]) -> Vec<(OpId, OpId)> {
        let mut granted = Vec::new();
        if self.reentrant.is_empty() {
            return granted;
        }
        // In the order that equal stamps leave: what is over, what begins, what begins and ends at once.
        self.over(facts, |op| op.at < at, &mut granted);
        for fact in facts {
            if let Fact::Invoked(op) = fact
                && op.kind == OpKind::Acquire
                && self.reentrant.contains(&op.target)
            {
                let new = || Tenure { first: op.id, holds: Vec::new(), too_deep: false };
                let tenure = self.running.entry((op.target, op.client)).or_insert_with(new);
                match tenure.holds.len() < DEPTH {
                    true => tenure.holds.push(op.id),
                    false => tenure.too_deep = true,
                }
            }
        }
        self.over(facts, |op| op.at == at, &mut granted);
        granted
    }

    fn over(&mut self, facts: &[Fact], which: impl Fn(&Operation) -> bool, granted: &mut Vec<(OpId, OpId)>) {
        let done = || {
            let done = facts.iter().filter_map(|fact| match fact {
                Fact::Done(done) => Some(done),
                _ => None,
            });
            done.filter(|done| which(&done.op))
        };
        for done in done().filter(|done| done.op.kind == OpKind::Acquire && done.outcome == Outcome::Ok) {
            granted.extend(self.running.get(&(done.op.target, done.op.client)).map(|tenure| (done.op.id, tenure.first)));
        }
        for done in done() {
            let over = match (done.op.kind, done.outcome) {
                (OpKind::Acquire, Outcome::Fail) => Some(done.op.id),
                (OpKind::Release, Outcome::Ok) => done.op.grant,
                _ => None,
            };
            let key = (done.op.target, done.op.client);
            if let (Some(over), Some(tenure)) = (over, self.running.get_mut(&key)) {
                tenure.holds.retain(|hold| *hold != over);
                if tenure.holds.is_empty() && !tenure.too_deep {
                    self.running.remove(&key);
                }
            }
        }
    }
}
