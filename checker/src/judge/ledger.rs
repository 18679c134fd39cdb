//! What is known of operations, grants and leases at one moment of a history: the facts that properties are about.

use crate::Nanos;
use crate::history::{Completion, Event, Header, LockTerms, Op, OpId, Outcome, What};
use crate::judge::lease::{self, Lease};
use crate::judge::quick::ById;
use std::collections::{BTreeMap, VecDeque};

/// How many grants are remembered after their release was answered. An act under an older one is not recognised; a client that acts under a
/// grant which it gave back so long ago is none that a lock could help.
const REMEMBERED: usize = 1 << 12;

/// How many refused attempts of a lock are remembered.
const REFUSED: usize = 64;

/// An operation that was invoked and has not ended.
#[derive(Debug, Clone)]
pub struct Pending {
    /// Its name.
    pub id: OpId,
    /// Whose it is.
    pub client: String,
    /// What it is.
    pub op: Op,
    /// When it was invoked.
    pub invoked: Nanos,
}

/// A grant: an acquire that was answered yes.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The id of its acquire.
    pub id: OpId,
    /// Its owner.
    pub client: String,
    /// Of which lock.
    pub lock: String,
    /// When the acquire was invoked.
    pub invoked: Nanos,
    /// When it was answered.
    pub granted: Nanos,
    /// What identifies it in the store.
    pub token: Option<String>,
    /// Its fencing token.
    pub fence: Option<u64>,
    /// The certain lease, or that of its last extension.
    pub lease: Lease,
    /// When the certain lease ended before its promise did: released, told of the loss, or dead.
    pub cut: Option<Nanos>,
    /// How its release ended, once it was answered.
    pub release: Option<Outcome>,
    /// Whether its client is dead.
    pub orphan: bool,
}

impl Grant {
    /// When its certain lease, or that of its last extension, ends as far as is known: what was promised, or the cut if that came earlier. None: not yet.
    pub fn end(&self) -> Option<Nanos> {
        let promised = match self.lease {
            Lease::Empty => Some(self.granted),
            Lease::Point(at) => Some(at),
            Lease::Span { until, .. } => until,
        };
        match (promised, self.cut) {
            (Some(promised), Some(cut)) => Some(promised.min(cut)),
            (promised, cut) => promised.or(cut),
        }
    }

    /// Whether the certain lease contains the instant, its borders excluded.
    pub fn holds_at(&self, at: Nanos) -> bool {
        matches!(self.lease, Lease::Span { from, .. } if from < at) && self.end().is_none_or(|end| at < end)
    }
}

/// An acquire that was answered no.
#[derive(Debug, Clone)]
pub struct Refused {
    /// Its id.
    pub id: OpId,
    /// Whose it was.
    pub client: String,
    /// What identifies the attempt in the store.
    pub token: String,
    /// When it was invoked.
    pub invoked: Nanos,
    /// When it was answered.
    pub at: Nanos,
}

