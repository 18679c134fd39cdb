//! Certain leases.

use super::{Done, Facts};
use checker::history::{Completion, Op, OpId, Outcome, Value, What};
use std::collections::BTreeSet;

pub const NEVER: u64 = u64::MAX;

/// A part of a certain lease, from its start to before its end; empty where the end is not later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stretch {
    pub start: u64,
    pub end: u64,
}

/// What an `ok` after the end of its validity claims: to hold at some time of the closed interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    pub from: u64,
    pub until: u64,
}

#[derive(Debug, Clone)]
pub struct Grant {
    pub id: OpId,
    pub client: String,
    pub lock: String,
    pub invoked: u64,
    pub granted: u64,
    pub token: Option<String>,
    pub fence: Option<u64>,
    pub stretches: Vec<Stretch>,
    pub claims: Vec<Claim>,
    /// When it was given back at the very stamp at which a stretch that had time to run began: it held at that instant.
    pub instants: Vec<u64>,
    /// When its client was told that it lost it, and whether it had asked.
    pub told: Vec<(u64, bool)>,
    /// When it was given back, replaced by another grant of its client when it was over, or its client died.
    pub closed: Option<u64>,
}

impl Grant {
    pub fn holds(&self, at: u64) -> bool {
        self.stretches.iter().any(|stretch| stretch.start <= at && at < stretch.end)
    }

    /// The last stretch that has begun by then.
    pub fn last(&self, at: u64) -> Option<Stretch> {
        self.stretches.iter().copied().rfind(|stretch| stretch.start <= at)
    }

    pub fn was_over(&self, at: u64) -> bool {
        self.last(at).is_some_and(|last| last.end < at)
    }

    /// Whether it was neither given back nor replaced then.
    pub fn is_open(&self, at: u64) -> bool {
        self.closed.is_none_or(|closed| closed > at)
    }

    pub fn real(&self) -> impl Iterator<Item = Stretch> + '_ {
        self.stretches.iter().copied().filter(|stretch| stretch.start < stretch.end)
    }
}

enum Promise {
    Holds(u64),
    Spent(u64),
    Claims(u64, u64),
}

/// The end that an answer promises: what the client announced, else what the library reported, else the TTL, else none.
fn promise(op: &Done, at: u64, done: &Completion, ttl_ms: Option<u64>, renewed: bool) -> Promise {
    let after = |ms: u64| op.from.saturating_add(ms.saturating_mul(1_000_000));
    let told = done.told_at.unwrap_or(at).min(at);
    let (end, claims) = match (renewed, done.valid_until, done.valid_for_ms) {
        (true, ..) => (NEVER, false),
        // Only the client's own stamp can show that it was told too late.
        (_, Some(until), _) => (until, done.told_at.is_some() && until <= told),
        (_, None, Some(ms)) => (after(ms.max(0) as u64), ms <= 0),
        (_, None, None) => (ttl_ms.map_or(NEVER, after), told >= ttl_ms.map_or(NEVER, after)),
    };
    match (end > at, claims) {
        (true, _) => Promise::Holds(end),
        (_, true) => Promise::Claims(told, end),
        _ => Promise::Spent(end),
    }
}

fn ttl_of(facts: &Facts<'_>, op: &Done) -> Option<u64> {
    let asked = match &op.op {
        Op::Acquire { ttl_ms, .. } | Op::Extend { ttl_ms, .. } => *ttl_ms,
        _ => None,
    };
    asked.or(facts.terms(op.lock().unwrap_or_default()).ttl_ms)
}

