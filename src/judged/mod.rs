//! A history of any format, read and judged.

mod bad;
mod edn;
mod events;
mod locks;
mod objects;
mod pass;
mod records;
mod source;

pub use bad::BadHistory;
pub use edn::write_edn;
pub use events::kept;
pub use source::Source;

use crate::report::Searched;
use checker::Nanos;
use checker::engine::Limits;
use checker::finding::Judgement;
use checker::format::{BadLines, Content};
use checker::history::{Event, Header, Value};
use checker::model::Name;

/// Which events of a history a report is given: all of one that is short enough; of a longer one those around the findings are looked up again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// What a terminal can tell: all of a run of ours.
    Telling,
    /// What a page shows: everything, until it is too large for a browser.
    Everything,
}

impl Keep {
    /// The most events that are kept.
    fn most(self) -> usize {
        match self {
            Keep::Telling => 50_000,
            Keep::Everything => 4_000_000,
        }
    }
}

/// How a history is judged.
#[derive(Debug, Clone, PartialEq)]
pub struct How {
    /// Which events a report is given.
    pub keep: Keep,
    /// What to do with lines that cannot be read.
    pub bad: BadLines,
    /// The model to hold it against; absent: what the content suggests.
    pub model: Option<Name>,
    /// The value before the first write; absent: what the content suggests.
    pub initial: Option<Value>,
    /// How long the search of one object may take.
    pub limits: Limits,
}

impl How {
    /// As the content suggests, with nothing skipped.
    pub fn new(keep: Keep) -> How {
        How { keep, bad: BadLines::Refuse, model: None, initial: None, limits: Limits::default() }
    }
}

/// What is to be known of a history.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Its first line, as far as it has one.
    pub header: Header,
    /// The stamp of its first event.
    pub origin: Nanos,
    /// Those of its events that a report needs.
    pub events: Vec<Event>,
    /// What the checker says.
    pub judgement: Judgement,
    /// What the search for an order of its operations came to, where there was one.
    pub searched: Option<Searched>,
    /// What was odd without changing the verdict, such as a torn last line.
    pub warnings: Vec<String>,
}

/// What a report needs of the history of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Kept {
    /// The stamp of its first event.
    pub origin: Nanos,
    /// Its events, or those of them around the findings.
    pub events: Vec<Event>,
}

/// Reads and judges a history. One of locks is read as a stream, in memory that does not grow with it; one of other objects is searched as a whole.
///
/// # Errors
/// It cannot be read, or the model that was asked for cannot read it.
pub fn judge(source: &Source, how: &How) -> Result<Judged, BadHistory> {
    match source.content(how.bad)? {
        Content::Events(_) if how.model.is_some() || how.initial.is_some() => {
            Err(BadHistory::OfARun { file: source.name().into() })
        }
        Content::Events(input) => events::judge(source, input, how),
        Content::Locks(locks) if how.model.is_none() => locks::judge(source, locks, how),
        Content::Locks(locks) => objects::judge(source, objects::of_locks(locks)?, how),
        Content::Objects(objects) => objects::judge(source, objects, how),
    }
}

/// How many lines were left out, in words.
fn skipped(lines: u64) -> Option<String> {
    match lines {
        0 => None,
        1 => Some("1 line could not be read and was skipped".into()),
        n => Some(format!("{n} lines could not be read and were skipped")),
    }
}
