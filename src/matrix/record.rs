//! What was done so far, a line a cell, so that a night that was interrupted can be gone on with.

use super::{Cell, Outcome, State};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// The file's name.
pub const FILE: &str = "results.jsonl";

/// A line: a cell's outcome, and the plan that it is of.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    /// SHA-1 of the plan: an outcome of another plan is none of this one.
    plan: String,
    outcome: Outcome,
}

/// The file, appended to as cells end.
#[derive(Debug)]
pub struct Record(File);

impl Record {
    /// Opens it in a matrix's folder.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn open(folder: &Path) -> io::Result<Record> {
        let path = folder.join(FILE);
        let torn = std::fs::read(&path).is_ok_and(|text| text.last().is_some_and(|last| *last != b'\n'));
        let mut file = File::options().create(true).append(true).open(path)?;
        if torn {
            // What is written next begins a line of its own.
            file.write_all(b"\n")?;
        }
        Ok(Record(file))
    }

    /// Adds what a cell came to.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, cell: &Cell, outcome: &Outcome) -> io::Result<()> {
        let line = Line { plan: digest(cell), outcome: outcome.clone() };
        let mut text = serde_json::to_vec(&line)?;
        text.push(b'\n');
        self.0.write_all(&text)
    }
}

/// What these cells came to before, as far as they were judged; the last line that a cell has holds. Lines that are torn are none.
///
/// # Errors
/// There is no such file.
pub fn read(folder: &Path, cells: &[Cell]) -> io::Result<Vec<Option<Outcome>>> {
    let text = std::fs::read_to_string(folder.join(FILE))?;
    let lines: Vec<Line> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let done = |outcome: &Outcome| !matches!(outcome.state, State::Environment | State::Interrupted | State::NotRun);
    let of = |cell: &Cell| {
        let mut lines = lines.iter().rev();
        let line = lines.find(|line| line.outcome.facts.name == cell.name() && line.plan == digest(cell))?;
        done(&line.outcome).then(|| line.outcome.clone())
    };
    Ok(cells.iter().map(of).collect())
}

fn digest(cell: &Cell) -> String {
    sha1_smol::Sha1::from(&cell.text).hexdigest()
}
