//! A register: holds the last value written.

use super::{Model, Recorded, Shortcut};
use crate::engine::Operation;
use crate::format::{Action, Answer, Record};
use crate::history::Value;
use crate::register;

/// A register.
#[derive(Debug, Clone, Default)]
pub struct Register {
    /// Its value before the first write.
    pub initial: Value,
}

/// What is done to a register.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RegisterOp {
    /// A read that returned this.
    Read(Value),
    /// A write of this.
    Write(Value),
}

impl Model for Register {
    type Op = RegisterOp;
    type State = Value;

    fn initial(&self, _: Option<&Value>) -> Value {
        self.initial.clone()
    }

    fn step(&self, state: &Value, op: &RegisterOp) -> Option<Value> {
        match op {
            RegisterOp::Read(value) => (value == state).then(|| state.clone()),
            RegisterOp::Write(value) => Some(value.clone()),
        }
    }

    fn observes(&self, op: &RegisterOp) -> bool {
        matches!(op, RegisterOp::Read(_))
    }

    fn helps(&self, op: &RegisterOp, other: &RegisterOp) -> bool {
        matches!((op, other), (RegisterOp::Write(written), RegisterOp::Read(found)) if written == found)
    }

    fn shortcut(&self, _: Option<&Value>, history: &[Operation<&RegisterOp>]) -> Option<Shortcut> {
        register::decide(&self.initial, history)
    }

    fn show(&self, state: &Value) -> String {
        state.to_string()
    }
}

impl Recorded for Register {
    fn op(&self, record: &Record) -> Result<Option<RegisterOp>, &'static str> {
        Ok(match (record.action, record.answer) {
            (_, Answer::Failed) => None,
            (Action::Read, Answer::Ok) => record.value.clone().map(RegisterOp::Read),
            (Action::Read, _) | (Action::Write, Answer::Refused) => None,
            (Action::Write, _) => Some(RegisterOp::Write(record.value.clone().unwrap_or_default())),
            _ => return Err("a read or a write"),
        })
    }
}
