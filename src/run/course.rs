//! The course of a run: healthy, hurt, healed, looked at.

use super::asked;
use super::driver::{Driver, State, invoke, observe};
use super::nemesis::Nemesis;
use super::recorder::Recorder;
use super::unasked::listen;
use crate::client::{Answer, Ask};
use crate::plan::Plan;
use crate::world::{PROBE, World};
use checker::history::{Phase, What};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::future::Future;
use std::pin::Pin;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It ran its course.
    Whole,
    /// Its user stopped it.
    Stopped,
}

/// Runs a plan from its first event to its last. The clients of the plan and the probe have been started.
pub async fn course<W: World>(
    world: &W,
    plan: &Plan,
    recorder: &Recorder<'_>,
    mut stop: Pin<&mut impl Future<Output = ()>>,
) -> Ending {
    let phase = |phase| recorder.record(world.now(), What::Phase(phase));
    let ending = match in_time(world, plan, stop.as_mut(), health(world, plan)).await {
        Ok(Ok(())) => {
            phase(Phase::Healthy);
            hurt_and_healed(world, plan, recorder, stop).await
        }
        Ok(Err(why)) => {
            phase(Phase::Sick(why));
            Ending::Whole
        }
        Err(cut) => {
            phase(Phase::Interrupted(cut.words(plan)));
            cut.ending()
        }
    };
    phase(Phase::End);
    ending
}

async fn hurt_and_healed<W: World>(
    world: &W,
    plan: &Plan,
    recorder: &Recorder<'_>,
    stop: Pin<&mut impl Future<Output = ()>>,
) -> Ending {
    let nemesis = Nemesis::new(world, plan, recorder);
    tokio::select! {
        biased;
        () = listen(world, plan, recorder, &nemesis) => unreachable!("it listens for as long as it is asked to"),
        ending = hurt_healed_and_looked_at(world, plan, recorder, &nemesis, stop) => ending,
    }
}

async fn hurt_healed_and_looked_at<'a, 'r, W: World>(
    world: &'a W,
    plan: &'a Plan,
    recorder: &'a Recorder<'r>,
    nemesis: &'a Nemesis<'a, 'r, W>,
    mut stop: Pin<&mut impl Future<Output = ()>>,
) -> Ending {
    let phase = |phase| recorder.record(world.now(), What::Phase(phase));
    let hurt = async {
        tokio::select! {
            biased;
            () = nemesis.watch() => unreachable!("the nemesis watches for as long as it is asked to"),
            () = work(world, plan, recorder, nemesis) => {}
        }
    };
    let hurt = in_time(world, plan, stop.as_mut(), hurt).await;
    if let Err(cut) = hurt {
        phase(Phase::Interrupted(cut.words(plan)));
    }
    let sick = world.casualties();
    recorder.say("healing");
    nemesis.heal().await;
    if let Some(why) = sick {
        phase(Phase::Sick(why));
        return hurt.map_or_else(Cut::ending, |()| Ending::Whole);
    }
    if let Err(Cut::Stopped) = hurt {
        return Ending::Stopped;
    }
    phase(Phase::Quiet);
    let looked = in_time(world, plan, stop, afterwards(world, plan, recorder)).await;
    if let Some(why) = world.casualties() {
        phase(Phase::Sick(why));
    }
    match looked {
        Ok(()) => Ending::Whole,
        Err(cut) => {
            phase(Phase::Interrupted(format!("{} before all that is left was looked at", cut.words(plan))));
            cut.ending()
        }
    }
}

/// Why something was not let come to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cut {
    Stopped,
    Late,
}

impl Cut {
    fn words(self, plan: &Plan) -> String {
        match self {
            Cut::Stopped => "stopped by its user".into(),
            Cut::Late => format!("the plan's time limit of {} ms had passed", plan.time_limit_ms),
        }
    }

    fn ending(self) -> Ending {
        match self {
            Cut::Stopped => Ending::Stopped,
            Cut::Late => Ending::Whole,
        }
    }
}

/// Does something within the plan's time limit, unless its user stops the run.
async fn in_time<W: World, T>(
    world: &W,
    plan: &Plan,
    stop: Pin<&mut impl Future<Output = ()>>,
    what: impl Future<Output = T>,
) -> Result<T, Cut> {
    let limit = world.now() + plan.time_limit_ms * 1_000_000;
    tokio::select! {
        biased;
        () = stop => Err(Cut::Stopped),
        () = world.sleep_until(limit) => Err(Cut::Late),
        done = what => Ok(done),
    }
}

/// Drives every client until all have finished. Where nothing more would happen by itself, a fault that keeps a client from going on is ended;
/// where there is none, whoever still waits for an event is let go. The run then proves nothing.
async fn work<'a, 'r, W: World>(world: &'a W, plan: &'a Plan, recorder: &'a Recorder<'r>, nemesis: &'a Nemesis<'a, 'r, W>) {
    let drivers: Vec<_> =
        plan.client_names().into_iter().map(|client| Driver::new(client, world, plan, recorder, nemesis)).collect();
    let mut running: FuturesUnordered<_> = drivers.iter().map(Driver::drive).collect();
    loop {
        tokio::select! {
            biased;
            next = running.next() => if next.is_none() { return nemesis.settled().await },
            () = nemesis.changed.notified() => {}
        }
        let stalled = drivers.iter().all(|driver| driver.state() != State::Busy) && nemesis.is_idle();
        let finished = drivers.iter().all(|driver| driver.state() == State::Done);
        if recorder.has_failed() {
            return;
        }
        if stalled && !finished {
            nemesis.go_on().await;
        }
    }
}

/// Whether the world works before the first fault: the probe can take and release a lock that nobody else wants.
async fn health<W: World>(world: &W, plan: &Plan) -> Result<(), String> {
    world.health().await?;
    let (_, take) = asked::acquire(plan, "health");
    let token = match world.call(PROBE, Ask { id: 0, what: take }).await {
        Answer::Ok(told) => told.token.unwrap_or_default(),
        other => return Err(format!("before any fault, a lone client asked for a free lock and was answered {other:?}")),
    };
    let (_, give_back) = asked::release("health", 0, &token);
    match world.call(PROBE, Ask { id: 0, what: give_back }).await {
        Answer::Ok(_) => Ok(()),
        other => Err(format!("before any fault, a lone client released its lock and was answered {other:?}")),
    }
}

/// All is quiet: what keys are left, can a fresh client get every lock, and what does every resource hold?
async fn afterwards<W: World>(world: &W, plan: &Plan, recorder: &Recorder<'_>) {
    recorder.say("looking at what is left");
    let deadline = world.now() + (plan.lock.ttl_ms + Plan::MARGIN_MS) * 1_000_000;
    for lock in (1..=plan.workload.locks).map(Plan::lock_name) {
        observe(world, recorder, &lock).await;
        loop {
            let past_deadline = world.now() > deadline;
            let (op, what) = asked::acquire(plan, &lock);
            let (id, answer) = invoke(world, recorder, PROBE, op, what).await;
            if let Answer::Ok(told) = answer {
                let (op, what) = asked::release(&lock, id, &told.token.unwrap_or_default());
                invoke(world, recorder, PROBE, op, what).await;
                break;
            }
            if past_deadline {
                break;
            }
            world.sleep_until(world.now() + 10_000_000).await;
        }
    }
    if plan.resource.is_some() {
        for resource in (1..=plan.workload.locks).map(Plan::resource_name) {
            let (op, what) = asked::read(&resource, None);
            invoke(world, recorder, PROBE, op, what).await;
        }
    }
}
