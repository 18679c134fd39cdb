//! One client's part of the run: it takes a lock, reads and writes the resource under it, and gives it back, again and again.

use super::asked;
use super::latch::Latch;
use super::nemesis::{Life, Nemesis, Reins};
use super::occurrence::Occurrence;
use super::recorder::Recorder;
use crate::client::{Answer, Ask, Do, Told};
use crate::plan::{Millis, Plan};
use crate::world::{Look, World};
use checker::history::{Completion, Observation, Op, OpId, Outcome, Value, What};
use futures_util::future::Either;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::cell::Cell;
use std::pin::pin;

/// What a driver is doing, as far as it matters to whether anything more will happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It acts, or a timer or an answer will wake it.
    Busy,
    /// It waits for an event of the plan.
    Waiting,
    /// It has finished.
    Done,
}

/// The driver of one client.
pub struct Driver<'a, 'r, W> {
    /// The client's name.
    pub client: String,
    world: &'a W,
    plan: &'a Plan,
    recorder: &'a Recorder<'r>,
    nemesis: &'a Nemesis<'a, 'r, W>,
    reins: &'a Reins,
    waits_at: Cell<Option<&'a Latch>>,
    /// Whether what it does now is the last that it will.
    ends: Cell<bool>,
}

/// A grant that the client believes to hold.
struct Grant {
    lock: u32,
    id: OpId,
    token: String,
    fence: Option<u64>,
}

/// For how many leases a client extends before that counts as waiting.
const LEASES: u64 = 3;

/// The client is dead and does nothing more.
struct Dead;

impl<'a, 'r, W: World> Driver<'a, 'r, W> {
    /// A driver that has not begun.
    pub fn new(
        client: String,
        world: &'a W,
        plan: &'a Plan,
        recorder: &'a Recorder<'r>,
        nemesis: &'a Nemesis<'a, 'r, W>,
    ) -> Self {
        let reins = nemesis.reins(&client);
        Driver { client, world, plan, recorder, nemesis, reins, waits_at: Cell::new(None), ends: Cell::new(false) }
    }

    /// What it is doing. A paused client is waiting, wherever it was stopped; one whose latch was just opened is not, though it does not know yet.
    pub fn state(&self) -> State {
        let reins = self.reins;
        if reins.life.get() != Life::Working {
            State::Done
        } else if !reins.gate.is_open() || self.waits_at.get().is_some_and(|latch| !latch.is_open()) {
            State::Waiting
        } else {
            State::Busy
        }
    }

    /// Does the client's whole work.
    pub async fn drive(&self) {
        // A client that died has done what it will do.
        let life = if self.work().await.is_ok() { Life::Done } else { Life::Dead };
        self.reins.life.set(life);
        self.nemesis.changed.notify_one();
    }

    async fn work(&self) -> Result<(), Dead> {
        let own = self.plan.client(&self.client);
        let workload = &self.plan.workload;
        let cycles = own.and_then(|own| own.cycles).unwrap_or(workload.cycles);
        let hold = own.and_then(|own| own.hold_ms).unwrap_or(workload.hold_ms);
        let extend_every = own.and_then(|own| own.extend_every_ms).or(workload.extend_every_ms);
        let mut extends = own.is_some_and(|own| own.extends.is_some());
        let mut rng = crate::chance::stream(self.plan.seed, &format!("driver of {}", self.client));
        let reins = self.reins;
        self.wait_at(&reins.start).await;
        for cycle in 0..cycles {
            if cycle > 0 {
                self.sleep(workload.think_ms, &mut rng).await;
            }
            let lock = rng.random_range(1..=workload.locks);
            let Some(grant) = self.acquire(lock, &mut rng).await? else { continue };
            let nested = self.nest(lock, workload.depth).await?;
            let base = self.read(&grant).await?;
            if !self.extending(&grant, extend_every, self.sleep(hold, &mut rng)).await? {
                continue;
            }
            if std::mem::take(&mut extends) {
                self.wait_at(&reins.extend).await;
                if !self.extend(&grant).await? {
                    continue;
                }
            }
            self.wait_at(&reins.write).await;
            if self.nemesis.has_lost(&self.client, &Plan::lock_name(lock)) {
                continue;
            }
            if workload.check && !self.check(&grant).await? {
                continue;
            }
            if let Some(base) = base {
                self.write(&grant, base).await?;
            }
            let released = match extend_every {
                Some(_) => Either::Left(self.wait_extending(&reins.release)),
                None => Either::Right(self.wait_at(&reins.release)),
            };
            if self.extending(&grant, extend_every, released).await? {
                for held in nested.iter().rev().chain([&grant]) {
                    self.ends.set(cycle + 1 == cycles && held.id == grant.id);
                    self.release(held).await?;
                }
            }
        }
        Ok(())
    }

