//! Operations of locks, as a stream of events for the judge or as records for the engine.

use super::briefs::ToBriefs;
use super::naming::Naming;
use super::operations::Reader;
use super::reorder::Reorder;
use super::{ReadError, Record};
use crate::history::Event;
use crate::judge::brief::Brief;

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
        Events { briefs: self.briefs(), names: Vec::new() }
    }

    /// The same in brief, as the judge takes it in soonest.
    pub fn briefs(self) -> Briefs {
        let file = self.reader.file().clone();
        Briefs { briefs: ToBriefs::new(Reorder::new(Naming::new(self.reader), file)) }
    }

    /// The events in the order of time, whatever the order of the lines; the whole file is read first. The count is of the lines that were skipped.
    ///
    /// # Errors
    /// The first line that cannot be read, unless bad lines are skipped.
    pub fn sorted(self) -> Result<(impl Iterator<Item = Event>, u64), ReadError> {
        let (mut records, skipped) = self.records()?;
        records.sort_by_key(|record| record.call);
        let briefs = ToBriefs::new(Naming::new(records.into_iter().map(Ok)));
        let mut names = Vec::new();
        let events = briefs.filter_map(move |brief| brief.expect("what was read is not read again").event(&mut names));
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

/// What is told of lock operations, in the order of time.
pub struct Briefs {
    briefs: ToBriefs<Reorder<Naming<Reader>>>,
}

impl Briefs {
    /// How many lines were left out so far because they could not be read.
    pub fn skipped(&self) -> u64 {
        self.briefs.source().source().source().skipped()
    }
}

impl Iterator for Briefs {
    type Item = Result<Brief, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.briefs.next()
    }
}

/// The events of lock operations, in the order of time.
pub struct Events {
    briefs: Briefs,
    names: Vec<Box<str>>,
}

impl Events {
    /// How many lines were left out so far because they could not be read.
    pub fn skipped(&self) -> u64 {
        self.briefs.skipped()
    }
}

impl Iterator for Events {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.briefs.find_map(|brief| brief.map(|brief| brief.event(&mut self.names)).transpose())
    }
}
