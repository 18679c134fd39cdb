//! Reports: what came out, for people and for machines, all from one history and its judgement.

pub mod diagram;
pub mod expectation;
pub mod html;
pub mod injected;
pub mod json;
pub mod lease;
pub mod mark;
pub mod operation;
pub mod paint;
pub mod remedy;
pub mod searched;
pub mod terminal;
pub mod wording;

pub use expectation::{Standing, compare};
pub use injected::{Injected, injected};
pub use searched::{Searched, Step, StuckAt};

use crate::plan::Expectation;
use checker::Nanos;
use checker::finding::Judgement;
use checker::history::{Event, Header};
use std::path::PathBuf;

/// What a report is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Subject {
    /// The history's first line.
    pub header: Header,
    /// Its events, or those of them that a report needs.
    pub events: Vec<Event>,
    /// The stamp of the history's first event, from which every time in a report counts.
    pub origin: Nanos,
    /// What the checker says of it.
    pub judgement: Judgement,
    /// What was expected.
    pub expected: Expectation,
    /// How the one stands to the other.
    pub standing: Standing,
    /// What the nemesis did.
    pub injected: Vec<Injected>,
    /// Where the run is kept; none where only a history was checked.
    pub run: Option<PathBuf>,
    /// The command that shows it again.
    pub replay: String,
    /// What the search for an order of the operations came to; none where events were judged.
    pub searched: Option<Searched>,
    /// What was odd about the history without changing its verdict, such as a torn last line.
    pub warnings: Vec<String>,
}
