//! The course of a run: healthy, hurt, healed, looked at.

use super::driver::{Driver, State, invoke, observe};
use super::nemesis::Nemesis;
use super::recorder::Recorder;
use super::unasked::listen;
use crate::client::{Answer, Ask, Do};
use crate::plan::Plan;
use crate::world::{PROBE, World};
use checker::history::{Op, Phase, What};
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use std::future::Future;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It ran its course.
    Whole,
    /// Its user stopped it.
    Stopped,
}

/// Runs a plan from its first event to its last. The clients of the plan and the probe have been started.
pub async fn course<W: World>(world: &W, plan: &Plan, recorder: &Recorder<'_>, stop: impl Future<Output = ()>) -> Ending {
    let phase = |phase| recorder.record(world.now(), What::Phase(phase));
    if let Err(why) = health(world, plan).await {
        phase(Phase::Sick(why));
        phase(Phase::End);
        return Ending::Whole;
    }
    phase(Phase::Healthy);
    let nemesis = Nemesis::new(world, plan, recorder);
    tokio::select! {
        biased;
        () = listen(world, plan, recorder, &nemesis) => unreachable!("it listens for as long as it is asked to"),
        ending = hurt_and_look(world, plan, recorder, &nemesis, stop) => ending,
    }
}

/// The course of a run from healthy to its end.
async fn hurt_and_look<'a, 'r, W: World>(
    world: &'a W,
    plan: &'a Plan,
    recorder: &'a Recorder<'r>,
    nemesis: &'a Nemesis<'a, 'r, W>,
    stop: impl Future<Output = ()>,
) -> Ending {
    let phase = |phase| recorder.record(world.now(), What::Phase(phase));
    let limit = world.now() + plan.time_limit_ms * 1_000_000;
    let ending = tokio::select! {
        biased;
        () = stop => {
            phase(Phase::Interrupted("stopped by its user".into()));
            Ending::Stopped
        }
        () = world.sleep_until(limit) => {
            phase(Phase::Interrupted(format!("the plan's time limit of {} ms had passed", plan.time_limit_ms)));
            Ending::Whole
        }
        () = nemesis.watch() => unreachable!("the nemesis watches for as long as it is asked to"),
        () = work(world, plan, recorder, nemesis) => Ending::Whole,
    };
    recorder.say("healing");
    nemesis.heal().await;
    if ending == Ending::Whole {
        phase(Phase::Quiet);
        afterwards(world, plan, recorder).await;
    }
    phase(Phase::End);
    ending
}

/// Drives every client until all have finished. Where nothing more would happen by itself, first every fault is healed, and
/// then whoever still waits for an event is let go, and the run is not whole.
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
        if !stalled || finished {
            continue;
        }
        if nemesis.is_hurting() {
            nemesis.heal().await;
        } else if nemesis.give_up_waiting() {
            let why = "a client waited for an event of the plan that never came".to_string();
            recorder.record(world.now(), What::Phase(Phase::Interrupted(why)));
        }
    }
}

/// Whether the world works before the first fault: the probe can take and release a lock that nobody else wants.
async fn health<W: World>(world: &W, plan: &Plan) -> Result<(), String> {
    world.health().await?;
    let lock = "health".to_string();
    let acquire = Do::Acquire { lock: lock.clone(), ttl_ms: plan.lock.ttl_ms };
    let token = match world.call(PROBE, Ask { id: 0, what: acquire }).await {
        Answer::Ok(told) => told.token.unwrap_or_default(),
        other => return Err(format!("before any fault, a lone client asked for a free lock and was answered {other:?}")),
    };
    match world.call(PROBE, Ask { id: 0, what: Do::Release { lock, token } }).await {
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
        let ttl_ms = plan.lease_ms();
        loop {
            let past_deadline = world.now() > deadline;
            let op = Op::Acquire { lock: lock.clone(), ttl_ms };
            let what = Do::Acquire { lock: lock.clone(), ttl_ms: plan.lock.ttl_ms };
            let (id, answer) = invoke(world, recorder, PROBE, op, what).await;
            if let Answer::Ok(told) = answer {
                let op = Op::Release { lock: lock.clone(), grant: Some(id) };
                let what = Do::Release { lock: lock.clone(), token: told.token.unwrap_or_default() };
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
            let op = Op::Read { resource: resource.clone(), grant: None };
            invoke(world, recorder, PROBE, op, Do::Read { resource }).await;
        }
    }
}
