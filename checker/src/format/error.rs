//! What is wrong with a history that cannot be read.

use super::Excerpt;
use std::fmt;
use std::sync::Arc;

/// Why a history cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A line makes no sense.
    #[error(fmt = show_line)]
    Line {
        /// The file's name; `-` for standard input.
        file: Arc<str>,
        /// The line, counted from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
        /// What should have been there.
        expected: String,
        /// The line itself, and where in it, if that is known.
        excerpt: Option<Box<Excerpt>>,
    },
    /// Lines are further from the order of time than a stream can put right: read them again with [`super::Locks::sorted`].
    #[error(
        "{file}:{line}: this operation was called before others that came more than {window} lines earlier; sort the lines by `call`"
    )]
    OutOfOrder {
        /// The file's name.
        file: Arc<str>,
        /// The line, counted from 1.
        line: u64,
        /// How many lines are looked at at once.
        window: usize,
    },
    /// The file is none of the formats that are known.
    #[error("{file}: not a history: {problem}; known are event JSONL, operations JSONL, Jepsen's EDN and Jepsen's console log")]
    Unrecognised {
        /// The file's name.
        file: Arc<str>,
        /// What was found instead.
        problem: String,
    },
    /// The bytes could not be read or decompressed.
    #[error("{file}: {source}")]
    Io {
        /// The file's name.
        file: Arc<str>,
        /// What the system says.
        source: std::io::Error,
    },
}

fn show_line(
    file: &str,
    line: &u64,
    problem: &str,
    expected: &str,
    excerpt: &Option<Box<Excerpt>>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    match excerpt {
        Some(excerpt) => write!(f, "{file}:{line}:{}: {problem}\n{excerpt} expected {expected}", excerpt.column),
        None => write!(f, "{file}:{line}: {problem}; expected {expected}"),
    }
}

impl ReadError {
    /// True where only this line is lost and the next can still be read.
    pub fn is_one_line(&self) -> bool {
        matches!(self, ReadError::Line { .. })
    }
}

/// What to do with a line that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum BadLines {
    /// It is an error.
    #[default]
    Refuse,
    /// It is left out and counted.
    Skip,
}
