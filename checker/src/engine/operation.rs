//! What the engine is given: operations with the interval in which each took effect.

use crate::Nanos;

/// One operation on one object, and when it can have taken effect.
///
/// Intervals are closed: an operation precedes another only if it returned strictly before the other was called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operation<O> {
    /// What was done, with its result.
    pub op: O,
    /// When it was called.
    pub call: Nanos,
    /// When it returned; none where the outcome is unknown: it took effect at some time after the call, or never.
    pub ret: Option<Nanos>,
}

impl<O> Operation<O> {
    /// An operation that certainly took effect between its call and its return.
    pub fn known(op: O, call: Nanos, ret: Nanos) -> Self {
        Operation { op, call, ret: Some(ret) }
    }

    /// An operation that may have taken effect at any time after its call, or never.
    pub fn unknown(op: O, call: Nanos) -> Self {
        Operation { op, call, ret: None }
    }
}
