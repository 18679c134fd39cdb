//! Operations in brief: what the judge looks at of an [`Event`], without a text or a field that none of them has.
//!
//! Operations that were read from anybody's log name few things over and over. So each name is told once, and is a number from there on.

use crate::Nanos;
use crate::history::{Completion, Event, Op, OpId, OpKind, Outcome, Value, What};

/// What is told of operations, one thing after the other.
#[derive(Debug, Clone, PartialEq)]
pub enum Brief {
    /// The text of the next number, from 0. Two numbers may have one text, and are one name then.
    Name(Box<str>),
    /// An operation is invoked.
    Begun(Begun),
    /// An operation is over.
    Ended(Ended),
}

/// An operation that is invoked.
#[derive(Debug, Clone, PartialEq)]
pub struct Begun {
    /// When.
    pub at: Nanos,
    /// Its name.
    pub id: OpId,
    /// Whose, by number.
    pub client: u32,
    /// Of which lock or resource, by number.
    pub target: u32,
    /// What it does.
    pub kind: OpKind,
    /// Under which grant.
    pub grant: Option<OpId>,
    /// Of a write: what is written.
    pub value: Value,
}

/// An operation that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct Ended {
    /// When.
    pub at: Nanos,
    /// Its name.
    pub id: OpId,
    /// Whose, by number.
    pub client: u32,
    /// How it ended.
    pub outcome: Outcome,
    /// Of an acquire: what identifies the attempt.
    pub token: Option<Value>,
    /// Of a read: the value.
    pub value: Option<Value>,
    /// Until when a granted lock was promised.
    pub valid_until: Option<Nanos>,
}

impl Brief {
    /// When it happened; none of a name.
    pub fn at(&self) -> Option<Nanos> {
        match self {
            Brief::Name(_) => None,
            Brief::Begun(begun) => Some(begun.at),
            Brief::Ended(ended) => Some(ended.at),
        }
    }

    /// The whole event; none of a name, which is added to the others.
    pub fn event(self, names: &mut Vec<Box<str>>) -> Option<Event> {
        let named = |number: u32| String::from(&*names[number as usize]);
        match self {
            Brief::Name(name) => {
                names.push(name);
                None
            }
            Brief::Begun(Begun { at, id, client, target, kind, grant, value }) => {
                let (lock, resource) = (|| named(target), || named(target));
                let op = match kind {
                    OpKind::Acquire => Op::Acquire { lock: lock(), ttl_ms: None },
                    OpKind::Extend => Op::Extend { lock: lock(), grant, ttl_ms: None },
                    OpKind::Release => Op::Release { lock: lock(), grant },
                    OpKind::Check => Op::Check { lock: lock(), grant },
                    OpKind::Read => Op::Read { resource: resource(), grant },
                    OpKind::Write => Op::Write { resource: resource(), grant, value, base: None, fence: None },
                };
                Some(Event { at, what: What::Invoke { client: named(client), id, op } })
            }
            Brief::Ended(Ended { at, id, client, outcome, token, value, valid_until }) => {
                let token = token.as_ref().map(text);
                let done = Completion { token, value, valid_until, ..Completion::new(named(client), id, outcome) };
                Some(Event { at, what: What::Done(done) })
            }
        }
    }
}

/// A value as the name of a client, a lock or an attempt.
pub(crate) fn text<T: for<'a> From<&'a str>>(value: &Value) -> T {
    match value {
        Value::Text(text) => T::from(text),
        Value::Int(number) => T::from(itoa::Buffer::new().format(*number)),
        other => T::from(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_written_as_ever() {
        for number in [0, 1, -1, 9, 10, -10, 1_234_567_890, i64::MAX, i64::MIN] {
            assert_eq!(text::<String>(&Value::Int(number)), number.to_string());
        }
    }
}
