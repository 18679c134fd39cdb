//! What happens in a run that a trigger may wait for.

use super::awaited::Awaited;
use checker::history::{OpKind, Outcome};
use nemesis::{StepMoment, Trigger};

/// Something that happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Occurrence {
    /// A client is about to begin an operation.
    Invoked {
        /// Who.
        client: String,
        /// What.
        op: OpKind,
    },
    /// A client's operation has ended.
    Completed {
        /// Who.
        client: String,
        /// What.
        op: OpKind,
        /// How.
        outcome: Outcome,
    },
    /// The wire holds a message that the pattern with this index matched.
    Seen(usize),
    /// A node has done something by itself.
    Came(Awaited),
    /// A step has begun or ended.
    Step {
        /// Which step.
        name: String,
        /// Which moment.
        moment: StepMoment,
    },
}

/// A trigger of the plan, with what it has seen of the run so far.
#[derive(Debug, Clone)]
pub struct Armed {
    trigger: Trigger,
    /// Index of its pattern, where it waits for the wire.
    pattern: Option<usize>,
    matches: u32,
    fired: bool,
}

/// What an occurrence does to a trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// It fires now.
    Fires,
    /// It fires when this many milliseconds have passed.
    FiresAfter(u64),
}

impl Armed {
    /// A trigger that has seen nothing yet.
    pub fn new(trigger: Trigger, pattern: Option<usize>) -> Self {
        Armed { trigger, pattern, matches: 0, fired: false }
    }

    /// The time since the run's begin at which it fires, where it waits for nothing else.
    pub fn at_ms(&self) -> Option<u64> {
        match self.trigger {
            Trigger::AtMs(ms) => Some(ms),
            _ => None,
        }
    }

    /// Takes note of an occurrence. A trigger fires once.
    pub fn see(&mut self, occurrence: &Occurrence) -> Effect {
        if self.fired {
            return Effect::None;
        }
        let effect = match (&self.trigger, occurrence) {
            (Trigger::Invoked(wanted), Occurrence::Invoked { client, op }) => {
                self.count(wanted.client == *client && wanted.op == *op, wanted.nth)
            }
            (Trigger::Completed(wanted), Occurrence::Completed { client, op, outcome }) => {
                let matches = wanted.client == *client && wanted.op == *op && wanted.outcome.unwrap_or(Outcome::Ok) == *outcome;
                self.count(matches, wanted.nth)
            }
            (Trigger::Wire(_), Occurrence::Seen(pattern)) if self.pattern == Some(*pattern) => Effect::Fires,
            (trigger, Occurrence::Came(awaited)) if Awaited::of(trigger).as_ref() == Some(awaited) => Effect::Fires,
            (Trigger::Step(wanted), Occurrence::Step { name, moment }) if wanted.name == *name && wanted.moment == *moment => {
                if wanted.after_ms == 0 {
                    Effect::Fires
                } else {
                    Effect::FiresAfter(wanted.after_ms)
                }
            }
            _ => Effect::None,
        };
        self.fired = effect != Effect::None;
        effect
    }

    fn count(&mut self, matches: bool, nth: u32) -> Effect {
        self.matches += u32::from(matches);
        if matches && self.matches >= nth { Effect::Fires } else { Effect::None }
    }
}