/// Something that a property may want to look at. Facts of one stamp come in the order of these variants, whatever the order of their lines,
/// so that the order of lines of equal time changes nothing.
#[derive(Debug)]
pub enum Fact<'a> {
    /// A certain lease ended before its promise did.
    Cut(&'a Grant, Cut),
    /// An operation was invoked.
    Invoked(&'a Pending),
    /// An operation ended, other than an acquire that was granted.
    Ended(&'a Pending, &'a Completion),
    /// An acquire was granted.
    Granted(&'a Pending, &'a Completion, &'a Grant),
    /// A grant was extended; the lease is the new one.
    Extended(&'a Pending, &'a Completion, &'a Grant),
    /// Anything else: a fault, an observation, a phase, a loss, a death.
    Other(&'a What),
}

/// What ended a certain lease before its promise did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Its holder began to give it back.
    Release,
    /// Its holder was told that it had lost it.
    Told,
    /// Its holder died.
    Death,
}

/// What is known at one moment.
#[derive(Debug, Default)]
pub struct Ledger {
    /// What the header says of each lock.
    terms: BTreeMap<String, LockTerms>,
    default_terms: LockTerms,
    pending: ById<Pending>,
    grants: ById<Grant>,
    /// By lock: the grants whose certain lease has begun and, as far as is known, not ended.
    active: BTreeMap<String, Vec<OpId>>,
    /// By lock: the last attempts that were refused.
    refused: BTreeMap<String, VecDeque<Refused>>,
    /// Grants whose release was answered, the oldest first.
    over: VecDeque<OpId>,
    /// The stamp of what is looked at.
    pub now: Nanos,
}

impl Ledger {
    /// Nothing is known but the header.
    pub fn new(header: &Header) -> Self {
        Ledger { terms: header.locks.clone(), ..Ledger::default() }
    }

    /// What a lock promises.
    pub fn terms(&self, lock: &str) -> &LockTerms {
        self.terms.get(lock).unwrap_or(&self.default_terms)
    }

    /// A grant, as far as it is remembered.
    pub fn grant(&self, id: OpId) -> Option<&Grant> {
        self.grants.get(&id)
    }

    /// The grants of a lock whose certain lease has begun and not ended.
    pub fn holders(&self, lock: &str) -> impl Iterator<Item = &Grant> {
        let active = self.active.get(lock).map_or(&[][..], Vec::as_slice);
        active.iter().filter_map(|id| self.grants.get(id)).filter(|grant| grant.end().is_none_or(|end| end > self.now))
    }

    /// The grants of a lock that are remembered, given back or not.
    pub fn remembered(&self, lock: &str) -> impl Iterator<Item = &Grant> {
        self.grants.values().filter(move |grant| grant.lock == lock)
    }

    /// The last attempts at a lock that were refused, the oldest first.
    pub fn refused(&self, lock: &str) -> impl Iterator<Item = &Refused> {
        self.refused.get(lock).into_iter().flatten()
    }

    /// Takes in the events of one stamp, and tells each fact.
    pub fn advance(&mut self, events: &[Event], mut tell: impl FnMut(&Ledger, Fact<'_>)) {
        let Some(first) = events.first() else { return };
        self.now = first.at;
        for event in events {
            if let What::Invoke { client, id, op } = &event.what {
                self.pending.insert(*id, Pending { id: *id, client: client.clone(), op: op.clone(), invoked: event.at });
            }
        }
        for event in events {
            self.cut(&event.what, &mut tell);
        }
        for event in events {
            if let What::Invoke { id, .. } = &event.what
                && let Some(pending) = self.pending.get(id)
            {
                tell(self, Fact::Invoked(pending));
            }
        }
        let mut granted = Vec::new();
        for event in events {
            if let What::Done(completion) = &event.what
                && let Some(pending) = self.pending.remove(&completion.id)
            {
                match (&pending.op, completion.outcome) {
                    (Op::Acquire { .. } | Op::Extend { .. }, Outcome::Ok) => granted.push((pending, completion)),
                    _ => {
                        self.answered(&pending, completion);
                        tell(self, Fact::Ended(&pending, completion));
                    }
                }
            }
        }
        // All leases of one stamp begin before any is looked at: whichever line came first, each finds the others.
        for (pending, completion) in &granted {
            self.begin(pending, completion);
        }
        // What ends a lease at the very stamp at which it begins has been passed over above.
        for event in events.iter().filter(|_| !granted.is_empty()) {
            self.cut(&event.what, &mut tell);
        }
        for (pending, completion) in &granted {
            match &pending.op {
                Op::Extend { grant: Some(id), .. } => {
                    if let Some(grant) = self.grants.get(id) {
                        tell(self, Fact::Extended(pending, completion, grant));
                    }
                }
                _ => {
                    if let Some(grant) = self.grants.get(&pending.id) {
                        tell(self, Fact::Granted(pending, completion, grant));
                    }
                }
            }
        }
        for event in events {
            if !matches!(event.what, What::Invoke { .. } | What::Done(_)) {
                tell(self, Fact::Other(&event.what));
            }
        }
    }

    /// Ends the certain leases that an event ends.
    fn cut(&mut self, what: &What, tell: &mut impl FnMut(&Ledger, Fact<'_>)) {
        let now = self.now;
        let (why, ended): (Cut, Vec<OpId>) = match what {
            What::Invoke { op: Op::Release { grant: Some(grant), .. }, .. } => (Cut::Release, vec![*grant]),
            What::Done(completion) if told_of_loss(completion, self.pending.get(&completion.id)) => {
                (Cut::Told, self.pending.get(&completion.id).and_then(|pending| grant_of(&pending.op)).into_iter().collect())
            }
            What::Lost { client, lock } => {
                let held = self.active.get(lock).map_or(&[][..], Vec::as_slice);
                let own = |id: &OpId| self.grants.get(id).is_some_and(|grant| grant.client == *client);
                (Cut::Told, held.iter().copied().filter(own).collect())
            }
            What::Gone { client } => {
                let of_client = |id: &OpId| self.grants.get(id).is_some_and(|grant| grant.client == *client);
                let held: Vec<OpId> = self.active.values().flatten().copied().filter(of_client).collect();
                for grant in self.grants.values_mut().filter(|grant| grant.client == *client) {
                    grant.orphan = true;
                }
                (Cut::Death, held)
            }
            _ => return,
        };
        for id in ended {
            if let Some(grant) = self.grants.get_mut(&id)
                && grant.cut.is_none()
            {
                grant.cut = Some(now);
                let grant = &self.grants[&id];
                tell(self, Fact::Cut(grant, why));
            }
        }
    }

    fn begin(&mut self, pending: &Pending, completion: &Completion) {
        let now = self.now;
        match &pending.op {
            Op::Acquire { lock, ttl_ms } => {
                let lease = lease::granted(pending.invoked, now, *ttl_ms, self.terms(lock), completion);
                let grant = Grant {
                    id: pending.id,
                    client: pending.client.clone(),
                    lock: lock.clone(),
                    invoked: pending.invoked,
                    granted: now,
                    token: completion.token.clone(),
                    fence: completion.fence,
                    lease,
                    cut: None,
                    release: None,
                    orphan: false,
                };
                self.grants.insert(pending.id, grant);
                self.activate(lock, pending.id);
            }
            Op::Extend { lock, grant: Some(id), ttl_ms } => {
                let lease = lease::granted(pending.invoked, now, *ttl_ms, self.terms(lock), completion);
                if let Some(grant) = self.grants.get_mut(id) {
                    let still = grant.end().is_none_or(|end| end > now);
                    grant.lease = match (grant.lease, lease) {
                        // The old lease still held when the new one came: they are one.
                        (Lease::Span { from, .. }, Lease::Span { until, .. }) if still => Lease::Span { from, until },
                        (_, lease) => lease,
                    };
                    self.activate(lock, *id);
                }
            }
            _ => {}
        }
    }

    /// Counts a grant among the holders of its lock, and forgets those whose lease is over.
    fn activate(&mut self, lock: &str, id: OpId) {
        let now = self.now;
        let grants = &self.grants;
        if !self.active.contains_key(lock) {
            self.active.insert(lock.to_string(), Vec::new());
        }
        let Some(active) = self.active.get_mut(lock) else { return };
        active.retain(|held| *held != id && grants.get(held).is_some_and(|grant| grant.end().is_none_or(|end| end > now)));
        active.push(id);
    }

    /// Notes how an acquire was refused, and how a release was answered; after that its grant is remembered only for a while.
    fn answered(&mut self, pending: &Pending, completion: &Completion) {
        match &pending.op {
            Op::Acquire { lock, .. } => {
                let Some(token) = completion.token.as_ref().filter(|_| completion.outcome == Outcome::Fail) else { return };
                if !self.refused.contains_key(lock) {
                    self.refused.insert(lock.clone(), VecDeque::new());
                }
                let Some(refused) = self.refused.get_mut(lock) else { return };
                if refused.len() == REFUSED {
                    refused.pop_front();
                }
                let Pending { id, client, invoked, .. } = pending.clone();
                refused.push_back(Refused { id, client, token: token.clone(), invoked, at: self.now });
            }
            Op::Release { grant: Some(id), .. } => {
                let Some(grant) = self.grants.get_mut(id) else { return };
                grant.release = Some(completion.outcome);
                self.over.push_back(*id);
                if self.over.len() > REMEMBERED
                    && let Some(oldest) = self.over.pop_front()
                {
                    self.grants.remove(&oldest);
                }
            }
            _ => {}
        }
    }
}

/// Under which grant an operation acts.
pub fn grant_of(op: &Op) -> Option<OpId> {
    match op {
        Op::Acquire { .. } => None,
        Op::Extend { grant, .. }
        | Op::Release { grant, .. }
        | Op::Check { grant, .. }
        | Op::Read { grant, .. }
        | Op::Write { grant, .. } => *grant,
    }
}

/// Whether an answer tells its client that it does not hold the lock any more.
pub fn told_of_loss(completion: &Completion, pending: Option<&Pending>) -> bool {
    match pending.map(|pending| &pending.op) {
        Some(Op::Extend { .. }) => completion.outcome == Outcome::Fail,
        Some(Op::Check { .. }) => {
            completion.outcome == Outcome::Ok && completion.value == Some(crate::history::Value::Bool(false))
        }
        _ => false,
    }
}
