//! How events change the leases, and what facts come of them.

use super::extending::Extending;
use super::{Attempt, Grant, Leases, NEVER, Promise, promise};
use crate::Nanos;
use crate::history::{Completion, Event, Observation, Op, OpId, Outcome, What};
use crate::judge::brief::{Begun, Ended, text};
use crate::judge::fact::{Completed, Fact, OpKind, Operation, Seen, Word};
use crate::judge::names::{Name, Names};
use std::sync::Arc;

impl Leases {
    /// Takes an event in, and appends the facts that it means; [`Leases::settle`] appends the rest once all events of its
    /// stamp are in.
    ///
    /// # Errors
    /// The event does not fit the ones before it; with the reason. It is then ignored.
    pub fn see(&mut self, event: &Event, names: &mut Names, facts: &mut Vec<Fact>) -> Result<(), String> {
        let at = event.at;
        match &event.what {
            What::Invoke { client, id, op } => {
                let op = self.operation(at, names.of(client), *id, op, names);
                self.invoke(op, facts)
            }
            What::Done(done) => {
                let op = self.take(done.id, |client| names.text(client) == done.client, &done.client, names)?;
                self.done(completed(op, at, done), facts);
                Ok(())
            }
            What::Lost { client, lock } => {
                let (client, lock) = (names.of(client), names.of(lock));
                self.lost.push((client, lock));
                Ok(())
            }
            What::Gone { client } => {
                let client = names.of(client);
                self.gone.insert(client);
                let mut grants: Vec<OpId> = self
                    .locks
                    .values()
                    .flat_map(|lock| &lock.open)
                    .copied()
                    .filter(|id| self.grants[id].client == client)
                    .collect();
                grants.sort_unstable();
                grants.into_iter().for_each(|grant| self.close(grant, at));
                facts.push(Fact::Gone(client));
                Ok(())
            }
            What::Fault(fault) => {
                facts.push(Fact::Fault(fault.clone()));
                Ok(())
            }
            What::Observe(Observation { lock, from, holder, keys }) => {
                let lock = names.of(lock);
                self.lock(lock);
                facts.push(Fact::Observed(Seen {
                    lock,
                    from: *from,
                    holder: holder.as_deref().map(Arc::from),
                    keys: keys.clone(),
                }));
                Ok(())
            }
            What::Phase(phase) => {
                facts.push(Fact::Phase(phase.clone()));
                Ok(())
            }
        }
    }

    fn operation(&mut self, at: Nanos, client: Name, id: OpId, op: &Op, names: &mut Names) -> Operation {
        let bare = |kind, target, grant| Operation {
            id,
            client,
            at,
            kind,
            target,
            grant,
            ttl_ms: None,
            value: None,
            base: None,
            fence: None,
        };
        match op {
            Op::Acquire { lock, ttl_ms } => Operation { ttl_ms: *ttl_ms, ..bare(OpKind::Acquire, names.of(lock), None) },
            Op::Extend { lock, grant, ttl_ms } => {
                let lock = names.of(lock);
                Operation { ttl_ms: *ttl_ms, ..bare(OpKind::Extend, lock, self.which(*grant, client, lock)) }
            }
            Op::Release { lock, grant } => {
                let lock = names.of(lock);
                bare(OpKind::Release, lock, self.which(*grant, client, lock))
            }
            Op::Check { lock, grant } => {
                let lock = names.of(lock);
                bare(OpKind::Check, lock, self.which(*grant, client, lock))
            }
            Op::Read { resource, grant } => bare(OpKind::Read, names.of(resource), *grant),
            Op::Write { resource, grant, value, base, fence } => Operation {
                value: Some(value.clone()),
                base: base.clone(),
                fence: *fence,
                ..bare(OpKind::Write, names.of(resource), *grant)
            },
        }
    }

    /// The grant that is named, else the client's latest that is open.
    fn which(&self, named: Option<OpId>, client: Name, lock: Name) -> Option<OpId> {
        named.or_else(|| self.open(lock).filter(|grant| grant.client == client).map(|grant| grant.id).last())
    }

