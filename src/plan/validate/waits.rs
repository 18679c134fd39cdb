//! Waits that never end: clients and steps that wait for each other in a circle.

use super::Invalid;
use crate::plan::Plan;
use checker::history::OpKind;
use nemesis::{Fault, StepMoment, Trigger};

/// Something that waits, or is waited for.
#[derive(Debug, Clone, PartialEq)]
enum Moment<'p> {
    Start(&'p str),
    Begin(&'p str),
    End(&'p str),
}

pub(super) fn check(plan: &Plan) -> Vec<Invalid> {
    let mut found = held_by_itself(plan);
    if !found.is_empty() {
        return found;
    }
    let waits = waits(plan);
    let mut known: Vec<&Moment> = Vec::new();
    for Wait { path, waiter, .. } in &waits {
        if known.contains(&waiter) {
            continue;
        }
        if let Some(circle) = circle(&waits, waiter) {
            let story = circle.iter().map(|moment| moment.words()).collect::<Vec<_>>().join(", which waits for ");
            found.push(Invalid::key(path, format!("this wait never ends: {} waits for {story}", waiter.words())));
            known.extend(circle);
        }
    }
    found
}

impl Moment<'_> {
    fn words(&self) -> String {
        match self {
            Moment::Start(client) => format!("the start of {client}"),
            Moment::Begin(step) => format!("the begin of `{step}`"),
            Moment::End(step) => format!("the end of `{step}`"),
        }
    }
}

/// One wait, and where the plan says so.
struct Wait<'p> {
    path: String,
    waiter: Moment<'p>,
    awaited: Moment<'p>,
}

impl<'p> Wait<'p> {
    fn new(path: String, waiter: Moment<'p>, trigger: Option<&'p Trigger>) -> Option<Wait<'p>> {
        Some(Wait { path, waiter, awaited: awaited(trigger?)? })
    }
}

/// Who waits for whom.
fn waits(plan: &Plan) -> Vec<Wait<'_>> {
    let clients =
        plan.clients.iter().enumerate().filter_map(|(i, client)| {
            Wait::new(format!("client[{i}].starts"), Moment::Start(&client.name), client.starts.as_ref())
        });
    let steps = plan.steps.iter().enumerate().flat_map(|(i, step)| {
        let (begin, end) = (Moment::Begin(&step.name), Moment::End(&step.name));
        let when = format!("step[{i}].when");
        [
            Wait::new(when.clone(), begin.clone(), Some(&step.when)),
            Wait::new(format!("step[{i}].until"), end.clone(), step.until.as_ref()),
            Some(Wait { path: when, waiter: end, awaited: begin }),
        ]
    });
    clients.chain(steps.flatten()).collect()
}

/// What must have happened before a trigger can come; nothing where it comes by itself.
fn awaited(trigger: &Trigger) -> Option<Moment<'_>> {
    match trigger {
        Trigger::Invoked(op) | Trigger::Completed(op) => Some(Moment::Start(&op.client)),
        Trigger::Wire(wire) => Some(Moment::Start(&wire.client)),
        Trigger::Step(step) => Some(match step.moment {
            StepMoment::Begin => Moment::Begin(&step.name),
            StepMoment::End => Moment::End(&step.name),
        }),
        Trigger::Synced(_) | Trigger::Promoted(_) | Trigger::AtMs(_) => None,
    }
}

/// The way from a moment back to itself, if there is one.
fn circle<'w, 'p>(waits: &'w [Wait<'p>], from: &'w Moment<'p>) -> Option<Vec<&'w Moment<'p>>> {
    let mut seen: Vec<&Moment> = Vec::new();
    let mut ways: Vec<Vec<&Moment>> = vec![vec![from]];
    while let Some(way) = ways.pop() {
        let here = way.last().expect("a way has a begin");
        for next in waits.iter().filter(|wait| wait.waiter == **here).map(|wait| &wait.awaited) {
            let longer: Vec<&Moment> = way.iter().copied().chain([next]).collect();
            if next == from {
                return Some(longer[1..].to_vec());
            }
            if !seen.contains(&next) {
                seen.push(next);
                ways.push(longer);
            }
        }
    }
    None
}

/// Waits of a client, or of its pause, for what that client can only do afterwards.
fn held_by_itself(plan: &Plan) -> Vec<Invalid> {
    let mut found = Vec::new();
    for (i, client) in plan.clients.iter().enumerate() {
        if client.starts.as_ref().is_some_and(|trigger| actor(trigger) == Some(&client.name)) {
            found.push(Invalid::value(
                format!("client[{i}].starts"),
                format!("{} waits for itself and never starts", client.name),
            ));
        }
        let of_its_own = |trigger: &Trigger, later: &[OpKind]| match trigger {
            Trigger::Invoked(op) | Trigger::Completed(op) => {
                op.client == client.name && (later.contains(&op.op) || op.op == OpKind::Read && op.nth > 1)
            }
            _ => false,
        };
        let later = [OpKind::Check, OpKind::Write, OpKind::Release];
        for (key, trigger, before) in [("extends", &client.extends, "extension"), ("writes", &client.writes, "write")] {
            if trigger.as_ref().is_some_and(|trigger| of_its_own(trigger, &later)) {
                found.push(Invalid::value(
                    format!("client[{i}].{key}"),
                    format!("{} waits for what it does only after the {before}", client.name),
                ));
            }
        }
        let later = client.releases.as_ref().is_some_and(|trigger| match trigger {
            Trigger::Invoked(op) | Trigger::Completed(op) => {
                op.client == client.name && (op.op == OpKind::Release || op.op == OpKind::Acquire && op.nth > 1)
            }
            _ => false,
        });
        if later {
            found.push(Invalid::value(
                format!("client[{i}].releases"),
                format!("{} waits for what it does only after the release", client.name),
            ));
        }
    }
    for (i, step) in plan.steps.iter().enumerate() {
        let (Fault::Pause(member), Some(until @ (Trigger::Invoked(_) | Trigger::Completed(_)))) = (&step.fault, &step.until)
        else {
            continue;
        };
        if actor(until) == Some(member) {
            found.push(Invalid::value(
                format!("step[{i}].until"),
                format!("{member} does nothing while it is paused, so this never comes"),
            ));
        }
    }
    found
}

fn actor(trigger: &Trigger) -> Option<&String> {
    match trigger {
        Trigger::Invoked(op) | Trigger::Completed(op) => Some(&op.client),
        Trigger::Wire(wire) => Some(&wire.client),
        Trigger::Step(_) | Trigger::Synced(_) | Trigger::Promoted(_) | Trigger::AtMs(_) => None,
    }
}
