//! Operations with both their ends.

use checker::Nanos;
use checker::history::{Completion, Event, Op, OpId, Outcome, What};
use std::collections::BTreeMap;

/// One operation of one client.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Operation<'e> {
    /// Its name.
    pub id: OpId,
    /// Whose.
    pub client: &'e str,
    /// What.
    pub op: &'e Op,
    /// When it was invoked.
    pub invoked: Nanos,
    /// When and how it completed; none where the history does not say.
    pub done: Option<(Nanos, &'e Completion)>,
}

/// All operations of a history, by id.
pub fn operations(events: &[Event]) -> BTreeMap<OpId, Operation<'_>> {
    let mut all = BTreeMap::new();
    for event in events {
        match &event.what {
            What::Invoke { client, id, op } => {
                all.insert(*id, Operation { id: *id, client, op, invoked: event.at, done: None });
            }
            What::Done(completion) => {
                if let Some(operation) = all.get_mut(&completion.id) {
                    operation.done = Some((event.at, completion));
                }
            }
            _ => {}
        }
    }
    all
}

impl<'e> Operation<'e> {
    /// Whether it completed that way.
    pub fn ended(&self, outcome: Outcome) -> bool {
        self.done.is_some_and(|(_, completion)| completion.outcome == outcome)
    }

    /// When its client knew how it ended, or when it was invoked.
    pub fn told(&self) -> Nanos {
        self.done.map_or(self.invoked, |(at, _)| at)
    }

    /// The grant under which it was done.
    pub fn grant(&self) -> Option<OpId> {
        match self.op {
            Op::Acquire { .. } => None,
            Op::Extend { grant, .. }
            | Op::Release { grant, .. }
            | Op::Check { grant, .. }
            | Op::Read { grant, .. }
            | Op::Write { grant, .. } => *grant,
        }
    }

    /// The error that ended it, where it was not answered.
    pub fn error(&self) -> Option<&'e str> {
        self.done.and_then(|(_, completion)| completion.error.as_deref())
    }

    /// Whether it is a try that was refused, or could not be made: there can be thousands, and one is like another.
    pub fn refused(&self) -> bool {
        matches!(self.op, Op::Acquire { .. }) && self.ended(Outcome::Fail)
    }

    /// Whether the resource refused it because of its fencing token.
    pub fn fenced_off(&self) -> bool {
        self.done.is_some_and(|(_, completion)| completion.outcome == Outcome::Fail && completion.fenced_by.is_some())
    }
}
