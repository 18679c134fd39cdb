//! Many independent objects of one kind, one a key.

use super::{Model, Recorded, Shortcut};
use crate::Nanos;
use crate::engine::Operation;
use crate::format::Record;
use crate::history::Value;

/// Many independent objects of one kind, one a key.
#[derive(Debug, Clone, Default)]
pub struct Keyed<M>(
    /// What each of them is.
    pub M,
);

/// An operation on the object of a key.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyedOp<O> {
    /// Which object; none where the history knows only one.
    pub key: Option<Value>,
    /// What is done to it.
    pub op: O,
}

impl<M: Model> Model for Keyed<M> {
    type Op = KeyedOp<M::Op>;
    type State = M::State;

    fn initial(&self, key: Option<&Value>) -> M::State {
        self.0.initial(key)
    }

    fn step(&self, state: &M::State, op: &Self::Op) -> Option<M::State> {
        self.0.step(state, &op.op)
    }

    fn observes(&self, op: &Self::Op) -> bool {
        self.0.observes(&op.op)
    }

    fn helps(&self, op: &Self::Op, other: &Self::Op) -> bool {
        self.0.helps(&op.op, &other.op)
    }

    fn shortcut(&self, key: Option<&Value>, history: &[Operation<&Self::Op>]) -> Option<Shortcut> {
        let inner: Vec<_> = history.iter().map(|one| Operation { op: &one.op.op, call: one.call, ret: one.ret }).collect();
        self.0.shortcut(key, &inner)
    }

    fn show(&self, state: &M::State) -> String {
        self.0.show(state)
    }

    fn key<'a>(&self, op: &'a Self::Op) -> Option<&'a Value> {
        op.key.as_ref()
    }
}

impl<M: Recorded> Recorded for Keyed<M> {
    fn op(&self, record: &Record) -> Result<Option<Self::Op>, &'static str> {
        Ok(self.0.op(record)?.map(|op| KeyedOp { key: record.key.clone(), op }))
    }

    fn expiries(&self, records: &[Record]) -> Vec<(Self::Op, Nanos, usize)> {
        let keyed = |(op, at, index): (M::Op, Nanos, usize)| (KeyedOp { key: records[index].key.clone(), op }, at, index);
        self.0.expiries(records).into_iter().map(keyed).collect()
    }
}
