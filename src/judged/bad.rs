//! Why a history cannot be judged.

use crate::problem::Problem;
use checker::format::ReadError;
use std::path::PathBuf;

/// Why a history cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum BadHistory {
    /// It cannot be read.
    #[error("{} cannot be read: {why}", path.display())]
    Unreadable {
        /// Which file.
        path: PathBuf,
        /// Why.
        why: std::io::Error,
    },
    /// It is a folder.
    #[error("{} is a folder, not a history{hint}", path.display())]
    Folder {
        /// Which folder.
        path: PathBuf,
        /// The history in it, if there is one.
        hint: String,
    },
    /// A line of a run's own history is not what it must be.
    #[error("{0}")]
    Malformed(Box<Problem>),
    /// A history of another format cannot be read.
    #[error("{}", printable(&.0.to_string()))]
    Foreign(#[from] ReadError),
    /// An operation makes no sense to the model.
    #[error("{file}:{line}: the model {model} expects {expected}")]
    Mismatch {
        /// Which file.
        file: String,
        /// Its line, from 1.
        line: u64,
        /// The model.
        model: &'static str,
        /// What it had expected.
        expected: &'static str,
    },
    /// What was asked for is not enough for the model.
    #[error("the model {model} needs {expected}: give --initial")]
    NeedsInitial {
        /// The model.
        model: &'static str,
        /// What it had expected.
        expected: &'static str,
    },
    /// A model was asked for that a run's own history has no use for.
    #[error(
        "{file} is the history of a run, which names its locks and resources itself: --model and --initial are for histories of other formats"
    )]
    OfARun {
        /// Which file.
        file: String,
    },
}

impl BadHistory {
    /// True where the command line is to be changed, not the history.
    pub fn is_usage(&self) -> bool {
        matches!(self, BadHistory::NeedsInitial { .. } | BadHistory::OfARun { .. })
    }
}

/// What a file holds gives a terminal no orders; the lines of the message stay.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\n' { '\u{fffd}' } else { c }).collect()
}
