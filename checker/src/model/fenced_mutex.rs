//! A mutex that knows every grant by the token of its attempt: only that attempt's release frees it. With a token for
//! every acquire, a lost reply cannot explain a double holder away.

use super::owner_mutex::{OwnerOp, lease_ends};
use super::{Model, Recorded};
use crate::Nanos;
use crate::format::Record;
use crate::history::Value;

/// A mutex with a token for every acquire.
#[derive(Debug, Clone, Copy, Default)]
pub struct FencedMutex;

impl Model for FencedMutex {
    /// The owners are tokens.
    type Op = OwnerOp;
    /// The token under which it is held.
    type State = Option<Value>;

    fn initial(&self, _: Option<&Value>) -> Option<Value> {
        None
    }

    fn step(&self, holder: &Option<Value>, op: &OwnerOp) -> Option<Option<Value>> {
        op.apply(holder)
    }

    fn observes(&self, op: &OwnerOp) -> bool {
        op.observes()
    }

    fn helps(&self, op: &OwnerOp, other: &OwnerOp) -> bool {
        op.helps(other)
    }

    fn show(&self, holder: &Option<Value>) -> String {
        holder.as_ref().map_or("free".into(), |token| format!("held under token {token}"))
    }
}

impl Recorded for FencedMutex {
    fn op(&self, record: &Record) -> Result<Option<OwnerOp>, &'static str> {
        OwnerOp::of(record, record.token.as_ref().ok_or("a token")?)
    }

    fn expiries(&self, records: &[Record]) -> Vec<(OwnerOp, Nanos, usize)> {
        lease_ends(records)
    }
}
