//! A key-value store: a register with compare-and-set under every key, independent of the others.

use super::cas_register::CasOp;
use super::{Model, Recorded};
use crate::format::Record;
use crate::history::Value;

/// A key-value store.
#[derive(Debug, Clone, Default)]
pub struct KeyValue {
    /// The value of every key that was not yet written.
    pub initial: Value,
}

/// What is done to one key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyValueOp {
    /// Which key.
    pub key: Value,
    /// What is done to it; a deletion writes nil.
    pub op: CasOp,
}

impl Model for KeyValue {
    type Op = KeyValueOp;
    type State = Value;

    fn initial(&self, _: Option<&Value>) -> Value {
        self.initial.clone()
    }

    fn step(&self, state: &Value, op: &KeyValueOp) -> Option<Value> {
        op.op.apply(state)
    }

    fn observes(&self, op: &KeyValueOp) -> bool {
        op.op.observes()
    }

    fn helps(&self, op: &KeyValueOp, other: &KeyValueOp) -> bool {
        op.op.helps(&other.op)
    }

    fn show(&self, state: &Value) -> String {
        state.to_string()
    }

    fn key<'a>(&self, op: &'a KeyValueOp) -> Option<&'a Value> {
        Some(&op.key)
    }
}

impl Recorded for KeyValue {
    /// The key is the record's, or the first of the pair `[key value]` that Jepsen's independent keys write.
    fn op(&self, record: &Record) -> Result<Option<KeyValueOp>, &'static str> {
        let (key, value) = match (&record.key, &record.value) {
            (Some(key), value) => (key, value.as_ref()),
            (None, Some(Value::List(pair))) if pair.len() == 2 => (&pair[0], Some(&pair[1])),
            _ => return Err("a key, or a value that is the pair [key value]"),
        };
        Ok(CasOp::of(record.action, record.answer, value)?.map(|op| KeyValueOp { key: key.clone(), op }))
    }
}
