//! Several registers, read and written together in transactions.

use super::{Model, Recorded};
use crate::format::{Action, Answer, Record};
use crate::history::Value;

/// Several registers, read and written together in transactions.
#[derive(Debug, Clone, Default)]
pub struct MultiRegister {
    /// The value of every register that was not yet written.
    pub initial: Value,
}

/// One step of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Micro {
    /// A read of a register that returned this.
    Read(Value, Value),
    /// A write of this to a register.
    Write(Value, Value),
}

impl Model for MultiRegister {
    /// The steps of a transaction, taken at once.
    type Op = Vec<Micro>;
    /// The registers that were written, by name.
    type State = Vec<(Value, Value)>;

    fn initial(&self, _: Option<&Value>) -> Self::State {
        Vec::new()
    }

    fn step(&self, state: &Self::State, op: &Vec<Micro>) -> Option<Self::State> {
        let mut after = state.clone();
        for micro in op {
            match micro {
                Micro::Read(register, value) => {
                    let place = after.binary_search_by(|(name, _)| name.cmp(register));
                    if place.map_or(&self.initial, |at| &after[at].1) != value {
                        return None;
                    }
                }
                Micro::Write(register, value) => match after.binary_search_by(|(name, _)| name.cmp(register)) {
                    Ok(at) => after[at].1 = value.clone(),
                    Err(at) => after.insert(at, (register.clone(), value.clone())),
                },
            }
        }
        Some(after)
    }

    fn observes(&self, op: &Vec<Micro>) -> bool {
        op.iter().all(|micro| matches!(micro, Micro::Read(..)))
    }

    fn show(&self, state: &Self::State) -> String {
        let written: Vec<String> = state.iter().map(|(register, value)| format!("{register}={value}")).collect();
        format!("{{{}}}", written.join(" "))
    }
}

impl Recorded for MultiRegister {
    /// A transaction's value lists its steps: `[[:read :x 1] [:write :y 2]]`; `r` and `w` are understood too. A read of nil was not
    /// answered and tells nothing.
    fn op(&self, record: &Record) -> Result<Option<Vec<Micro>>, &'static str> {
        if matches!(record.answer, Answer::Failed | Answer::Refused) {
            return Ok(None);
        }
        let (Action::Txn, Some(Value::List(steps))) = (record.action, &record.value) else {
            return Err("a txn whose value lists its steps");
        };
        let mut op = Vec::with_capacity(steps.len());
        for step in steps {
            let Value::List(step) = step else { return Err("a step [:read register value] or [:write register value]") };
            match &step[..] {
                [Value::Text(f), register, value] if matches!(&**f, "write" | "w") => {
                    op.push(Micro::Write(register.clone(), value.clone()))
                }
                [Value::Text(f), _, Value::Nil] if matches!(&**f, "read" | "r") => {}
                [Value::Text(f), register, value] if matches!(&**f, "read" | "r") => {
                    // What a transaction of unknown outcome would have read is not known either.
                    if record.answer == Answer::Ok {
                        op.push(Micro::Read(register.clone(), value.clone()));
                    }
                }
                _ => return Err("a step [:read register value] or [:write register value]"),
            }
        }
        Ok((!op.is_empty()).then_some(op))
    }
}
