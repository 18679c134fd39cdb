//! What each kind of finding means, written down again from its definition and decided in the dullest way.
//!
//! Nothing here is shared with the judge but the types of a history.

mod data;
mod leases;
mod locks;
mod store;
mod tokens;

use crate::story::History;
use checker::finding::{Finding, Kind};
use checker::history::{Completion, LockTerms, Op, OpId, Outcome, What};
use std::collections::{BTreeMap, BTreeSet};

pub use data::explainable;
pub use leases::Grant;

/// A wrong: its kind, its lock or resource, and what tells it from others of its kind.
pub type Wrong = (Kind, String, String);

/// One operation with its end.
#[derive(Debug, Clone)]
pub struct Done {
    pub id: OpId,
    pub client: String,
    pub op: Op,
    pub from: u64,
    /// When and how it ended; none if it never did.
    pub end: Option<(u64, Completion)>,
}

impl Done {
    pub fn is(&self, outcome: Outcome) -> bool {
        self.end.as_ref().is_some_and(|(_, done)| done.outcome == outcome)
    }

    pub fn until(&self) -> Option<u64> {
        self.end.as_ref().map(|(at, _)| *at)
    }

    pub fn lock(&self) -> Option<&str> {
        match &self.op {
            Op::Acquire { lock, .. } | Op::Extend { lock, .. } | Op::Release { lock, .. } | Op::Check { lock, .. } => Some(lock),
            Op::Read { .. } | Op::Write { .. } => None,
        }
    }

    pub fn grant(&self) -> Option<OpId> {
        match &self.op {
            Op::Acquire { .. } => None,
            Op::Extend { grant, .. }
            | Op::Release { grant, .. }
            | Op::Check { grant, .. }
            | Op::Read { grant, .. }
            | Op::Write { grant, .. } => *grant,
        }
    }

    /// Whether it was certainly before the other.
    pub fn before(&self, other: &Done) -> bool {
        self.until().is_some_and(|until| until <= other.from) && self.from < other.from
    }
}

/// Everything that definitions speak of.
pub struct Facts<'h> {
    pub history: &'h History,
    pub ops: Vec<Done>,
    pub grants: Vec<Grant>,
}

impl<'h> Facts<'h> {
    pub fn new(history: &'h History) -> Self {
        let mut ops: BTreeMap<OpId, Done> = BTreeMap::new();
        for event in &history.events {
            match &event.what {
                What::Invoke { client, id, op } => {
                    ops.insert(*id, Done { id: *id, client: client.clone(), op: op.clone(), from: event.at, end: None });
                }
                What::Done(done) => {
                    if let Some(op) = ops.get_mut(&done.id) {
                        op.end = Some((event.at, done.clone()));
                    }
                }
                _ => {}
            }
        }
        let mut facts = Facts { history, ops: ops.into_values().collect(), grants: Vec::new() };
        facts.grants = facts.ops.iter().filter_map(|op| leases::grant(&facts, op)).collect();
        facts
    }

    pub fn terms(&self, lock: &str) -> LockTerms {
        self.history.header.locks.get(lock).cloned().unwrap_or_default()
    }

    pub fn grant_of(&self, op: &Done) -> Option<&Grant> {
        let id = op.grant()?;
        self.grants.iter().find(|grant| grant.id == id)
    }

    /// The grant under which its own client acts.
    pub fn own(&self, op: &Done) -> Option<&Grant> {
        self.grant_of(op).filter(|grant| grant.client == op.client)
    }

    /// Which holding a grant is part of, counted by those that its client had begun when it asked: it begins one when it certainly
    /// held the lock through no other acquire. Only reentrant locks are held more than once.
    pub fn tenure(&self, grant: &Grant) -> (usize, Option<OpId>) {
        if !self.terms(&grant.lock).reentrant {
            return (0, Some(grant.id));
        }
        let acquires = || {
            let own = self.ops.iter().filter(|op| op.client == grant.client && op.lock() == Some(&grant.lock));
            own.filter(|op| matches!(op.op, Op::Acquire { .. }))
        };
        let over = |acquire: &Done, by: &Done| {
            let given_back =
                |op: &&Done| matches!(op.op, Op::Release { .. }) && op.grant() == Some(acquire.id) && op.client == acquire.client;
            let refused = acquire.is(Outcome::Fail) && acquire.before(by);
            refused || self.ops.iter().filter(given_back).any(|release| release.is(Outcome::Ok) && release.before(by))
        };
        let begins: BTreeSet<u64> = acquires()
            .filter(|new| new.from <= grant.invoked)
            .filter(|new| acquires().filter(|other| other.from < new.from).all(|other| over(other, new)))
            .map(|new| new.from)
            .collect();
        (begins.len(), None)
    }

    /// How many clients but this one certainly hold the lock then.
    pub fn others_hold(&self, lock: &str, client: &str, at: u64) -> usize {
        let holds = |grant: &&Grant| grant.lock == lock && grant.client != client && grant.holds(at);
        self.grants.iter().filter(holds).map(|grant| &grant.client).collect::<BTreeSet<_>>().len()
    }
}

/// Everything that is wrong, but lost updates: see [`explainable`].
pub fn wrongs(history: &History) -> BTreeSet<Wrong> {
    let facts = Facts::new(history);
    let mut all = BTreeSet::new();
    locks::wrongs(&facts, &mut all);
    tokens::wrongs(&facts, &mut all);
    store::wrongs(&facts, &mut all);
    data::wrongs(&facts, &mut all);
    all
}

/// A finding as a wrong.
pub fn wrong_of(finding: &Finding) -> Wrong {
    let first = || finding.events.first().map_or(String::new(), ToString::to_string);
    let mut clients = finding.clients.clone();
    clients.sort();
    clients.dedup();
    let what = match finding.kind {
        Kind::TwoHolders => clients.join(" "),
        Kind::Ownership => finding.events[2].to_string(),
        Kind::OverLimit | Kind::TokenReuse | Kind::Leak | Kind::Immortal | Kind::Stuck | Kind::Oversold | Kind::NotConserved => {
            String::new()
        }
        _ => first(),
    };
    (finding.kind, finding.lock.clone(), what)
}
