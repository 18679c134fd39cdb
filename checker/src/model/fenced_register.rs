//! A register that refuses a write whose fencing token is lower than the highest that it has taken.

use super::{Model, Recorded};
use crate::format::{Action, Answer, Record};
use crate::history::Value;

/// A fenced register.
#[derive(Debug, Clone, Default)]
pub struct FencedRegister {
    /// Its value before the first write.
    pub initial: Value,
}

/// What is done to a fenced register.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FencedOp {
    /// A read that returned this.
    Read(Value),
    /// A write that was taken, with its token.
    Write(i64, Value),
    /// A write of unknown outcome: it is taken if its token is high enough by then.
    Try(i64, Value),
    /// A write that was refused: a higher token had been taken.
    Stale(i64),
}

impl Model for FencedRegister {
    type Op = FencedOp;
    /// The highest token taken, and the value.
    type State = (Option<i64>, Value);

    fn initial(&self, _: Option<&Value>) -> Self::State {
        (None, self.initial.clone())
    }

    fn step(&self, state: &Self::State, op: &FencedOp) -> Option<Self::State> {
        let (highest, value) = state;
        let outranks = |token: &i64| highest.is_none_or(|highest| *token >= highest);
        match op {
            // Who reads that there is none is told that nobody wrote yet.
            FencedOp::Read(seen) => (seen == value || (highest.is_none() && *seen == Value::Nil)).then(|| state.clone()),
            FencedOp::Write(token, new) => outranks(token).then(|| (Some(*token), new.clone())),
            FencedOp::Try(token, new) if outranks(token) => Some((Some(*token), new.clone())),
            FencedOp::Try(..) => Some(state.clone()),
            FencedOp::Stale(token) => (!outranks(token)).then(|| state.clone()),
        }
    }

    fn observes(&self, op: &FencedOp) -> bool {
        matches!(op, FencedOp::Read(_) | FencedOp::Stale(_))
    }

    fn show(&self, (highest, value): &Self::State) -> String {
        highest.map_or_else(|| value.to_string(), |token| format!("{value} under token {token}"))
    }
}

impl Recorded for FencedRegister {
    /// A write without a value writes its token.
    fn op(&self, record: &Record) -> Result<Option<FencedOp>, &'static str> {
        if record.action == Action::Read {
            return Ok(record.value.clone().filter(|_| record.answer == Answer::Ok).map(FencedOp::Read));
        }
        let (Action::Write, Some(&Value::Int(token))) = (record.action, record.token.as_ref()) else {
            return Err("a read, or a write with a whole number as its token");
        };
        let value = record.value.clone().unwrap_or(Value::Int(token));
        Ok(match record.answer {
            Answer::Ok => Some(FencedOp::Write(token, value)),
            Answer::Unknown => Some(FencedOp::Try(token, value)),
            Answer::Refused => Some(FencedOp::Stale(token)),
            Answer::Failed => None,
        })
    }
}
