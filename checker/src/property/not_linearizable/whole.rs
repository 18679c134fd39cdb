//! The operations of one register from its first, for the engine: where a value is written twice, its reads name no write.

use super::cluster::Mark;
use crate::Nanos;
use crate::engine::{self, Limits, Operation, Outcome as Answer};
use crate::history::{Outcome, Value};
use crate::judge::fact::{Completed, Instant, OpKind};
use crate::judge::names::Name;
use crate::model::register::{Register, RegisterOp};
use std::time::Duration;

/// How many operations of one register are kept; of a longer history only what is written once is judged.
pub const KEPT: usize = 1 << 12;

/// How many of all registers together.
pub const KEPT_OF_ALL: usize = 1 << 16;

/// How long the search of one register may take, and how much it may remember.
const LIMITS: Limits = Limits { time: Duration::from_secs(10), memory: 1 << 28 };

/// The operations of one register from its first; none where they were too many.
#[derive(Debug)]
pub(super) struct Whole(Option<Vec<Kept>>);

#[derive(Debug, Clone)]
struct Kept {
    operation: Operation<RegisterOp>,
    mark: Mark,
}

/// What became of a search.
pub(super) enum Searched {
    /// Some order explains everything.
    Explained,
    /// No order does; these operations alone show it.
    Violation(Vec<(Mark, RegisterOp)>),
    /// There was no answer: why.
    Unknown(&'static str),
}

impl Default for Whole {
    fn default() -> Self {
        Whole(Some(Vec::new()))
    }
}

impl Whole {
    /// Takes in a write or a read that ended; `all` counts what is kept of all registers.
    pub(super) fn done(&mut self, done: &Completed, all: &mut usize) {
        let Some(kept) = &mut self.0 else { return };
        let op = match (done.op.kind, done.outcome) {
            (_, Outcome::Fail) | (OpKind::Read, Outcome::Info) => return,
            (OpKind::Read, _) => done.value.clone().map(RegisterOp::Read),
            _ => done.op.value.clone().map(RegisterOp::Write),
        };
        let Some(op) = op else { return };
        if kept.len() == KEPT || *all == KEPT_OF_ALL {
            *all -= kept.len();
            self.0 = None;
            return;
        }
        *all += 1;
        let ret = (done.outcome == Outcome::Ok).then_some(done.at);
        let mark = Mark { at: done.op.at, id: done.op.id, client: done.op.client };
        kept.push(Kept { operation: Operation { op, call: done.op.at, ret }, mark });
    }

    /// Searches for an order of them, and of the writes that never ended.
    pub(super) fn search(&self, now: &Instant<'_>, name: Name, initial: Option<&Value>) -> Searched {
        let Some(kept) = &self.0 else {
            return Searched::Unknown("there were too many operations to search for an order of them");
        };
        let pending = now.leases.pending().filter(|op| op.kind == OpKind::Write && op.target == name);
        let mut pending: Vec<Kept> = pending
            .filter_map(|op| {
                let operation = Operation::unknown(RegisterOp::Write(op.value.clone()?), op.at);
                Some(Kept { operation, mark: Mark { at: op.at, id: op.id, client: op.client } })
            })
            .collect();
        pending.sort_by_key(|kept| kept.mark.id);
        let all: Vec<Kept> = kept.iter().cloned().chain(pending).collect();
        let operations: Vec<Operation<RegisterOp>> = all.iter().map(|kept| kept.operation.clone()).collect();
        let register = Register { initial: initial.cloned().or_else(|| first_read(&operations)).unwrap_or_default() };
        let parts = engine::check(&register, &operations, &LIMITS);
        let mut answer = Searched::Explained;
        for part in &parts {
            match &part.outcome {
                Answer::Linearizable { .. } => {}
                Answer::Unknown(..) => answer = Searched::Unknown("the search for an order of the operations took too long"),
                Answer::Violation(stuck) => {
                    let few = engine::minimal(&register, &operations, &part.operations, stuck.operation, &LIMITS);
                    return Searched::Violation(few.iter().map(|at| (all[*at].mark, operations[*at].op.clone())).collect());
                }
            }
        }
        answer
    }
}

/// What was first read that nobody had begun to write.
fn first_read(operations: &[Operation<RegisterOp>]) -> Option<Value> {
    let first_write = |value: &Value| {
        let of_it = operations.iter().filter(|other| matches!(&other.op, RegisterOp::Write(written) if written == value));
        of_it.map(|write| write.call).min().unwrap_or(Nanos::MAX)
    };
    let mut reads: Vec<(Nanos, &Value)> = operations
        .iter()
        .filter_map(|operation| match (&operation.op, operation.ret) {
            (RegisterOp::Read(value), Some(ret)) => Some((ret, value)),
            _ => None,
        })
        .collect();
    reads.sort_by_key(|(ret, _)| *ret);
    reads.into_iter().find(|(ret, value)| *ret < first_write(value)).map(|(_, value)| value.clone())
}
