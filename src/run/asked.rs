//! What the runner asks of a client, with the operation that the history has of it.

use crate::client::Do;
use crate::plan::Plan;
use checker::history::{Op, OpId};

/// A try to take a lock.
pub fn acquire(plan: &Plan, lock: &str) -> (Op, Do) {
    let op = Op::Acquire { lock: lock.to_string(), ttl_ms: plan.lease_ms() };
    (op, Do::Acquire { lock: lock.to_string(), ttl_ms: plan.lock.ttl_ms })
}

/// The release of a grant.
pub fn release(lock: &str, grant: OpId, token: &str) -> (Op, Do) {
    let op = Op::Release { lock: lock.to_string(), grant: Some(grant) };
    (op, Do::Release { lock: lock.to_string(), token: token.to_string() })
}

/// A read of a resource, under a grant or by the way.
pub fn read(resource: &str, grant: Option<OpId>) -> (Op, Do) {
    (Op::Read { resource: resource.to_string(), grant }, Do::Read { resource: resource.to_string() })
}
