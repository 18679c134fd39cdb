//! A register with compare-and-set.

use super::{Model, Recorded};
use crate::format::{Action, Answer, Record};
use crate::history::Value;

/// A register with compare-and-set.
#[derive(Debug, Clone, Default)]
pub struct CasRegister {
    /// Its value before the first write.
    pub initial: Value,
}

/// What is done to a register with compare-and-set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum CasOp {
    /// A read that returned this.
    Read(Value),
    /// A write of this.
    Write(Value),
    /// It was the first and became the second.
    Cas(Value, Value),
    /// A compare-and-set that was refused: it was not this.
    Mismatch(Value),
}

impl CasOp {
    /// The value after the operation on a register that holds `state`; none where it cannot have had this result.
    pub fn apply(&self, state: &Value) -> Option<Value> {
        match self {
            CasOp::Read(value) => (value == state).then(|| state.clone()),
            CasOp::Write(value) => Some(value.clone()),
            CasOp::Cas(from, to) => (from == state).then(|| to.clone()),
            CasOp::Mismatch(value) => (value != state).then(|| state.clone()),
        }
    }

    /// Whether it may be what lets another operation happen: it helps who finds what it writes, and who finds something else than before.
    pub fn helps(&self, other: &CasOp) -> bool {
        let (CasOp::Write(written) | CasOp::Cas(_, written)) = self else { return false };
        match other {
            CasOp::Read(found) | CasOp::Cas(found, _) => found == written,
            CasOp::Mismatch(missed) => missed != written,
            CasOp::Write(_) => false,
        }
    }

    /// True of a read and of a compare-and-set that was refused.
    pub fn observes(&self) -> bool {
        matches!(self, CasOp::Read(_) | CasOp::Mismatch(_))
    }

    /// What a record with this action, answer and value means; none where it tells nothing.
    ///
    /// # Errors
    /// With what was expected, where it makes no sense.
    pub fn of(action: Action, answer: Answer, value: Option<&Value>) -> Result<Option<CasOp>, &'static str> {
        Ok(match (action, answer) {
            (_, Answer::Failed) => None,
            (Action::Read, Answer::Ok) => value.cloned().map(CasOp::Read),
            (Action::Read, _) | (Action::Write, Answer::Refused) => None,
            (Action::Write, _) => Some(CasOp::Write(value.cloned().unwrap_or_default())),
            (Action::Cas, answer) => match (value, answer) {
                (Some(Value::List(pair)), Answer::Refused) if pair.len() == 2 => Some(CasOp::Mismatch(pair[0].clone())),
                (Some(Value::List(pair)), _) if pair.len() == 2 => Some(CasOp::Cas(pair[0].clone(), pair[1].clone())),
                _ => return Err("a cas with the pair [was becomes]"),
            },
            _ => return Err("a read, a write or a cas"),
        })
    }
}

impl Model for CasRegister {
    type Op = CasOp;
    type State = Value;

    fn initial(&self, _: Option<&Value>) -> Value {
        self.initial.clone()
    }

    fn step(&self, state: &Value, op: &CasOp) -> Option<Value> {
        op.apply(state)
    }

    fn observes(&self, op: &CasOp) -> bool {
        op.observes()
    }

    fn helps(&self, op: &CasOp, other: &CasOp) -> bool {
        op.helps(other)
    }

    fn show(&self, state: &Value) -> String {
        state.to_string()
    }
}

impl Recorded for CasRegister {
    fn op(&self, record: &Record) -> Result<Option<CasOp>, &'static str> {
        CasOp::of(record.action, record.answer, record.value.as_ref())
    }
}
