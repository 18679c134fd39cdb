//! Models: what an object does when its operations come one after the other.

pub mod by_name;
pub mod cas_register;
pub mod fenced_mutex;
pub mod fenced_register;
pub mod key_value;
pub mod keyed;
pub mod multi_register;
pub mod mutex;
pub mod owner_mutex;
mod recorded;
pub mod reentrant_mutex;
pub mod register;
pub mod semaphore;

pub use by_name::{Checked, Name};

use crate::Nanos;
use crate::engine::Operation;
use crate::format::Record;
use crate::history::Value;
use std::fmt::Debug;
use std::hash::Hash;

/// What an object does when its operations come one after the other. The engine asks whether some such order explains a
/// concurrent history.
pub trait Model: Sync {
    /// An operation with its result.
    type Op: Clone + Eq + Hash + Debug + Send + Sync;
    /// All that the past has left behind.
    type State: Clone + Eq + Hash + Debug + Send + Sync;

    /// The state of an object that nobody has touched.
    fn initial(&self, key: Option<&Value>) -> Self::State;

    /// The state after the operation; none where it cannot have had this result in this state. An operation of unknown outcome
    /// is asked only for its effect.
    fn step(&self, state: &Self::State, op: &Self::Op) -> Option<Self::State>;

    /// True where the operation changes no state whatsoever. The engine takes such a step as soon as it fits; true for an operation that does
    /// change a state gives wrong verdicts, false for one that does not costs time only.
    fn observes(&self, op: &Self::Op) -> bool {
        let _ = op;
        false
    }

    /// False where leaving `op` out never makes `other` impossible, whatever comes before and between. An operation of unknown outcome that helps no other of
    /// the history is left out; false for one that does help gives wrong verdicts, true for one that does not costs time only.
    fn helps(&self, op: &Self::Op, other: &Self::Op) -> bool {
        let _ = (op, other);
        true
    }

    /// The verdict on one object's history where the model knows it without a search.
    fn shortcut(&self, key: Option<&Value>, history: &[Operation<&Self::Op>]) -> Option<Shortcut> {
        let _ = (key, history);
        None
    }

    /// A state in words, for the explanation of a violation.
    fn show(&self, state: &Self::State) -> String {
        format!("{state:?}")
    }

    /// The object that the operation is about. Objects are independent: each is checked alone, from its own initial state.
    fn key<'a>(&self, op: &'a Self::Op) -> Option<&'a Value> {
        let _ = op;
        None
    }
}

/// A verdict that needed no search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shortcut {
    /// Some order of the operations explains every result.
    Linearizable,
    /// No order does, whatever the operations that are not named did: indices into the history, ascending.
    Violation(Vec<usize>),
}

/// A model whose operations can be read from records of any format.
pub trait Recorded: Model {
    /// What a record means to this model; none where it can be left out because it tells nothing about the object.
    ///
    /// # Errors
    /// With what the model had expected, where the record makes no sense to it.
    fn op(&self, record: &Record) -> Result<Option<Self::Op>, &'static str>;

    /// What happens by itself at some time after a moment that records name, such as the end of a lease: the operation, from when, and the
    /// record that says so.
    fn expiries(&self, records: &[Record]) -> Vec<(Self::Op, Nanos, usize)> {
        let _ = records;
        Vec::new()
    }
}
