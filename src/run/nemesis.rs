//! Carries out the plan's steps when their triggers come, and records what was seen of each.

mod overlap;
mod reins;
mod stall;

use super::awaited::Awaited;
use super::latch::Latch;
use super::occurrence::Occurrence;
use super::recorder::Recorder;
use super::schedule::{self, Action, Schedule};
use crate::plan::Plan;
use crate::world::World;
use checker::history::{FaultEvent, Moment, Phase, What};
use nemesis::{Evidence, Fault, NotInjected, StepMoment};
pub use reins::{Life, Reins};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};

/// Where a step stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Waiting,
    /// The wire has its rules, and no message has come by yet.
    Armed,
    InForce,
    Over,
}

/// The nemesis of one run.
pub struct Nemesis<'a, 'r, W> {
    world: &'a W,
    plan: &'a Plan,
    recorder: &'a Recorder<'r>,
    schedule: RefCell<Schedule>,
    standing: RefCell<Vec<Standing>>,
    reins: BTreeMap<String, Reins>,
    /// One fault at a time, in the order in which they were set off.
    turn: tokio::sync::Mutex<()>,
    working: Cell<u32>,
    /// How much it still waits for that nodes do by themselves.
    awaiting: Cell<u32>,
    /// Notified whenever something more is due by the clock.
    rescheduled: tokio::sync::Notify,
    /// Notified whenever a client or a fault changed its state, so that a run in which nothing more will happen is noticed.
    pub changed: tokio::sync::Notify,
}

impl<'a, 'r, W: World> Nemesis<'a, 'r, W> {
    /// Arms the plan's steps; the run begins now.
    pub fn new(world: &'a W, plan: &'a Plan, recorder: &'a Recorder<'r>) -> Self {
        let reins = plan.client_names().into_iter().map(|name| {
            let own = plan.client(&name);
            let latch = |waits: bool| if waits { Latch::shut() } else { Latch::opened() };
            let start = latch(own.is_some_and(|client| client.starts.is_some()));
            let write = latch(own.is_some_and(|client| client.writes.is_some()));
            let release = latch(own.is_some_and(|client| client.releases.is_some()));
            let extend = latch(own.is_some_and(|client| client.extends.is_some()));
            (
                name,
                Reins {
                    life: Cell::new(Life::Working),
                    gate: Latch::opened(),
                    start,
                    extend,
                    write,
                    release,
                    lost: RefCell::default(),
                },
            )
        });
        Nemesis {
            world,
            plan,
            recorder,
            schedule: RefCell::new(Schedule::new(plan, world.now())),
            standing: RefCell::new(vec![Standing::Waiting; plan.steps.len()]),
            reins: reins.collect(),
            turn: tokio::sync::Mutex::new(()),
            working: Cell::new(0),
            awaiting: Cell::new(schedule::awaited(plan).len() as u32),
            rescheduled: tokio::sync::Notify::new(),
            changed: tokio::sync::Notify::new(),
        }
    }

    /// The reins of a client of the plan.
    pub fn reins(&self, client: &str) -> &Reins {
        &self.reins[client]
    }

    /// A client was told, unasked, that it has lost a lock.
    pub fn lost(&self, client: &str, lock: &str) {
        if let Some(reins) = self.reins.get(client) {
            reins.lost.borrow_mut().insert(lock.to_owned());
        }
    }

    /// Whether a client was told so since it was last granted the lock.
    pub fn has_lost(&self, client: &str, lock: &str) -> bool {
        self.reins.get(client).is_some_and(|reins| reins.lost.borrow().contains(lock))
    }

    /// A client was granted a lock.
    pub fn found(&self, client: &str, lock: &str) {
        if let Some(reins) = self.reins.get(client) {
            reins.lost.borrow_mut().remove(lock);
        }
    }

    /// Something happened: carries out everything that it sets off. When this returns, the faults are in force, so whoever
    /// made it happen waits for this before it goes on.
    pub async fn happened(&self, occurrence: Occurrence) {
        self.see_hits();
        let actions = self.see(&occurrence);
        if !actions.is_empty() {
            self.carry_out(actions).await;
        }
    }

    /// Waits for what comes from outside the clients, and carries out what it sets off; for as long as it is polled.
    pub async fn watch(&self) {
        let awaited = schedule::awaited(self.plan).into_iter().map(|awaited| self.watch_for(awaited));
        futures_util::future::join(self.watch_wire_and_clock(), futures_util::future::join_all(awaited)).await;
    }

    async fn watch_for(&self, awaited: Awaited) {
        match awaited.comes(self.world).await {
            Ok(()) => self.happened(Occurrence::Came(awaited)).await,
            Err(why) => {
                let why = format!("nobody can see when {awaited}: {why}");
                self.recorder.record(self.world.now(), What::Phase(Phase::Interrupted(why)));
            }
        }
        self.awaiting.set(self.awaiting.get() - 1);
        self.changed.notify_one();
    }

