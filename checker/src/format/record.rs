//! One finished operation of anybody's history.

use crate::Nanos;
use crate::engine::Operation;
use crate::history::Value;

/// One operation of a client, whatever the format it was read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The line that it was read from, counted from 1; where call and return have lines of their own, the call's.
    pub line: u64,
    /// Who.
    pub client: Value,
    /// What was done.
    pub action: Action,
    /// To which lock or object; none where the history knows only one.
    pub key: Option<Value>,
    /// What names the attempt: an acquire's own, and what release and write repeat.
    pub token: Option<Value>,
    /// What was read or written; none where a read was not answered.
    pub value: Option<Value>,
    /// When it was called; where a format has no times, the place in the order of events.
    pub call: Nanos,
    /// When it returned, as far as anything came back.
    pub ret: Option<Nanos>,
    /// What came back.
    pub answer: Answer,
    /// Until when a granted lock was promised.
    pub valid_until: Option<Nanos>,
}

impl Record {
    /// The record as an operation for the engine, whatever it means to the model.
    pub fn operation<O>(&self, op: O) -> Operation<O> {
        let ret = self.ret.filter(|_| self.answer != Answer::Unknown);
        Operation { op, call: self.call, ret }
    }
}

/// What is done to a lock or an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Take a lock.
    Acquire,
    /// Lengthen a lease.
    Extend,
    /// Give a lock back.
    Release,
    /// Read an object.
    Read,
    /// Write an object.
    Write,
    /// Compare and set.
    Cas,
    /// Several reads and writes at once.
    Txn,
}

impl Action {
    /// Its name in every format.
    pub fn name(self) -> &'static str {
        match self {
            Action::Acquire => "acquire",
            Action::Extend => "extend",
            Action::Release => "release",
            Action::Read => "read",
            Action::Write => "write",
            Action::Cas => "cas",
            Action::Txn => "txn",
        }
    }

    /// The action of this name.
    pub fn named(name: &str) -> Option<Action> {
        use Action::{Acquire, Cas, Extend, Read, Release, Txn, Write};
        [Acquire, Extend, Release, Read, Write, Cas, Txn].into_iter().find(|action| action.name() == name)
    }

    /// True of what is done to locks only.
    pub fn is_of_locks(self) -> bool {
        matches!(self, Action::Acquire | Action::Extend | Action::Release)
    }
}

/// What came back from an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Answer {
    /// It took effect.
    Ok,
    /// It was refused, by the rule of the object: the refusal tells something about its state.
    Refused,
    /// It had no effect, and that tells nothing.
    Failed,
    /// Nobody knows: it may have taken effect, may yet, or never will.
    Unknown,
}
