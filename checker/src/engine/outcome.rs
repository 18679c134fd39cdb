//! What the engine answers.

use crate::history::Value;

/// The answer for one object of a history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part<S> {
    /// The object's key; none where the model knows one object only.
    pub key: Option<Value>,
    /// Its operations, as indices into the history.
    pub operations: Vec<usize>,
    /// The answer.
    pub outcome: Outcome<S>,
}

/// The answer of one search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome<S> {
    /// Some order of the operations explains every result.
    Linearizable {
        /// Such an order, as indices into the history, where the search that won knows one; operations of unknown outcome
        /// that never took effect are not in it.
        order: Option<Vec<usize>>,
    },
    /// No order does.
    Violation(Stuck<S>),
    /// A bound ended the search.
    Unknown(Stuck<S>, Bound),
}

/// Where a search got stuck, or how far it had come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck<S> {
    /// The operation that fits none of the states that were possible when it returned: an index into the history.
    pub operation: usize,
    /// The states that were possible there, a few of them where there are many.
    pub states: Vec<S>,
    /// An order of everything that had to take effect before that operation, as indices into the history: the longest prefix that
    /// can be explained. Empty where the explanation would have taken too long.
    pub prefix: Vec<usize>,
}

/// The bound that ended a search without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Bound {
    /// The time allowed was over.
    Time,
    /// The memory allowed was full.
    Memory,
    /// Somebody else had the answer first.
    Cancelled,
}

impl<S> Outcome<S> {
    /// True where some order explains every result.
    pub fn is_linearizable(&self) -> bool {
        matches!(self, Outcome::Linearizable { .. })
    }

    /// True where no order explains every result.
    pub fn is_violation(&self) -> bool {
        matches!(self, Outcome::Violation(_))
    }

    /// Where the search got stuck; none where an order was found.
    pub fn stuck(&self) -> Option<&Stuck<S>> {
        match self {
            Outcome::Linearizable { .. } => None,
            Outcome::Violation(stuck) | Outcome::Unknown(stuck, _) => Some(stuck),
        }
    }
}