    /// Tries until the lock says yes, or patience ends.
    async fn acquire(&self, lock: u32, rng: &mut ChaCha8Rng) -> Result<Option<Grant>, Dead> {
        let own = self.plan.client(&self.client).and_then(|own| own.patience_ms);
        let patience = own.or(self.plan.workload.patience_ms).map(|ms| self.world.now() + ms * 1_000_000);
        loop {
            match self.try_once(lock).await? {
                Some(grant) => return Ok(Some(grant)),
                None if patience.is_some_and(|patience| self.world.now() >= patience) => return Ok(None),
                None if self.plan.lock.waits.is_some() && self.hears_release(lock).await? => {}
                None => self.sleep(self.plan.workload.retry_ms, rng).await,
            }
        }
    }

    /// Tries once; none where the lock does not say yes.
    async fn try_once(&self, lock: u32) -> Result<Option<Grant>, Dead> {
        let name = Plan::lock_name(lock);
        let (op, what) = asked::acquire(self.plan, &name);
        let (id, answer) = self.call(op, what).await?;
        Ok(match answer {
            Answer::Ok(told) => {
                self.nemesis.found(&self.client, &name);
                Some(Grant { lock, id, token: told.token.unwrap_or_default(), fence: told.fence })
            }
            _ => None,
        })
    }

    /// Has the client wait until it hears of a release, or the lease has run out; false where it does not know how to. It is no operation.
    async fn hears_release(&self, lock: u32) -> Result<bool, Dead> {
        self.wait_at(&self.reins.gate).await;
        let what = Do::Await { lock: Plan::lock_name(lock), for_ms: self.plan.lock.ttl_ms };
        match self.world.call(&self.client, Ask { id: self.recorder.next_id(), what }).await {
            Answer::Ok(_) => Ok(true),
            Answer::No(_) | Answer::Unknown(_) => Ok(false),
            Answer::Gone => Err(Dead),
        }
    }

    /// Takes the lock that it holds again, until it holds it so many times; it goes without those that it does not get.
    async fn nest(&self, lock: u32, depth: u32) -> Result<Vec<Grant>, Dead> {
        let mut nested = Vec::new();
        for _ in 1..depth {
            nested.extend(self.try_once(lock).await?);
        }
        Ok(nested)
    }

    /// Reads the resource; none where the plan has none or the read did not succeed.
    async fn read(&self, grant: &Grant) -> Result<Option<Value>, Dead> {
        if self.plan.resource.is_none() {
            return Ok(None);
        }
        let (op, what) = asked::read(&Plan::resource_name(grant.lock), Some(grant.id));
        let (_, answer) = self.call(op, what).await?;
        match answer {
            Answer::Ok(told) => Ok(Some(told.value.unwrap_or_default())),
            _ => Ok(None),
        }
    }

    /// Asks the lock whether the grant holds; what cannot be asked is taken to hold, as most programs do.
    async fn check(&self, grant: &Grant) -> Result<bool, Dead> {
        let lock = Plan::lock_name(grant.lock);
        let op = Op::Check { lock: lock.clone(), grant: Some(grant.id) };
        let (_, answer) = self.call(op, Do::Check { lock, token: grant.token.clone() }).await?;
        Ok(!matches!(answer, Answer::Ok(Told { value: Some(Value::Bool(false)), .. })))
    }

    /// Lets something take its time, and extends the lease every so many milliseconds meanwhile; false where that was refused.
    async fn extending(&self, grant: &Grant, every_ms: Option<u64>, meanwhile: impl Future<Output = ()>) -> Result<bool, Dead> {
        let mut meanwhile = pin!(meanwhile);
        let Some(every_ms) = every_ms else {
            meanwhile.await;
            return Ok(true);
        };
        loop {
            let due = self.world.now() + every_ms * 1_000_000;
            tokio::select! {
                biased;
                () = &mut meanwhile => return Ok(true),
                () = self.world.sleep_until(due) => {}
            }
            if !self.extend(grant).await? {
                return Ok(false);
            }
        }
    }

    /// Extends the lease; false where that was refused, so that the client knows that it has lost the lock. An extension of unknown outcome is
    /// taken to have worked, as most programs do.
    async fn extend(&self, grant: &Grant) -> Result<bool, Dead> {
        let lock = Plan::lock_name(grant.lock);
        let op = Op::Extend { lock: lock.clone(), grant: Some(grant.id), ttl_ms: self.plan.lease_ms() };
        let what = Do::Extend { lock, token: grant.token.clone(), ttl_ms: self.plan.lock.ttl_ms };
        let (_, answer) = self.call(op, what).await?;
        Ok(!matches!(answer, Answer::No(_)))
    }

    async fn write(&self, grant: &Grant, base: Value) -> Result<(), Dead> {
        let Some(spec) = &self.plan.resource else { return Ok(()) };
        let resource = Plan::resource_name(grant.lock);
        let value = match base {
            Value::Int(count) if spec.counter => count + 1,
            _ if spec.counter => 1,
            // Distinct from every other value ever written, since an id names nothing else.
            _ => self.recorder.next_id() as i64,
        };
        let fence = if spec.fenced { grant.fence } else { None };
        let op = Op::Write {
            resource: resource.clone(),
            grant: Some(grant.id),
            value: Value::Int(value),
            base: Some(base),
            fence: grant.fence,
        };
        self.call(op, Do::Write { resource, value, fence }).await?;
        Ok(())
    }

