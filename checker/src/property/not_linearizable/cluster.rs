//! The operations of one value of one register.

use crate::Nanos;
use crate::history::{OpId, Value};
use crate::judge::names::Name;

/// One end of an operation.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    pub(super) at: Nanos,
    pub(super) id: OpId,
    pub(super) client: Name,
}

/// The operations of one value: its write and the reads that returned it.
#[derive(Debug, Clone)]
pub(super) struct Cluster {
    pub(super) value: Value,
    /// Tells it from the others of its register, in the order of their writes; 0 is the initial value's.
    pub(super) number: u64,
    /// The write; none of the initial value.
    pub(super) write: Option<Mark>,
    /// The first return.
    pub(super) first: Option<Mark>,
    /// The last call; none of an initial value that was not read.
    pub(super) last: Option<Mark>,
    /// The read that returned first.
    pub(super) reader: Option<Mark>,
}

/// A moment on the axis of stamps, and those before and after all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Moment {
    Before,
    At(Nanos),
    After,
}

impl Cluster {
    /// A value whose write was just called.
    pub(super) fn written(value: Value, number: u64, write: Mark) -> Self {
        Cluster { value, number, write: Some(write), first: None, last: Some(write), reader: None }
    }

    /// The value that was there before any write.
    pub(super) fn initial(value: Value) -> Self {
        Cluster { value, number: 0, write: None, first: None, last: None, reader: None }
    }

    /// With a read that returned the value.
    pub(super) fn with_read(mut self, called: Mark, returned: Mark) -> Self {
        self.first.get_or_insert(returned);
        self.reader.get_or_insert(returned);
        self.last = self.last.filter(|last| last.at >= called.at).or(Some(called));
        self
    }

    /// By when it was there at the latest.
    pub(super) fn there(&self) -> Moment {
        match (self.write, self.first) {
            (None, _) => Moment::Before,
            (_, Some(first)) => Moment::At(first.at),
            (_, None) => Moment::After,
        }
    }

    /// Until when it was there at the earliest; a write alone may take effect when it is called.
    pub(super) fn still(&self) -> Moment {
        self.last.map_or(Moment::Before, |last| Moment::At(last.at))
    }

    /// Whether it was certainly there for a while: between its first return and its last call.
    pub(super) fn is_forward(&self) -> bool {
        self.there() < self.still()
    }

    /// The operations that prove where it lies.
    pub(super) fn proof(&self) -> impl Iterator<Item = Mark> {
        [self.write, self.first, self.last].into_iter().flatten()
    }
}
