//! Operations of locks, as a stream of events for the judge or as records for the engine.

use super::events::ToEvents;
use super::operations::Reader;
use super::reorder::Reorder;
use super::{ReadError, Record};
use crate::history::Event;

/// Operations of locks that are still to be read.
pub struct Locks {
    reader: Reader,
}

impl Locks {
    /// Everything that a reader of operations gives.
    pub fn new(reader: Reader) -> Self {
        Locks { reader }
    }

    /// The records in the order of the lines, read as they are asked for.
    pub fn lines(self) -> impl Iterator<Item = Result<Record, ReadError>> {
        self.reader
    }

    /// The events in the order of time, read as they are asked for: memory does not grow with the file. Lines may come in the order of calls, of
    /// returns, or any that is not further than 8,192 lines from it; beyond that an item is [`ReadError::OutOfOrder`], and
    /// the file must be opened again and be [`sorted`](Locks::sorted).
    pub fn events(self) -> Events {
        let file = self.reader.file().clone();
        Events { events: ToEvents::new(Reorder::new(self.reader, file)) }
    }

    /// The events in the order of time, whatever the order of the lines; the whole file is read first. The count is of the lines that were skipped.
    ///
    /// # Errors
    /// The first line that cannot be read, unless bad lines are skipped.
    pub fn sorted(self) -> Result<(impl Iterator<Item = Event>, u64), ReadError> {
        let (mut records, skipped) = self.records()?;
        records.sort_by_key(|record| record.call);
        let events = ToEvents::new(records.into_iter().map(Ok)).map(|event| event.expect("what was read is not read again"));
        Ok((events, skipped))
    }

    /// The records in the order of the lines, and how many lines were skipped.
    ///
    /// # Errors
    /// The first line that cannot be read, unless bad lines are skipped.
    pub fn records(mut self) -> Result<(Vec<Record>, u64), ReadError> {
        let records = self.reader.by_ref().collect::<Result<Vec<_>, _>>()?;
        Ok((records, self.reader.skipped()))
    }
}

/// The events of lock operations, in the order of time.
pub struct Events {
    events: ToEvents<Reorder<Reader>>,
}

impl Events {
    /// How many lines were left out so far because they could not be read.
    pub fn skipped(&self) -> u64 {
        self.events.source().source().skipped()
    }
}

impl Iterator for Events {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.events.next()
    }
}