    async fn watch_wire_and_clock(&self) {
        loop {
            let due = self.schedule.borrow().next_due();
            let due = async {
                match due {
                    Some(due) => self.world.sleep_until(due).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                sighting = self.world.sighting() => {
                    self.happened(Occurrence::Seen(sighting.pattern)).await;
                    self.world.let_pass(sighting);
                }
                () = self.rescheduled.notified() => {}
                () = due => {
                    let now = self.world.now();
                    let actions = std::iter::from_fn(|| self.schedule.borrow_mut().take_due(now)).collect();
                    self.carry_out(actions).await;
                }
            }
        }
    }

    /// Whether nothing more will come by itself: no fault is being injected, none is due by the clock, and no node is waited for.
    pub fn is_idle(&self) -> bool {
        self.working.get() == 0 && self.awaiting.get() == 0 && self.schedule.borrow().next_due().is_none()
    }

    /// Waits until no fault is being injected or ended: what was begun is finished, or the next look at the world would find it half done.
    pub async fn settled(&self) {
        while self.working.get() > 0 {
            self.changed.notified().await;
        }
    }

    /// Ends every fault that is still in force, the last one first.
    pub async fn heal(&self) {
        for step in (0..self.plan.steps.len()).rev() {
            let _turn = self.turn.lock().await;
            self.end(step).await;
        }
    }

    /// What an occurrence sets off at once.
    fn see(&self, occurrence: &Occurrence) -> Vec<Action> {
        let mut schedule = self.schedule.borrow_mut();
        let due = schedule.next_due();
        let actions = schedule.see(occurrence, self.world.now());
        if schedule.next_due() != due {
            self.rescheduled.notify_one();
        }
        actions
    }

    async fn carry_out(&self, actions: Vec<Action>) {
        self.working.set(self.working.get() + 1);
        let _turn = self.turn.lock().await;
        let mut queue = VecDeque::from(actions);
        while let Some(action) = queue.pop_front() {
            let occurrences: Vec<(usize, StepMoment)> = match action {
                Action::Start(client) => {
                    self.reins[&self.plan.clients[client].name].start.open();
                    continue;
                }
                Action::Extend(client) => {
                    self.reins[&self.plan.clients[client].name].extend.open();
                    continue;
                }
                Action::Write(client) => {
                    self.reins[&self.plan.clients[client].name].write.open();
                    continue;
                }
                Action::Release(client) => {
                    self.reins[&self.plan.clients[client].name].release.open();
                    continue;
                }
                Action::Begin(step) if self.begin(step).await => {
                    let cut_short = self.cut_short(step).into_iter().map(|step| (step, StepMoment::End));
                    [(step, StepMoment::Begin)].into_iter().chain(cut_short).collect()
                }
                Action::End(step) if self.end(step).await => vec![(step, StepMoment::End)],
                Action::Begin(_) | Action::End(_) => vec![],
            };
            for (step, moment) in occurrences {
                let name = self.plan.steps[step].name.clone();
                queue.extend(self.see(&Occurrence::Step { name, moment }));
            }
        }
        self.working.set(self.working.get() - 1);
        self.changed.notify_one();
    }

    /// Injects a step's fault; true if it was seen to work.
    async fn begin(&self, step: usize) -> bool {
        if self.standing.borrow()[step] != Standing::Waiting {
            return false;
        }
        let fault = &self.plan.steps[step].fault;
        self.record(step, Moment::Begin, fault.to_string());
        self.recorder.say(fault.to_string());
        // Marked before it is tried: a run that is cut short meanwhile heals what may have come into force.
        if fault.lasts() {
            self.standing.borrow_mut()[step] = Standing::InForce;
        }
        let injected = match self.idle_target(fault) {
            Some(client) => Err(NotInjected(format!("{client} had done all its work"))),
            None => self.world.inject(fault).await,
        };
        match injected {
            Ok(evidence) => {
                self.standing.borrow_mut()[step] = match fault {
                    // Of that it is verified only that it can hit, and not that it has.
                    _ if fault.needs_traffic() => Standing::Armed,
                    _ => {
                        self.record(step, Moment::Verified, evidence.0);
                        if fault.lasts() { Standing::InForce } else { Standing::Over }
                    }
                };
                self.schedule.borrow_mut().begun(step);
                match fault {
                    Fault::Pause(member) if self.reins.contains_key(member) => self.reins[member].gate.shut_again(),
                    Fault::Crash(client) => {
                        self.recorder.record(self.world.now(), What::Gone { client: client.clone() });
                        self.reins[client].die();
                    }
                    _ => {}
                }
                true
            }
            Err(why) => {
                self.record(step, Moment::Failed, why.to_string());
                self.standing.borrow_mut()[step] = Standing::Over;
                false
            }
        }
    }

    /// Records of every fault of the wire that it has hit, as soon as it is known.
    fn see_hits(&self) {
        for step in 0..self.plan.steps.len() {
            if self.standing.borrow()[step] == Standing::Armed
                && let Some(evidence) = self.world.met(&self.plan.steps[step].fault)
            {
                self.standing.borrow_mut()[step] = Standing::InForce;
                self.record(step, Moment::Verified, evidence.0);
            }
        }
    }

    /// Ends a step's fault if it is in force; true if it was seen to be over.
    async fn end(&self, step: usize) -> bool {
        self.see_hits();
        if !matches!(self.standing.borrow()[step], Standing::Armed | Standing::InForce) {
            return false;
        }
        let fault = &self.plan.steps[step].fault;
        let also = self.also_paused_by(step);
        let healed = match also {
            Some(other) => Ok(Evidence(format!("{} goes on", self.plan.steps[other].name))),
            None => self.world.heal(fault).await,
        };
        self.standing.borrow_mut()[step] = Standing::Over;
        let (moment, text) = match &healed {
            Ok(evidence) => (Moment::End, evidence.0.clone()),
            Err(why) => (Moment::Failed, why.to_string()),
        };
        self.record(step, moment, text);
        if let Fault::Pause(member) = fault
            && also.is_none()
            && let Some(reins) = self.reins.get(member)
        {
            reins.gate.open();
        }
        healed.is_ok()
    }

    fn record(&self, step: usize, moment: Moment, text: String) {
        let step = &self.plan.steps[step];
        let targets = step.fault.targets().into_iter().map(String::from).collect();
        let (step, kind) = (step.name.clone(), step.fault.kind().to_string());
        self.recorder.record(self.world.now(), What::Fault(FaultEvent { step, kind, targets, moment, text }));
    }
}