    fn invoke(&mut self, op: Operation, facts: &mut Vec<Fact>) -> Result<(), String> {
        let is_grant = op.kind == OpKind::Acquire && self.grant(op.id).is_some();
        if is_grant || self.pending.contains_key(&op.id) {
            return Err(format!("operation {} is invoked again", op.id));
        }
        if op.kind.is_of_lock() {
            let ttl_ms = op.ttl_ms.unwrap_or(0);
            let lock = self.lock(op.target);
            lock.longest_ttl_ms = lock.longest_ttl_ms.max(ttl_ms);
        }
        match op.kind {
            OpKind::Release => {
                if let Some(grant) = self.own(&op).map(|grant| grant.id) {
                    self.close(grant, op.at);
                }
            }
            OpKind::Extend => {
                let ttl = self.ttl_ms(&op).map_or(NEVER, |ms| ms.saturating_mul(1_000_000));
                let renewed = self.terms(op.target).renewed;
                if let Some(grant) = self.own(&op) {
                    grant.extending.begin(op.id, op.at, ttl);
                    if !renewed {
                        grant.cut(op.at.saturating_add(ttl));
                    }
                }
            }
            _ => {}
        }
        let op = Arc::new(op);
        self.pending.insert(op.id, op.clone());
        facts.push(Fact::Invoked(op));
        Ok(())
    }

    /// The grant under which a client acts, if it is its own.
    fn own(&mut self, op: &Operation) -> Option<&mut Grant> {
        self.grant_mut(op.grant?).filter(|grant| grant.client == op.client)
    }

    fn ttl_ms(&self, op: &Operation) -> Option<u64> {
        op.ttl_ms.or(self.terms(op.target).ttl_ms)
    }

    /// Takes in that an operation is invoked, as [`Leases::see`] does.
    ///
    /// # Errors
    /// As there.
    pub fn begun(&mut self, begun: &Begun, names: &[Name], facts: &mut Vec<Fact>) -> Result<(), String> {
        let (client, target) = (names[begun.client as usize], names[begun.target as usize]);
        let grant = match begun.kind {
            OpKind::Extend | OpKind::Release | OpKind::Check => self.which(begun.grant, client, target),
            OpKind::Acquire | OpKind::Read | OpKind::Write => begun.grant,
        };
        let value = (begun.kind == OpKind::Write).then(|| begun.value.clone());
        let op = Operation {
            id: begun.id,
            client,
            at: begun.at,
            kind: begun.kind,
            target,
            grant,
            ttl_ms: None,
            value,
            base: None,
            fence: None,
        };
        self.invoke(op, facts)
    }

    /// Takes in that an operation is over, as [`Leases::see`] does.
    ///
    /// # Errors
    /// As there.
    pub fn ended(&mut self, ended: &Ended, numbered: &[Name], names: &Names, facts: &mut Vec<Fact>) -> Result<(), String> {
        let client = numbered[ended.client as usize];
        let op = self.take(ended.id, |invoker| invoker == client, names.text(client), names)?;
        let done = Completed {
            op,
            outcome: ended.outcome,
            at: ended.at,
            told_at: None,
            token: ended.token.as_ref().map(text),
            reissued: None,
            fence: None,
            valid_for_ms: None,
            valid_until: ended.valid_until,
            value: ended.value.clone(),
            fenced_by: None,
            error: false,
        };
        self.done(done, facts);
        Ok(())
    }

    /// The pending operation that this client ends.
    fn take(
        &mut self,
        id: OpId,
        is_invoker: impl FnOnce(Name) -> bool,
        client: &str,
        names: &Names,
    ) -> Result<Arc<Operation>, String> {
        match self.pending.remove(&id) {
            None => Err(format!("operation {id} ends without having been invoked")),
            Some(op) if !is_invoker(op.client) => {
                let why = format!("operation {id} was invoked by {} and is ended by {client}", names.text(op.client));
                self.pending.insert(op.id, op);
                Err(why)
            }
            Some(op) => Ok(op),
        }
    }

    fn done(&mut self, mut done: Completed, facts: &mut Vec<Fact>) {
        match (done.op.kind, done.outcome) {
            (OpKind::Acquire, outcome) => {
                done.reissued = self.attempted(&done);
                self.acquired(&done, outcome, facts);
            }
            (OpKind::Extend, outcome) => self.extended(&done, outcome, facts),
            (OpKind::Release, Outcome::Ok) => self.released(&done),
            _ => {}
        }
        if done.denies_holding()
            && let Some(grant) = self.own(&done.op).map(|grant| grant.id)
        {
            self.tell(grant, done.at, Word::Asked, facts);
        }
        facts.push(Fact::Done(done));
    }

