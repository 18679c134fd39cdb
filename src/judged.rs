//! A history file, read and judged.

use checker::Nanos;
use checker::finding::Judgement;
use checker::history::{Event, Header};
use std::path::{Path, PathBuf};

/// What is to be known of a history file.
#[derive(Debug, Clone, PartialEq)]
pub struct Judged {
    /// Its first line.
    pub header: Header,
    /// The stamp of its first event.
    pub origin: Nanos,
    /// Those of its events that a report needs.
    pub events: Vec<Event>,
    /// What the checker says.
    pub judgement: Judgement,
    /// What was odd without changing the verdict, such as a torn last line.
    pub warnings: Vec<String>,
}

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
    /// A line is not what it must be; the text names file, line and what was expected.
    #[error("{0}")]
    Malformed(String),
}

/// Reads and judges a history.
///
/// # Errors
/// It cannot be read.
pub fn judge(path: &Path) -> Result<Judged, BadHistory> {
    let unreadable = |why| BadHistory::Unreadable { path: path.into(), why };
    if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        let inside = path.join("history.jsonl");
        let hint = if inside.is_file() { format!("; did you mean {}?", inside.display()) } else { String::new() };
        return Err(BadHistory::Malformed(format!("{} is a folder, not a history{hint}", path.display())));
    }
    // SEAM: checker::history::jsonl::Reader and checker::judge::Judge go here.
    Err(BadHistory::Malformed(format!("{}: this build has no reader of histories yet", path.display())))
}
