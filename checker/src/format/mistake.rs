//! What is wrong with a line of operations, and with which part of it.

use super::Excerpt;
use crate::suggest;
use std::ops::Range;

/// What is wrong, in words, and the bytes that it is wrong with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mistake {
    /// In words, with what was probably meant.
    pub problem: String,
    /// Which bytes of the line.
    pub place: Range<usize>,
}

impl Mistake {
    /// What is wrong with a field of the line, or with the whole line where it is not there.
    pub(super) fn with_field(line: &[u8], field: &str, problem: impl Into<String>) -> Self {
        let place = quoted(line, field, line.len()).unwrap_or(0..line.len());
        Mistake { problem: problem.into(), place }
    }

    /// What is wrong with the JSON.
    pub(super) fn of_json(line: &[u8], error: &serde_json::Error) -> Self {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(&*message, |(message, _)| message);
        let end = error.column().min(line.len());
        let at = end.saturating_sub(1)..end;
        if error.is_eof() {
            return Mistake { problem: format!("the line breaks off: {message}"), place: at };
        }
        let misspelt = [("unknown field ", "unknown field"), ("unknown variant ", "unknown operation")];
        for (prefix, what) in misspelt {
            if let Some((given, known)) = message.strip_prefix(prefix).and_then(|names| names.rsplit_once(", expected ")) {
                let given = given.trim_matches('`');
                let advice = suggest::advice(given, known.split('`').skip(1).step_by(2));
                let place = quoted(line, given, end).unwrap_or(at);
                return Mistake { problem: format!("{what} `{given}`: {advice}"), place };
            }
        }
        let problem = match message.rsplit_once(", expected ") {
            Some((given, "u64")) => format!("{given}: a time is a whole number of nanoseconds, 0 or more"),
            _ => message.to_owned(),
        };
        Mistake { problem, place: at }
    }

    /// The line with a caret under the place.
    pub(super) fn excerpt(&self, line: &[u8], number: u64) -> Excerpt {
        Excerpt::of(line, number, self.place.clone())
    }
}

/// The last place before the end at which the line has this text in quotes.
fn quoted(line: &[u8], text: &str, end: usize) -> Option<Range<usize>> {
    let text = format!("\"{text}\"");
    let start = memchr::memmem::rfind(&line[..end], text.as_bytes())?;
    Some(start..start + text.len())
}
