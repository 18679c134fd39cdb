//! Models by their public names, applied to records of any format.

use super::cas_register::CasRegister;
use super::fenced_mutex::FencedMutex;
use super::fenced_register::FencedRegister;
use super::key_value::KeyValue;
use super::keyed::Keyed;
use super::multi_register::MultiRegister;
use super::mutex::Mutex;
use super::owner_mutex::OwnerMutex;
use super::reentrant_mutex::ReentrantMutex;
use super::register::Register;
use super::semaphore::Semaphore;
use super::{Recorded, recorded};
use crate::engine::{Limits, Outcome};
use crate::format::Record;
use crate::history::Value;
use std::fmt;
use std::str::FromStr;

/// The models that this crate has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Name {
    /// [`Register`].
    Register,
    /// [`CasRegister`].
    CasRegister,
    /// [`MultiRegister`].
    MultiRegister,
    /// [`Mutex`].
    Mutex,
    /// [`OwnerMutex`].
    OwnerMutex,
    /// [`ReentrantMutex`].
    ReentrantMutex,
    /// [`FencedMutex`].
    FencedMutex,
    /// [`Semaphore`]; its initial value is the number of permits.
    Semaphore,
    /// [`FencedRegister`].
    FencedRegister,
    /// [`KeyValue`].
    KeyValue,
}

impl Name {
    /// Every model.
    pub const ALL: [Name; 10] = [
        Name::Register,
        Name::CasRegister,
        Name::MultiRegister,
        Name::Mutex,
        Name::OwnerMutex,
        Name::ReentrantMutex,
        Name::FencedMutex,
        Name::Semaphore,
        Name::FencedRegister,
        Name::KeyValue,
    ];

    /// The public name: `cas-register`, `fenced-mutex`, …
    pub fn name(self) -> &'static str {
        match self {
            Name::Register => "register",
            Name::CasRegister => "cas-register",
            Name::MultiRegister => "multi-register",
            Name::Mutex => "mutex",
            Name::OwnerMutex => "owner-mutex",
            Name::ReentrantMutex => "reentrant-mutex",
            Name::FencedMutex => "fenced-mutex",
            Name::Semaphore => "semaphore",
            Name::FencedRegister => "fenced-register",
            Name::KeyValue => "key-value",
        }
    }

    /// Checks records against this model, object by object. Of locks `initial` is not used, of a semaphore it is the number of permits, of
    /// several registers or keys it is the value of each that was not yet written.
    ///
    /// # Errors
    /// At the first record that makes no sense to the model.
    pub fn check(self, initial: &Value, records: &[Record], limits: &Limits) -> Result<Vec<Checked>, Mismatch> {
        let initial = initial.clone();
        match self {
            Name::Register => self.run(&Keyed(Register { initial }), records, limits),
            Name::CasRegister => self.run(&Keyed(CasRegister { initial }), records, limits),
            Name::MultiRegister => self.run(&Keyed(MultiRegister { initial }), records, limits),
            Name::Mutex => self.run(&Keyed(Mutex), records, limits),
            Name::OwnerMutex => self.run(&Keyed(OwnerMutex), records, limits),
            Name::ReentrantMutex => self.run(&Keyed(ReentrantMutex), records, limits),
            Name::FencedMutex => self.run(&Keyed(FencedMutex), records, limits),
            Name::Semaphore => {
                let limit = match initial {
                    Value::Int(limit) => u32::try_from(limit).ok().filter(|&limit| limit > 0),
                    _ => None,
                };
                let expected = "the number of permits, at least 1, as the initial value";
                let limit = limit.ok_or(Mismatch { line: 0, model: self.name(), expected })?;
                self.run(&Keyed(Semaphore { limit }), records, limits)
            }
            Name::FencedRegister => self.run(&Keyed(FencedRegister { initial }), records, limits),
            Name::KeyValue => self.run(&KeyValue { initial }, records, limits),
        }
    }

    fn run(self, model: &impl Recorded, records: &[Record], limits: &Limits) -> Result<Vec<Checked>, Mismatch> {
        recorded::check(self, model, records, limits)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Name {
    type Err = UnknownModel;

    fn from_str(name: &str) -> Result<Self, UnknownModel> {
        Name::ALL.into_iter().find(|model| model.name() == name).ok_or_else(|| UnknownModel(name.into()))
    }
}

/// No model has this name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no model `{0}`; there are {list}", list = Name::ALL.map(Name::name).join(", "))]
pub struct UnknownModel(
    /// What was asked for.
    pub String,
);

/// A record that makes no sense to the model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: the model {model} expects {expected}")]
pub struct Mismatch {
    /// The record's line; 0 where the fault is not in a record.
    pub line: u64,
    /// The model's name.
    pub model: &'static str,
    /// What it had expected.
    pub expected: &'static str,
}

/// The answer for one object; indices are of records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The object's key; none where the history knows only one.
    pub key: Option<Value>,
    /// Its records.
    pub operations: Vec<usize>,
    /// The answer, with the states in words.
    pub outcome: Outcome<String>,
    /// Of a violation: the fewest records that violate whatever the others did, as far as the limits allowed; else empty.
    pub minimal: Vec<usize>,
}
