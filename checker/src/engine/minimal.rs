//! Cuts a violation down to the operations that prove it.

use super::parts::shortcut;
use super::search::Search;
use super::{Limits, Operation};
use crate::Nanos;
use crate::model::{Model, Shortcut};
use std::time::Instant;

/// The fewest operations, as far as the limits allow, that no order explains **whatever the others did**; indices into the history, ascending. `members` are the
/// operations of one object that violate together, `stuck` the one at which the search got stuck.
///
/// An operation that is left out is not treated as if it had not happened, for then a read of a value whose write was left out would already
/// "prove" a violation. It is treated as one that may have happened between its call and its return, or not at all. So what remains violates on
/// its own, and also in the whole history; and none of it can be left out in turn.
pub fn minimal<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    members: &[usize],
    stuck: usize,
    limits: &Limits,
) -> Vec<usize> {
    let end = Instant::now() + limits.time;
    let key = members.first().and_then(|&member| model.key(&history[member].op));
    let proof = match shortcut(model, key, history, members) {
        Some(Shortcut::Violation(proof)) => proof,
        _ => members.to_vec(),
    };
    let until = history[stuck].ret.unwrap_or(Nanos::MAX);
    // What was called after the stuck operation had returned cannot have helped or hurt it.
    let members: Vec<usize> = proof.into_iter().filter(|&member| history[member].call <= until).collect();
    let violates = |kept: &[usize]| {
        // What had not yet returned may have happened, or not.
        let optional = |member: usize| history[member].ret.is_none_or(|ret| ret > until) || kept.binary_search(&member).is_err();
        let limits = Limits { time: end.saturating_duration_since(Instant::now()), ..*limits };
        Search::with_optional(model, key, history, &members, optional).violates(&limits)
    };
    let mut kept = members.clone();
    let mut size = kept.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        let mut shrunk = false;
        while at < kept.len() {
            let mut fewer = kept.clone();
            fewer.drain(at..kept.len().min(at + size));
            if violates(&fewer) {
                kept = fewer;
                shrunk = true;
            } else {
                at += size;
            }
        }
        // One by one until nothing more can go: an operation may become superfluous once another is gone.
        if size > 1 || !shrunk {
            size /= 2;
        }
    }
    kept
}