/// The grant that an acquire is, if it is one, with all that became of its lease.
pub fn grant(facts: &Facts<'_>, acquire: &Done) -> Option<Grant> {
    let Op::Acquire { lock, .. } = &acquire.op else { return None };
    let (granted, done) = acquire.end.as_ref().filter(|(_, done)| done.outcome == Outcome::Ok)?;
    let mut grant = Grant {
        id: acquire.id,
        client: acquire.client.clone(),
        lock: lock.clone(),
        invoked: acquire.from,
        granted: *granted,
        token: done.token.clone(),
        fence: done.fence,
        stretches: Vec::new(),
        claims: Vec::new(),
        instants: Vec::new(),
        told: Vec::new(),
        closed: None,
    };
    let (mut is_granted, mut is_dead, mut begun) = (false, false, BTreeSet::new());
    // Of events of one stamp a loss that nobody asked for may have come last.
    let mut events: Vec<_> = facts.history.events.iter().collect();
    events.sort_by_key(|event| (event.at, matches!(event.what, What::Lost { .. })));
    for event in events {
        let at = event.at;
        let op = |id: OpId| facts.ops.iter().find(|op| op.id == id);
        match &event.what {
            What::Done(done) if done.id == grant.id => {
                is_granted = true;
                match promise(acquire, at, done, ttl_of(facts, acquire), facts.terms(lock).renewed) {
                    Promise::Holds(end) => {
                        grant.stretches.push(Stretch { start: at, end });
                        begun.insert(at);
                    }
                    Promise::Spent(end) => grant.stretches.push(Stretch { start: at, end }),
                    Promise::Claims(from, end) => {
                        grant.stretches.push(Stretch { start: at, end });
                        if !is_dead {
                            grant.claims.push(Claim { from, until: at });
                        }
                    }
                }
                if is_dead {
                    close(&mut grant, at);
                }
            }
            What::Gone { client } if *client == grant.client => {
                is_dead = true;
                if is_granted {
                    close(&mut grant, at);
                }
            }
            _ if !is_granted => {}
            What::Invoke { id, .. } => {
                let Some(op) = op(*id).filter(|op| op.client == grant.client) else { continue };
                let about_this = op.grant() == Some(grant.id);
                match &op.op {
                    Op::Release { .. } if about_this => {
                        close(&mut grant, at);
                        grant.instants.extend(begun.contains(&at).then_some(at));
                    }
                    Op::Extend { .. } if about_this && !facts.terms(lock).renewed => {
                        if let Some(ttl_ms) = ttl_of(facts, op) {
                            cut(&mut grant, at.saturating_add(ttl_ms.saturating_mul(1_000_000)));
                        }
                    }
                    _ => {}
                }
            }
            What::Lost { client, lock } if *client == grant.client && *lock == grant.lock && grant.is_open(at) => {
                cut(&mut grant, at);
                grant.told.push((at, false));
            }
            What::Done(done) => {
                let Some(op) = op(done.id).filter(|op| op.client == grant.client) else { continue };
                let about_this = op.grant() == Some(grant.id);
                match (&op.op, done.outcome) {
                    (Op::Acquire { lock, .. }, Outcome::Ok)
                        if *lock == grant.lock
                            && grant.closed.is_none()
                            && grant.stretches.last().is_some_and(|last| last.end <= at) =>
                    {
                        close(&mut grant, at);
                    }
                    (Op::Extend { .. }, Outcome::Ok) if about_this && grant.closed.is_none() => {
                        let renewed = facts.terms(lock).renewed;
                        let most = if renewed { NEVER } else { left_by_others(facts, op) };
                        let is_told = !renewed && (done.valid_until.is_some() || done.valid_for_ms.is_some());
                        let before = grant.stretches.len();
                        extended(&mut grant, at, promise(op, at, done, ttl_of(facts, op), renewed), most, is_told);
                        begun.extend((grant.stretches.len() > before).then_some(at));
                    }
                    (Op::Extend { .. } | Op::Release { .. } | Op::Check { .. }, _) if about_this && denies(op, done) => {
                        cut(&mut grant, at);
                        grant.told.push((at, true));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let ends = |at: u64| {
        let ends = |what: &What| match what {
            What::Gone { client } => *client == grant.client,
            What::Lost { client, lock } => (client, lock) == (&grant.client, &grant.lock),
            _ => false,
        };
        facts.history.events.iter().any(|event| event.at == at && ends(&event.what))
    };
    grant.instants.retain(|at| grant.told.iter().all(|(told, _)| told != at) && !ends(*at));
    Some(grant)
}

fn denies(op: &Done, done: &Completion) -> bool {
    let says_no = done.outcome == Outcome::Ok && done.value == Some(Value::Bool(false));
    done.outcome == Outcome::Fail || (matches!(op.op, Op::Check { .. }) && says_no)
}

fn cut(grant: &mut Grant, at: u64) {
    if let Some(last) = grant.stretches.last_mut() {
        last.end = last.end.min(at);
    }
}

fn close(grant: &mut Grant, at: u64) {
    cut(grant, at);
    grant.closed.get_or_insert(at);
}

/// What other extensions of the grant leave of what this one promises, if they take effect after it: those that were in flight when it
/// was invoked or of unknown outcome, and those that were invoked before it was answered.
fn left_by_others(facts: &Facts<'_>, extension: &Done) -> u64 {
    let line = |id: OpId, invoked: bool| {
        facts.history.events.iter().position(|event| match &event.what {
            What::Invoke { id: other, .. } => invoked && *other == id,
            What::Done(done) => !invoked && done.id == id,
            _ => false,
        })
    };
    let of_grant = |op: &&Done| {
        matches!(op.op, Op::Extend { .. })
            && op.id != extension.id
            && op.client == extension.client
            && op.grant() == extension.grant()
    };
    let may_follow = |op: &&Done| {
        let open = op.is(Outcome::Info) || line(op.id, false).is_none_or(|end| Some(end) > line(extension.id, true));
        open && line(op.id, true) < line(extension.id, false)
    };
    let left = |op: &Done| ttl_of(facts, op).map(|ms| op.from.max(extension.from).saturating_add(ms.saturating_mul(1_000_000)));
    facts.ops.iter().filter(of_grant).filter(may_follow).filter_map(left).min().unwrap_or(NEVER)
}

/// An extension is answered with a yes: what it says of the end, if it says anything, replaces what was promised.
fn extended(grant: &mut Grant, at: u64, promise: Promise, most: u64, is_told: bool) {
    let Some(last) = grant.stretches.last_mut() else { return };
    let runs = last.start < last.end && at <= last.end;
    match promise {
        Promise::Holds(end) if runs && is_told => last.end = at.max(end.min(most)),
        Promise::Holds(end) if runs => last.end = last.end.max(end.min(most)),
        Promise::Holds(end) if at < most => grant.stretches.push(Stretch { start: at, end: end.min(most) }),
        Promise::Claims(from, _) if !(runs && at < last.end) => grant.claims.push(Claim { from, until: at }),
        _ => {}
    }
    if is_told && matches!(promise, Promise::Claims(..) | Promise::Spent(_)) {
        cut(grant, at);
    }
}
