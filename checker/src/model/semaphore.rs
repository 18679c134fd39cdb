//! A semaphore: so many may hold it at once, each under the token of its attempt.

use super::owner_mutex::{OwnerOp, lease_ends};
use super::{Model, Recorded};
use crate::Nanos;
use crate::format::Record;
use crate::history::Value;

/// A semaphore.
#[derive(Debug, Clone, Copy)]
pub struct Semaphore {
    /// How many may hold it at once.
    pub limit: u32,
}

impl Model for Semaphore {
    /// The owners are tokens.
    type Op = OwnerOp;
    /// The tokens under which it is held, sorted.
    type State = Vec<Value>;

    fn initial(&self, _: Option<&Value>) -> Vec<Value> {
        Vec::new()
    }

    fn step(&self, holders: &Vec<Value>, op: &OwnerOp) -> Option<Vec<Value>> {
        let mut after = holders.clone();
        match op {
            OwnerOp::Acquire(_) if holders.len() as u64 >= u64::from(self.limit) => return None,
            OwnerOp::Acquire(token) => {
                let at = after.binary_search(token).unwrap_or_else(|at| at);
                after.insert(at, token.clone());
            }
            OwnerOp::Hold(token) => {
                after.binary_search(token).ok()?;
            }
            OwnerOp::Release(token) => {
                after.remove(after.binary_search(token).ok()?);
            }
        }
        Some(after)
    }

    fn observes(&self, op: &OwnerOp) -> bool {
        op.observes()
    }

    fn helps(&self, op: &OwnerOp, other: &OwnerOp) -> bool {
        op.helps(other)
    }

    fn show(&self, holders: &Vec<Value>) -> String {
        let tokens: Vec<String> = holders.iter().map(Value::to_string).collect();
        format!("{} of {} held: {}", holders.len(), self.limit, tokens.join(" "))
    }
}

impl Recorded for Semaphore {
    /// The token, or the client where attempts have none.
    fn op(&self, record: &Record) -> Result<Option<OwnerOp>, &'static str> {
        OwnerOp::of(record, record.token.as_ref().unwrap_or(&record.client))
    }

    fn expiries(&self, records: &[Record]) -> Vec<(OwnerOp, Nanos, usize)> {
        lease_ends(records)
    }
}
