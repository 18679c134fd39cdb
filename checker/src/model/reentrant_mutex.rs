//! A mutex that its owner may take again while holding it; it is free when every hold was given back.

use super::owner_mutex::OwnerOp;
use super::{Model, Recorded};
use crate::format::Record;
use crate::history::Value;

/// A reentrant mutex.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReentrantMutex;

impl Model for ReentrantMutex {
    type Op = OwnerOp;
    /// Who holds it, and how often.
    type State = Option<(Value, u32)>;

    fn initial(&self, _: Option<&Value>) -> Self::State {
        None
    }

    fn step(&self, state: &Self::State, op: &OwnerOp) -> Option<Self::State> {
        match (op, state) {
            (OwnerOp::Acquire(owner), None) => Some(Some((owner.clone(), 1))),
            (OwnerOp::Acquire(owner), Some((holder, holds))) if owner == holder => Some(Some((owner.clone(), holds + 1))),
            (OwnerOp::Hold(owner), Some((holder, _))) if owner == holder => Some(state.clone()),
            (OwnerOp::Release(owner), Some((holder, 1))) if owner == holder => Some(None),
            (OwnerOp::Release(owner), Some((holder, holds))) if owner == holder => Some(Some((owner.clone(), holds - 1))),
            _ => None,
        }
    }

    fn observes(&self, op: &OwnerOp) -> bool {
        op.observes()
    }

    fn helps(&self, op: &OwnerOp, other: &OwnerOp) -> bool {
        // A nested acquire may be what lets its owner's next release leave the lock held.
        matches!(op, OwnerOp::Acquire(_)) && matches!(other, OwnerOp::Acquire(_)) || op.helps(other)
    }

    fn show(&self, state: &Self::State) -> String {
        state.as_ref().map_or("free".into(), |(owner, holds)| format!("held {holds}× by {owner}"))
    }
}

impl Recorded for ReentrantMutex {
    fn op(&self, record: &Record) -> Result<Option<OwnerOp>, &'static str> {
        OwnerOp::of(record, &record.client)
    }
}
