//! A history file, read and judged.

use checker::Nanos;
use checker::finding::Judgement;
use checker::history::jsonl::{ReadError, Reader};
use checker::history::{Event, Header, OpId, What};
use checker::judge::Judge;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Which events of a history a report is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// What a terminal shows: every event of a small history; of a large one the faults, the phases, and the operations that a finding names.
    Telling,
    /// What a page shows: the same, save that a history is small until it is too large for a browser.
    Everything,
}

impl Keep {
    /// The most operations of a small history.
    fn small(self) -> u64 {
        match self {
            Keep::Telling => 20_000,
            Keep::Everything => 1_000_000,
        }
    }
}

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
pub fn judge(path: &Path, keep: Keep) -> Result<Judged, BadHistory> {
    let unreadable = |why| BadHistory::Unreadable { path: path.into(), why };
    if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        let inside = path.join("history.jsonl");
        let hint = if inside.is_file() { format!("; did you mean {}?", inside.display()) } else { String::new() };
        return Err(BadHistory::Malformed(format!("{} is a folder, not a history{hint}", path.display())));
    }
    let open = || File::open(path).map(BufReader::new).map_err(unreadable);
    let malformed = |error: ReadError| BadHistory::Malformed(format!("{}: {error}", path.display()));
    let mut reader = Reader::new(open()?).map_err(malformed)?;
    let header = reader.header().clone();
    let mut judge = Judge::new(&header);
    let mut origin = None;
    for event in &mut reader {
        let event = event.map_err(malformed)?;
        origin.get_or_insert(event.at);
        judge.see(&event);
    }
    let mut warnings = Vec::new();
    if let Some(torn) = reader.torn() {
        warnings.push(format!(
            "the last line, {}, is torn after {} bytes and was skipped: its writer was killed",
            torn.line, torn.bytes
        ));
    }
    let judgement = judge.finish();
    let events = needed(Reader::new(open()?).map_err(malformed)?, &judgement, keep);
    Ok(Judged { header, origin: origin.unwrap_or_default(), events, judgement, warnings })
}

/// Reads a history once more, for those of its events that a report needs.
fn needed(reader: Reader<BufReader<File>>, judgement: &Judgement, keep: Keep) -> Vec<Event> {
    let named: BTreeSet<OpId> = judgement.findings.iter().flat_map(|finding| finding.events.iter().copied()).collect();
    let of_use = |event: &Event| match &event.what {
        What::Invoke { id, .. } => named.contains(id),
        What::Done(completion) => named.contains(&completion.id),
        What::Observe(_) => false,
        What::Lost { .. } | What::Gone { .. } | What::Fault(_) | What::Phase(_) => true,
    };
    let small = judgement.counts.operations <= keep.small();
    reader.map_while(Result::ok).filter(|event| small || of_use(event)).collect()
}
