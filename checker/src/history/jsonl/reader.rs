//! Reads a history, a line at a time.

use super::error::{Problem, ReadError};
use super::line::Line;
use crate::history::{Event, Header, VERSION};
use serde::de::{DeserializeOwned, IgnoredAny};
use std::io::{BufRead, Read};
use std::iter::FusedIterator;

/// The longest line that is read, in bytes.
pub const MAX_LINE: usize = 16 << 20;

/// The last line of a history whose writer was killed while it wrote: skipped, for nothing is known of its event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Torn {
    /// Its number, from 1.
    pub line: u64,
    /// How much of it is there.
    pub bytes: usize,
}

/// Reads a history as a stream, in memory that does not grow with it.
///
/// Iterating yields its events. After an event that could not be read, the next may be read all the same; after a line
/// that is too long or an error of the input, there are no more.
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    header: Header,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// A header that is missing, torn, misspelt or of another version; errors of the input.
    pub fn new(input: R) -> Result<Self, ReadError> {
        let mut lines = Lines { input, buffer: Vec::new(), line: 0, torn: None, over: false };
        match lines.next_line()?.map(|(line, text)| header(text, line)).transpose()? {
            Some(header) => Ok(Reader { lines, header }),
            None if lines.torn.is_some() && lines.is_object() => Err(Problem::TornHeader.at(1)),
            None => Err(Problem::NoHeader.at(1)),
        }
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The torn last line, once the end was reached and where there is one.
    pub fn torn(&self) -> Option<Torn> {
        self.lines.torn
    }

    /// The number of the line last read, from 1.
    pub fn line(&self) -> u64 {
        self.lines.line
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (line, text) = match self.lines.next_line() {
            Ok(next) => next?,
            Err(error) => return Some(Err(error)),
        };
        let fields = Line::plain(text).map_or_else(|| parse::<Line>(text, line), Ok);
        Some(fields.and_then(|fields| event(fields, line)))
    }
}

/// Reads one line of an event by serde_json alone: what the [`Reader`] is held to, in what it says and in how long it takes.
///
/// # Errors
/// With what is wrong.
pub fn line_by_serde(text: &str, line: u64) -> Result<Event, ReadError> {
    parse::<Line>(text, line).and_then(|fields| event(fields, line))
}

fn event(mut fields: Line, line: u64) -> Result<Event, ReadError> {
    fields.event().map_err(|problem| problem.at(line))
}

impl<R: BufRead> FusedIterator for Reader<R> {}

#[derive(Debug)]
struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    line: u64,
    torn: Option<Torn>,
    over: bool,
}

impl<R: BufRead> Lines<R> {
    /// The next whole line and its number; none at the end, and for a torn line.
    fn next_line(&mut self) -> Result<Option<(u64, &str)>, ReadError> {
        if self.over {
            return Ok(None);
        }
        self.buffer.clear();
        let limit = MAX_LINE as u64 + 1;
        let read = self.input.by_ref().take(limit).read_until(b'\n', &mut self.buffer);
        if let Ok(0) = read {
            self.over = true;
            return Ok(None);
        }
        self.line += 1;
        let line = self.line;
        if let Err(error) = read {
            self.over = true;
            return Err(Problem::Io(error).at(line));
        }
        if self.buffer.last() != Some(&b'\n') {
            self.over = true;
            if self.buffer.len() > MAX_LINE {
                return Err(Problem::TooLong.at(line));
            }
            // No part of an object is an object: what is whole lacks its newline only.
            if serde_json::from_slice::<IgnoredAny>(&self.buffer).is_err() {
                self.torn = Some(Torn { line, bytes: self.buffer.len() });
                return Ok(None);
            }
        }
        let text = self.buffer.strip_suffix(b"\n").unwrap_or(&self.buffer);
        match std::str::from_utf8(text) {
            Ok(text) if text.trim_ascii_start().is_empty() => Err(Problem::Blank.at(line)),
            Ok(text) => Ok(Some((line, text))),
            Err(error) => Err(Problem::NotUtf8.at_column(line, error.valid_up_to() + 1)),
        }
    }

    /// Whether the line last read begins as an object does.
    fn is_object(&self) -> bool {
        self.buffer.trim_ascii_start().starts_with(b"{")
    }
}

/// The header that the first line is.
fn header(text: &str, line: u64) -> Result<Header, ReadError> {
    /// Of a version that is not known, nothing else is.
    #[derive(serde::Deserialize)]
    struct Version {
        fencepost: Option<u64>,
    }

    if !text.trim_ascii_start().starts_with('{') {
        return Err(Problem::NoHeader.at(line));
    }
    match parse::<Version>(text, line)?.fencepost {
        None => Err(Problem::NoHeader.at(line)),
        Some(version) if version != u64::from(VERSION) => Err(Problem::Version(version).at(line)),
        Some(_) => parse(text, line),
    }
}

fn parse<T: DeserializeOwned>(text: &str, line: u64) -> Result<T, ReadError> {
    // To serde a list of its fields in order is a struct, too.
    if !text.trim_ascii_start().starts_with('{') {
        return Err(Problem::Json("no JSON object".into()).at_column(line, 1));
    }
    serde_json::from_str(text).map_err(|error| Problem::json(&error, line))
}
