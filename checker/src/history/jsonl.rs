//! Histories as files: one JSON object a line, the header first.
//!
//! ```text
//! {"fencepost":1,"name":"gc-pause","seed":7}
//! {"at":100,"type":"invoke","client":"c1","id":1,"op":"acquire","lock":"order:42","ttl_ms":500}
//! {"at":230,"type":"ok","client":"c1","id":1,"token":"3f"}
//! ```

use super::line::{Line, Misfit};
use super::{Event, Header, VERSION};
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::io::{self, BufRead, Read, Write};

/// The longest line that is read; a longer one is refused, so that bad input never takes all memory.
const LONGEST_LINE: u64 = 16 << 20;

/// Writes a history as it happens.
#[derive(Debug)]
pub struct Writer<W: Write> {
    to: W,
    line: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Starts a history by writing its header.
    ///
    /// # Errors
    /// The header cannot be written.
    pub fn new(to: W, header: &Header) -> io::Result<Self> {
        let mut writer = Writer { to, line: Vec::with_capacity(256) };
        serde_json::to_writer(&mut writer.line, header)?;
        writer.end_line()?;
        Ok(writer)
    }

    /// Appends an event and flushes, so that a killed run leaves every line that it wrote.
    ///
    /// # Errors
    /// The line cannot be written.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        serde_json::to_writer(&mut self.line, &Line::from(event))?;
        self.end_line()
    }

    /// What it writes to.
    pub fn into_inner(self) -> W {
        self.to
    }

    /// One write a line: a kill leaves at most one torn line, the last.
    fn end_line(&mut self) -> io::Result<()> {
        self.line.push(b'\n');
        let written = self.to.write_all(&self.line).and_then(|()| self.to.flush());
        self.line.clear();
        written
    }
}

/// Reads a history: its header at once, its events one by one in constant memory.
#[derive(Debug)]
pub struct Reader<R: BufRead> {
    from: R,
    header: Header,
    line: Vec<u8>,
    number: u64,
    torn: Option<u64>,
    ended: bool,
}

impl<R: BufRead> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// The first line cannot be read, is no header, or is one of an unknown version.
    pub fn new(from: R) -> Result<Self, ReadError> {
        let mut reader =
            Reader { from, header: Header::default(), line: Vec::with_capacity(256), number: 0, torn: None, ended: false };
        if !reader.next_line()? {
            return Err(reader.malformed(1, "the file is empty; its first line must be a header, such as {\"fencepost\":1}"));
        }
        reader.header = reader.parse_header()?;
        Ok(reader)
    }

    /// The header.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// The number of the torn last line, once the events are read: it has no newline and is not JSON, since the run was
    /// killed while it wrote it. It is skipped.
    pub fn torn(&self) -> Option<u64> {
        self.torn
    }

    fn parse_header(&self) -> Result<Header, ReadError> {
        /// Looked at first: a header of another version may have other fields.
        #[derive(Deserialize)]
        struct Version {
            fencepost: u32,
        }
        let text = self.text()?;
        let Version { fencepost } = serde_json::from_str(text).map_err(|e| self.json(&e))?;
        if fencepost != VERSION {
            return Err(ReadError::Version { found: fencepost });
        }
        serde_json::from_str(text).map_err(|e| self.json(&e))
    }

    /// Reads the next line that is not blank into the buffer; false at the end.
    fn next_line(&mut self) -> Result<bool, ReadError> {
        loop {
            self.line.clear();
            self.number += 1;
            let line = self.number;
            let length = (&mut self.from)
                .take(LONGEST_LINE)
                .read_until(b'\n', &mut self.line)
                .map_err(|source| ReadError::Io { line, source })?;
            if length == 0 {
                return Ok(false);
            }
            if length as u64 == LONGEST_LINE && !self.whole() {
                return Err(self.malformed(1, format!("a line is longer than {LONGEST_LINE} bytes")));
            }
            if !self.line.iter().all(u8::is_ascii_whitespace) {
                return Ok(true);
            }
        }
    }

    /// Whether the buffered line was ended by a newline.
    fn whole(&self) -> bool {
        self.line.last() == Some(&b'\n')
    }

    fn text(&self) -> Result<&str, ReadError> {
        std::str::from_utf8(&self.line).map_err(|e| self.malformed(e.valid_up_to() as u64 + 1, "a byte that is not UTF-8"))
    }

    fn parse_event(&self) -> Result<Event, ReadError> {
        let text = self.text()?;
        let line: Line<'_> = serde_json::from_str(text).map_err(|e| self.json(&e))?;
        line.event().map_err(|misfit| match misfit {
            Misfit::Missing { of, field } => {
                self.malformed(text.trim_end().len() as u64, format!("{of} needs the field `{field}`"))
            }
            Misfit::Extra { of, field } => {
                let column = text.find(&format!("\"{field}\"")).unwrap_or(0) as u64 + 1;
                self.malformed(column, format!("{of} has no field `{field}`"))
            }
        })
    }

    fn malformed(&self, column: u64, what: impl Into<String>) -> ReadError {
        ReadError::Malformed { line: self.number, column, what: what.into() }
    }

    fn json(&self, error: &serde_json::Error) -> ReadError {
        let mut what = error.to_string();
        if let Some(place) = what.rfind(" at line ") {
            what.truncate(place);
        }
        self.malformed(error.column() as u64, what)
    }
}

/// The events. After an error the next line is read, so a caller may go on.
impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        match self.next_line() {
            Ok(true) => {}
            Ok(false) => {
                self.ended = true;
                return None;
            }
            Err(e) => {
                self.ended = true;
                return Some(Err(e));
            }
        }
        match self.parse_event() {
            Err(_) if !self.whole() && serde_json::from_slice::<IgnoredAny>(&self.line).is_err() => {
                self.torn = Some(self.number);
                self.ended = true;
                None
            }
            event => Some(event),
        }
    }
}

/// Why a history cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The file cannot be read.
    #[error("line {line} cannot be read: {source}")]
    Io {
        /// Counted from 1.
        line: u64,
        /// What the system says.
        source: io::Error,
    },
    /// The history is of another version of the format.
    #[error("line 1: the history has version {found} of the format; this program reads version {VERSION}")]
    Version {
        /// The history's version.
        found: u32,
    },
    /// A line is not what it should be.
    #[error("line {line}, column {column}: {what}")]
    Malformed {
        /// Counted from 1.
        line: u64,
        /// Counted from 1, in bytes.
        column: u64,
        /// What was found and what was expected.
        what: String,
    },
}
