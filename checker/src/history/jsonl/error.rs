//! What can be wrong with a line, in words.

use super::reader::MAX_LINE;
use crate::history::VERSION;
use crate::suggest;
use std::{fmt, io};

/// A line that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {problem}", Place(*line, *column))]
pub struct ReadError {
    /// Its number, from 1.
    pub line: u64,
    /// The byte within it, from 1, where that is known.
    pub column: Option<usize>,
    /// What is wrong with it.
    pub problem: Problem,
}

/// What is wrong with a line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// It could not be had at all. Reading ends here.
    #[error("cannot be read: {0}")]
    Io(#[from] io::Error),
    /// It is longer than [`MAX_LINE`]. Reading ends here.
    #[error("longer than {} MiB, which no event is", MAX_LINE >> 20)]
    TooLong,
    /// It is empty.
    #[error("empty; each line must be one JSON object")]
    Blank,
    /// It is not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// The history has no header, or no bytes at all.
    #[error("the header is missing: a history begins with a line such as {{\"fencepost\":{VERSION}}}")]
    NoHeader,
    /// The history ends within its header: its run was killed before it began.
    #[error("the history ends within its header")]
    TornHeader,
    /// The header is of a format that this crate does not know.
    #[error("the history is of version {0}; this fencepost reads version {VERSION}")]
    Version(u64),
    /// It is no JSON, or not the JSON of an event: in words, with the name that was probably meant.
    #[error("{0}")]
    Json(String),
    /// An event lacks what it needs.
    #[error("`{of}` needs the field `{field}`")]
    Missing {
        /// The event's type, operation or phase.
        of: &'static str,
        /// The field that is not there.
        field: &'static str,
    },
    /// An event has what it cannot have.
    #[error("`{of}` has no field `{field}`")]
    Surplus {
        /// The event's type, operation or phase.
        of: &'static str,
        /// The field that is there.
        field: &'static str,
    },
}

impl Problem {
    /// At a line.
    pub(super) fn at(self, line: u64) -> ReadError {
        ReadError { line, column: None, problem: self }
    }

    /// At a byte of a line, from 1.
    pub(super) fn at_column(self, line: u64, column: usize) -> ReadError {
        ReadError { line, column: Some(column), problem: self }
    }

    /// What serde_json found in a line.
    pub(super) fn json(error: &serde_json::Error, line: u64) -> ReadError {
        let message = error.to_string();
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = message.strip_suffix(&place).unwrap_or(&message);
        let words = if error.is_eof() {
            format!("the line breaks off: {message}")
        } else if let Some(names) = message.strip_prefix("unknown field ") {
            let (given, known) = names.rsplit_once(", expected ").unwrap_or((names, ""));
            let known = known.split('`').skip(1).step_by(2);
            format!("unknown field {given}; {}", nearest(given.trim_matches('`'), known))
        } else {
            match message.rsplit_once(", expected ") {
                Some((given, "u64")) => format!("{given}, expected a whole number, 0 or more"),
                Some((given, "i64")) => format!("{given}, expected a whole number"),
                _ => message.into(),
            }
        };
        ReadError { line, column: Some(error.column()).filter(|column| *column > 0), problem: Problem::Json(words) }
    }
}

struct Place(u64, Option<usize>);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}", self.0)?;
        self.1.map_or(Ok(()), |column| write!(f, ", column {column}"))
    }
}

/// Which name was probably meant; where none is near, which there are.
pub(super) fn nearest<'a>(given: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match suggest::nearest(given, known.clone()) {
        Some(name) => format!("did you mean `{name}`?"),
        None => format!("known are {}", known.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    }
}
