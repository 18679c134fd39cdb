//! A mutex that knows no owners, as Knossos has it: anybody's release frees it.

use super::{Model, Recorded};
use crate::format::{Action, Answer, Record};
use crate::history::Value;

/// A mutex without owners.
#[derive(Debug, Clone, Copy, Default)]
pub struct Mutex;

/// What is done to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MutexOp {
    /// It was free and is taken.
    Acquire,
    /// It was taken and is free.
    Release,
}

impl Model for Mutex {
    type Op = MutexOp;
    /// Whether it is taken.
    type State = bool;

    fn initial(&self, _: Option<&Value>) -> bool {
        false
    }

    fn step(&self, &taken: &bool, op: &MutexOp) -> Option<bool> {
        match op {
            MutexOp::Acquire => (!taken).then_some(true),
            MutexOp::Release => taken.then_some(false),
        }
    }

    fn show(&self, &taken: &bool) -> String {
        if taken { "taken".into() } else { "free".into() }
    }
}

impl Recorded for Mutex {
    /// An acquire or a release that did not succeed tells nothing: a lock may refuse for reasons of its own.
    fn op(&self, record: &Record) -> Result<Option<MutexOp>, &'static str> {
        Ok(match (record.action, record.answer) {
            (_, Answer::Failed | Answer::Refused) => None,
            (Action::Acquire, _) => Some(MutexOp::Acquire),
            (Action::Release, _) => Some(MutexOp::Release),
            (Action::Extend | Action::Read | Action::Write, _) => None,
            _ => return Err("an acquire or a release"),
        })
    }
}
