//! The history of a run of ours, for the judge.

use super::pass::{around, judged, pass};
use super::{BadHistory, How, Judged, Keep, Kept, Source, skipped};
use crate::problem::{Place, Problem};
use checker::finding::Finding;
use checker::format::{BadLines, Content, Input};
use checker::history::Event;
use checker::history::jsonl::{self, ReadError, Reader};
use std::io::{self, BufRead, Read};

/// Judges a run's history as a stream.
pub(super) fn judge(source: &Source, input: Input, how: &How) -> Result<Judged, BadHistory> {
    let malformed = |why| malformed(source, why);
    let mut stream = Stream::new(input, how.bad).map_err(malformed)?;
    let header = stream.reader.header().clone();
    let (judgement, mut pass) = judged(&header, &mut stream, how.keep).map_err(malformed)?;
    let unjudged = std::mem::take(&mut pass.unjudged);
    let torn = stream.reader.torn().map(|torn| {
        format!("the last line, {}, is torn after {} bytes and was skipped: its writer was killed", torn.line, torn.bytes)
    });
    let (origin, events) = pass.told(&judgement.findings, || {
        let again = Stream::new(bytes(source)?, how.bad).map_err(malformed)?;
        around(again, &judgement.findings, how.keep).map_err(malformed)
    })?;
    let warnings = torn.into_iter().chain(skipped(stream.skipped)).chain(unjudged).collect();
    Ok(Judged { header, origin, events, judgement, searched: None, warnings })
}

/// Reads what a report needs of the history of a run that was judged as it happened.
///
/// # Errors
/// It cannot be read.
pub fn kept(source: &Source, findings: &[Finding], keep: Keep) -> Result<Kept, BadHistory> {
    let malformed = |why| malformed(source, why);
    let stream = || Stream::new(bytes(source)?, BadLines::Refuse).map_err(malformed);
    let pass = pass(stream()?, keep, |_| {}).map_err(malformed)?;
    let (origin, events) = pass.told(findings, || around(stream()?, findings, keep).map_err(malformed))?;
    Ok(Kept { origin, events })
}

/// The events, without the lines that are to be skipped.
pub(super) struct Stream {
    reader: Reader<Input>,
    bad: BadLines,
    skipped: u64,
}

impl Stream {
    /// From the first line.
    pub(super) fn new(input: Input, bad: BadLines) -> Result<Stream, ReadError> {
        Ok(Stream { reader: Reader::new(input)?, bad, skipped: 0 })
    }
}

impl Iterator for Stream {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match (self.reader.next()?, self.bad) {
                // After these there is nothing more to be read, so that going on would be taken for the end.
                (Err(error), BadLines::Skip) if !matches!(error.problem, jsonl::Problem::Io(_) | jsonl::Problem::TooLong) => {
                    self.skipped += 1;
                }
                (event, _) => return Some(event),
            }
        }
    }
}

/// The decompressed bytes, from the first.
pub(super) fn bytes(source: &Source) -> Result<Input, BadHistory> {
    match source.content(BadLines::Refuse)? {
        Content::Events(input) => Ok(input),
        Content::Locks(_) | Content::Objects(_) => {
            let why = io::Error::other("it was changed while it was read");
            Err(BadHistory::Unreadable { path: source.path().into(), why })
        }
    }
}

/// The line that cannot be read, with what was expected. It is looked up again: the reader keeps no line that it has done with.
pub(super) fn malformed(source: &Source, ReadError { line, column, problem }: ReadError) -> BadHistory {
    let number = line.try_into().unwrap_or(usize::MAX);
    let sentence = match problem {
        jsonl::Problem::Io(why) => return BadHistory::Unreadable { path: source.path().into(), why },
        problem => problem.to_string(),
    };
    let (sentence, help) = match sentence.split_once("; ") {
        Some((sentence, help)) if help.starts_with("did you mean") || help.starts_with("known are") => {
            (sentence.into(), Some(help.into()))
        }
        _ => (sentence, None),
    };
    let text = nth_line(source, number).unwrap_or_default();
    let named = sentence.split('`').nth(1).map(|name| format!("\"{name}\"")).filter(|_| sentence.starts_with("unknown"));
    let span = match named.as_ref().and_then(|name| Some((text.find(name)?, name.len()))) {
        Some((at, length)) => at..at + length,
        None => column.map_or(0..1, |column| column.saturating_sub(1)..column),
    };
    BadHistory::Malformed(Box::new(Problem { place: Place::in_line(source.name(), number, &text, span), sentence, help }))
}

/// So much of a line is looked at to show it.
const SHOWN: u64 = 1 << 16;

fn nth_line(source: &Source, number: usize) -> io::Result<String> {
    let mut input = bytes(source).map_err(io::Error::other)?;
    for _ in 1..number {
        input.skip_until(b'\n')?;
    }
    let mut line = Vec::new();
    input.take(SHOWN).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
}
