//! Every trigger of a plan, and what each sets off.

use super::awaited::Awaited;
use super::occurrence::{Armed, Effect, Occurrence};
use crate::plan::Plan;
use checker::Nanos;
use nemesis::{Trigger, WirePattern};
use std::collections::BTreeSet;

/// What a trigger sets off; steps and clients by their place in the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Action {
    /// A step begins.
    Begin(usize),
    /// A lasting fault ends.
    End(usize),
    /// A client that waited may start.
    Start(usize),
    /// A client that waits to extend its lease does so.
    Extend(usize),
    /// A client that waits to write does so.
    Write(usize),
    /// A client that kept its grant may release it.
    Release(usize),
}

/// The triggers of a plan, armed.
pub struct Schedule {
    armed: Vec<(Armed, Action)>,
    /// Actions that are due at a time.
    due: BTreeSet<(Nanos, Action)>,
    /// Steps that have begun: a step's end is not looked for before.
    begun: Vec<bool>,
}

/// The wire patterns of a plan, in the order in which a world is given them.
pub fn wire_patterns(plan: &Plan) -> Vec<WirePattern> {
    triggers(plan)
        .filter_map(|(trigger, _)| match trigger {
            Trigger::Wire(pattern) => Some(pattern.clone()),
            _ => None,
        })
        .collect()
}

/// What a plan waits for that nodes do by themselves, each once.
pub fn awaited(plan: &Plan) -> BTreeSet<Awaited> {
    triggers(plan).filter_map(|(trigger, _)| Awaited::of(trigger)).collect()
}

fn triggers(plan: &Plan) -> impl Iterator<Item = (&Trigger, Action)> {
    let steps = plan.steps.iter().enumerate().flat_map(|(i, step)| {
        let until = step.until.as_ref().map(|until| (until, Action::End(i)));
        [Some((&step.when, Action::Begin(i))), until].into_iter().flatten()
    });
    let clients = plan.clients.iter().enumerate().flat_map(|(i, client)| {
        let starts = client.starts.as_ref().map(|starts| (starts, Action::Start(i)));
        let releases = client.releases.as_ref().map(|releases| (releases, Action::Release(i)));
        let extends = client.extends.as_ref().map(|extends| (extends, Action::Extend(i)));
        let writes = client.writes.as_ref().map(|writes| (writes, Action::Write(i)));
        [starts, extends, writes, releases].into_iter().flatten()
    });
    steps.chain(clients)
}

impl Schedule {
    /// Arms every trigger of a plan; the run begins at `start`.
    pub fn new(plan: &Plan, start: Nanos) -> Self {
        let mut patterns = 0..;
        let armed: Vec<_> = triggers(plan)
            .map(|(trigger, action)| {
                let pattern = matches!(trigger, Trigger::Wire(_)).then(|| patterns.next().unwrap_or_default());
                (Armed::new(trigger.clone(), pattern), action)
            })
            .collect();
        let due = armed.iter().filter_map(|(armed, action)| Some((start + armed.at_ms()? * 1_000_000, *action))).collect();
        Schedule { armed, due, begun: vec![false; plan.steps.len()] }
    }

    /// Takes note of an occurrence; returns what it sets off at once, in the plan's order.
    pub fn see(&mut self, occurrence: &Occurrence, now: Nanos) -> Vec<Action> {
        let mut actions = Vec::new();
        for (armed, action) in &mut self.armed {
            if matches!(action, Action::End(step) if !self.begun[*step]) {
                continue;
            }
            match armed.see(occurrence) {
                Effect::None => {}
                Effect::Fires => actions.push(*action),
                Effect::FiresAfter(ms) => {
                    self.due.insert((now + ms * 1_000_000, *action));
                }
            }
        }
        actions
    }

    /// A step has begun: from here its end is looked for.
    pub fn begun(&mut self, step: usize) {
        self.begun[step] = true;
    }

    /// When the next action is due by the clock.
    pub fn next_due(&self) -> Option<Nanos> {
        self.due.first().map(|(at, _)| *at)
    }

    /// Takes an action that is due by now.
    pub fn take_due(&mut self, now: Nanos) -> Option<Action> {
        if self.next_due()? > now {
            return None;
        }
        self.due.pop_first().map(|(_, action)| action)
    }
}
