//! Records, checked against any model that reads them.

use super::by_name::Mismatch;
use super::{Checked, Model, Name, Recorded};
use crate::engine::{self, Limits, Operation, Outcome, Stuck, minimal};
use crate::format::Record;

/// Operations for a model, with the record that each comes from.
pub(super) struct Read<O> {
    pub(super) history: Vec<Operation<O>>,
    pub(super) origin: Vec<usize>,
}

/// What the records mean to the model.
pub(super) fn read<M: Recorded>(name: Name, model: &M, records: &[Record]) -> Result<Read<M::Op>, Mismatch> {
    let mut read = Read { history: Vec::with_capacity(records.len()), origin: Vec::with_capacity(records.len()) };
    for (index, record) in records.iter().enumerate() {
        let op = model.op(record).map_err(|expected| Mismatch { line: record.line, model: name.name(), expected })?;
        if let Some(op) = op {
            read.history.push(record.operation(op));
            read.origin.push(index);
        }
    }
    for (op, at, index) in model.expiries(records) {
        read.history.push(Operation::unknown(op, at));
        read.origin.push(index);
    }
    Ok(read)
}

/// Checks records against a model.
pub(super) fn check<M: Recorded>(name: Name, model: &M, records: &[Record], limits: &Limits) -> Result<Vec<Checked>, Mismatch> {
    let Read { history, origin } = read(name, model, records)?;
    let parts = engine::check(model, &history, limits);
    Ok(parts
        .into_iter()
        .map(|part| {
            let minimal = match &part.outcome {
                Outcome::Violation(stuck) => minimal(model, &history, &part.operations, stuck.operation, limits),
                _ => Vec::new(),
            };
            let outcome = shown(model, part.outcome, &origin);
            Checked { key: part.key, operations: named(part.operations, &origin), outcome, minimal: named(minimal, &origin) }
        })
        .collect())
}

/// The records of these operations, each once.
pub(super) fn named(operations: Vec<usize>, origin: &[usize]) -> Vec<usize> {
    let mut records: Vec<usize> = operations.into_iter().map(|operation| origin[operation]).collect();
    records.sort_unstable();
    records.dedup();
    records
}

/// The outcome with states in words and operations by record.
pub(super) fn shown<M: Model>(model: &M, outcome: Outcome<M::State>, origin: &[usize]) -> Outcome<String> {
    let name = |stuck: Stuck<M::State>| Stuck {
        operation: origin[stuck.operation],
        states: stuck.states.iter().map(|state| model.show(state)).collect(),
        prefix: stuck.prefix.into_iter().map(|operation| origin[operation]).collect(),
    };
    match outcome {
        Outcome::Linearizable { order } => {
            Outcome::Linearizable { order: order.map(|order| order.into_iter().map(|operation| origin[operation]).collect()) }
        }
        Outcome::Violation(stuck) => Outcome::Violation(name(stuck)),
        Outcome::Unknown(stuck, bound) => Outcome::Unknown(name(stuck), bound),
    }
}
