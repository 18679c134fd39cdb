//! A history file, read and judged.

use crate::problem::{Place, Problem};
use checker::Nanos;
use checker::finding::{Finding, Judgement};
use checker::history::jsonl::{self, ReadError, Reader};
use checker::history::{Event, Header, What};
use checker::judge::Judge;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

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

/// The most findings of a long history whose surroundings are looked up.
const FINDINGS: usize = 16;

/// How far the surroundings of a finding reach, in nanoseconds.
const AROUND: Nanos = 2_000_000_000;

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
    /// It is a folder.
    #[error("{} is a folder, not a history{hint}", path.display())]
    Folder {
        /// Which folder.
        path: PathBuf,
        /// The history in it, if there is one.
        hint: String,
    },
    /// A line is not what it must be.
    #[error("{0}")]
    Malformed(Box<Problem>),
}

/// Reads and judges a history, in memory that does not grow with it.
///
/// # Errors
/// It cannot be read.
pub fn judge(path: &Path, keep: Keep) -> Result<Judged, BadHistory> {
    let malformed = |why| malformed(path, why);
    let mut reader = open(path)?;
    let header = reader.header().clone();
    let mut judge = Judge::new(&header);
    let mut events: Vec<Event> = Vec::new();
    let mut origin = None;
    let mut total = 0usize;
    for event in &mut reader {
        let event = event.map_err(malformed)?;
        judge.see(&event);
        origin.get_or_insert(event.at);
        total += 1;
        if total <= keep.most() {
            events.push(event);
        }
    }
    let torn = reader.torn().map(|torn| {
        format!("the last line, {}, is torn after {} bytes and was skipped: its writer was killed", torn.line, torn.bytes)
    });
    let judgement = judge.finish();
    if total > keep.most() {
        events = needed(open(path)?, &judgement.findings, keep).map_err(malformed)?;
    }
    Ok(Judged { header, origin: origin.unwrap_or(0), events, judgement, warnings: torn.into_iter().collect() })
}

fn open(path: &Path) -> Result<Reader<BufReader<File>>, BadHistory> {
    let unreadable = |why| BadHistory::Unreadable { path: path.into(), why };
    if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        let inside = path.join("history.jsonl");
        let hint = if inside.is_file() { format!("; did you mean {}?", inside.display()) } else { String::new() };
        return Err(BadHistory::Folder { path: path.into(), hint });
    }
    let file = File::open(path).map_err(unreadable)?;
    Reader::new(BufReader::with_capacity(1 << 16, file)).map_err(|why| malformed(path, why))
}

/// The line that cannot be read, with what was expected. It is looked up again: the reader keeps no line that it has done with.
fn malformed(path: &Path, ReadError { line, column, problem }: ReadError) -> BadHistory {
    let number = line.try_into().unwrap_or(usize::MAX);
    let sentence = match problem {
        jsonl::Problem::Io(why) => return BadHistory::Unreadable { path: path.into(), why },
        problem => problem.to_string(),
    };
    let (sentence, help) = match sentence.split_once("; ") {
        Some((sentence, help)) if help.starts_with("did you mean") || help.starts_with("known are") => {
            (sentence.into(), Some(help.into()))
        }
        _ => (sentence, None),
    };
    let text = nth_line(path, number).unwrap_or_default();
    let named = sentence.split('`').nth(1).map(|name| format!("\"{name}\"")).filter(|_| sentence.starts_with("unknown"));
    let span = match named.as_ref().and_then(|name| Some((text.find(name)?, name.len()))) {
        Some((at, length)) => at..at + length,
        None => column.map_or(0..1, |column| column.saturating_sub(1)..column),
    };
    BadHistory::Malformed(Box::new(Problem {
        place: Place::in_line(&path.display().to_string(), number, &text, span),
        sentence,
        help,
    }))
}

/// So much of a line is looked at to show it.
const SHOWN: u64 = 1 << 16;

fn nth_line(path: &Path, number: usize) -> std::io::Result<String> {
    let mut reader = BufReader::new(File::open(path)?);
    for _ in 1..number {
        reader.skip_until(b'\n')?;
    }
    let mut line = Vec::new();
    reader.take(SHOWN).read_until(b'\n', &mut line)?;
    Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
}

/// The events of a long history that a report of these findings needs.
fn needed(reader: Reader<BufReader<File>>, findings: &[Finding], keep: Keep) -> Result<Vec<Event>, ReadError> {
    let shown = &findings[..findings.len().min(FINDINGS)];
    let ids: BTreeSet<u64> = shown.iter().flat_map(|finding| finding.events.iter().copied()).collect();
    let near = |at: Nanos, client: &str| {
        shown.iter().any(|finding| {
            (finding.from.saturating_sub(AROUND)..=finding.until.saturating_add(AROUND)).contains(&at)
                && finding.clients.iter().any(|c| c == client)
        })
    };
    let mut events = Vec::new();
    for event in reader {
        let event = event?;
        let wanted = match &event.what {
            What::Invoke { id, client, .. } => ids.contains(id) || near(event.at, client),
            What::Done(done) => ids.contains(&done.id) || near(event.at, &done.client),
            What::Lost { client, .. } | What::Gone { client } => near(event.at, client),
            What::Fault(_) | What::Phase(_) => true,
            What::Observe(_) => false,
        };
        if wanted && events.len() < keep.most() {
            events.push(event);
        }
    }
    Ok(events)
}