    /// Remembers how an acquire ended; the last grant of another client with the same token.
    fn attempted(&mut self, done: &Completed) -> Option<Attempt> {
        let attempt = Attempt { id: done.op.id, client: done.op.client, since: done.at };
        self.attempts.ended(done.op.target, done.token.as_ref(), done.outcome, attempt)
    }

    fn acquired(&mut self, done: &Completed, outcome: Outcome, facts: &mut Vec<Fact>) {
        let (op, at) = (&done.op, done.at);
        if outcome != Outcome::Ok {
            return;
        }
        // What the same client held before and what is over is replaced by this grant.
        let replaced: Vec<OpId> =
            self.open(op.target).filter(|old| old.client == op.client && old.end <= at).map(|old| old.id).collect();
        replaced.into_iter().for_each(|old| self.close(old, at));

        let promise = promise(done, self.ttl_ms(op), self.terms(op.target).renewed);
        let (Promise::Until(end) | Promise::Spent(end) | Promise::Claim(_, end)) = promise;
        let grant = Grant {
            id: op.id,
            client: op.client,
            lock: op.target,
            token: done.token.clone(),
            fence: done.fence,
            invoked: op.at,
            granted: at,
            tenure: op.id,
            start: at,
            end,
            closed: false,
            given_back: false,
            extending: Extending::default(),
        };
        self.grants.insert(op.id, grant);
        self.lock(op.target).open.push(op.id);
        if self.is_gone(op.client) {
            self.close(op.id, at);
        } else {
            begin(op.id, promise, facts);
        }
    }

    fn extended(&mut self, done: &Completed, outcome: Outcome, facts: &mut Vec<Fact>) {
        let renewed = self.terms(done.op.target).renewed;
        let promise = promise(done, self.ttl_ms(&done.op), renewed);
        let says_until_when = !renewed && (done.valid_until.is_some() || done.valid_for_ms.is_some());
        let Some(grant) = self.own(&done.op) else { return };
        let left = grant.extending.end(done.op.id, done.at, outcome);
        let most = if renewed { NEVER } else { left };
        if outcome != Outcome::Ok || grant.closed {
            return;
        }
        let runs = grant.start < grant.end && done.at <= grant.end;
        match promise {
            Promise::Until(end) if runs && says_until_when => grant.end = end.min(most).max(done.at),
            Promise::Until(end) if runs => grant.end = grant.end.max(end.min(most)),
            Promise::Until(end) if done.at < most => {
                (grant.start, grant.end) = (done.at, end.min(most));
                begin(grant.id, promise, facts);
            }
            Promise::Claim(..) if !(runs && done.at < grant.end) => begin(grant.id, promise, facts),
            Promise::Until(_) | Promise::Claim(..) | Promise::Spent(_) => {}
        }
        if says_until_when && !matches!(promise, Promise::Until(_)) {
            grant.cut(done.at);
        }
    }

    fn released(&mut self, done: &Completed) {
        let Some(grant) = self.own(&done.op).filter(|grant| !grant.given_back) else { return };
        grant.given_back = true;
        let (id, lock, client, token) = (grant.id, grant.lock, grant.client, grant.token.clone());
        self.attempts.given_back(lock, client, token.as_ref(), id, done.at);
    }

    pub(super) fn tell(&mut self, grant: OpId, at: Nanos, word: Word, facts: &mut Vec<Fact>) {
        if let Some(grant) = self.grant_mut(grant) {
            grant.cut(at);
            facts.push(Fact::Told(grant.id, word));
        }
    }
}

fn completed(op: Arc<Operation>, at: Nanos, done: &Completion) -> Completed {
    Completed {
        op,
        outcome: done.outcome,
        at,
        told_at: done.told_at,
        token: done.token.as_deref().map(Arc::from),
        reissued: None,
        fence: done.fence,
        valid_for_ms: done.valid_for_ms,
        valid_until: done.valid_until,
        value: done.value.clone(),
        fenced_by: done.fenced_by,
        error: done.error.is_some(),
    }
}

fn begin(grant: OpId, promise: Promise, facts: &mut Vec<Fact>) {
    match promise {
        Promise::Until(_) => facts.push(Fact::Leased(grant)),
        Promise::Claim(told, over) => facts.push(Fact::Claimed { grant, told, over }),
        Promise::Spent(_) => {}
    }
}