    async fn release(&self, grant: &Grant) -> Result<(), Dead> {
        let (op, what) = asked::release(&Plan::lock_name(grant.lock), grant.id, &grant.token);
        self.call(op, what).await?;
        Ok(())
    }

    /// One operation, from its invocation to its completion, with everything that either sets off.
    async fn call(&self, op: Op, what: Do) -> Result<(OpId, Answer), Dead> {
        let (reins, kind) = (self.reins, op.kind());
        self.wait_at(&reins.gate).await;
        self.alive()?;
        self.nemesis.happened(Occurrence::Invoked { client: self.client.clone(), op: kind }).await;
        self.wait_at(&reins.gate).await;
        self.alive()?;
        let (id, answer) = invoke(self.world, self.recorder, &self.client, op, what).await;
        let outcome = match answer {
            Answer::Ok(_) => Outcome::Ok,
            Answer::No(_) => Outcome::Fail,
            Answer::Unknown(_) => Outcome::Info,
            Answer::Gone => return Err(Dead),
        };
        if self.ends.get() {
            // Before anybody hears of it: a fault that this sets off hits a client that does nothing more.
            self.reins.life.set(Life::Done);
        }
        self.nemesis.happened(Occurrence::Completed { client: self.client.clone(), op: kind, outcome }).await;
        Ok((id, answer))
    }

    /// The dead do not act.
    fn alive(&self) -> Result<(), Dead> {
        if self.reins.life.get() == Life::Dead { Err(Dead) } else { Ok(()) }
    }

    async fn wait_at(&self, latch: &'a Latch) {
        if latch.is_open() {
            return;
        }
        self.waits_at.set(Some(latch));
        self.nemesis.changed.notify_one();
        latch.wait().await;
        self.waits_at.set(None);
    }

    /// Waits while it extends its lease. Where nobody waits for its extensions, and all went well for the length of some leases, nothing more
    /// comes of them.
    async fn wait_extending(&self, latch: &'a Latch) {
        if self.plan.awaits_extensions_of(&self.client) {
            return latch.wait().await;
        }
        let long = self.world.now() + (LEASES * self.plan.lock.ttl_ms + Plan::MARGIN_MS) * 1_000_000;
        tokio::select! {
            biased;
            () = latch.wait() => {}
            () = self.world.sleep_until(long) => self.wait_at(latch).await,
        }
    }

    /// Sleeps on the client's own time: a client that was paused meanwhile wakes when it is resumed.
    async fn sleep(&self, range: Millis, rng: &mut ChaCha8Rng) {
        let nanos = rng.random_range(range.0 * 1_000_000..=range.1 * 1_000_000);
        if nanos > 0 {
            self.world.sleep_until(self.world.now() + nanos).await;
        }
    }
}

/// Asks a client to do something, and records the invocation, the completion and, after an acquire, what the store then held.
pub async fn invoke<W: World>(world: &W, recorder: &Recorder<'_>, client: &str, op: Op, what: Do) -> (OpId, Answer) {
    let id = recorder.next_id();
    let acquired = match &op {
        Op::Acquire { lock, .. } => Some(lock.clone()),
        _ => None,
    };
    recorder.record(world.now(), What::Invoke { client: client.to_string(), id, op });
    let answer = world.call(client, Ask { id, what }).await;
    recorder.done(world.now(), completion(client, id, &answer));
    if let Some(lock) = acquired
        && answer != Answer::Gone
    {
        observe(world, recorder, &lock).await;
    }
    (id, answer)
}

/// Looks at a lock's keys and records what is there, unless nodes that cannot be asked may hide its holder.
pub async fn observe<W: World>(world: &W, recorder: &Recorder<'_>, lock: &str) {
    let from = recorder.stamp(world.now());
    if let Some(Look { holder, keys }) = world.look(lock).await {
        let seen = Observation { lock: lock.to_string(), from, holder, keys };
        recorder.record(world.now(), What::Observe(seen));
    }
}

/// What a history says of an answer.
pub fn completion(client: &str, id: OpId, answer: &Answer) -> Completion {
    let (outcome, told) = match answer {
        Answer::Ok(told) => (Outcome::Ok, told),
        Answer::No(told) => (Outcome::Fail, told),
        Answer::Unknown(told) => (Outcome::Info, told),
        Answer::Gone => {
            let why = Some("the client died before it answered".to_string());
            return Completion { why, ..Completion::new(client, id, Outcome::Info) };
        }
    };
    let Told { token, fence, valid_for_ms, valid_until, told_at, value, fenced_by, why, error } = told.clone();
    Completion {
        client: client.to_string(),
        id,
        outcome,
        token,
        fence,
        valid_for_ms,
        valid_until,
        told_at,
        value,
        fenced_by,
        why,
        error,
    }
}
