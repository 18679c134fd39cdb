//! The matrix: every lock × topology × fault × resource, each cell a plan with an expected verdict.
//!
//! [`mod@file`] → [`cell`] → [`partition`] → [`attempt`] → [`outcome`] → reports: [`table`], [`junit`], [`markdown`], [`page`], and [`compare`] with another night.

pub mod attempt;
pub mod cell;
pub mod compare;
pub mod crew;
pub mod facts;
pub mod file;
pub mod filter;
pub mod junit;
pub mod markdown;
pub mod outcome;
pub mod page;
pub mod partition;
pub mod record;
pub mod table;

pub use attempt::{Attempt, CameOut};
pub use cell::Cell;
pub use outcome::{Outcome, State};

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a night came to: what `--json` prints and `matrix.json` keeps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    /// In which world.
    pub world: String,
    /// When it began: RFC 3339.
    pub started: String,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Which part of how many it was, where it was not all.
    pub partition: Option<String>,
    /// Versions of everything that took part.
    pub versions: BTreeMap<String, String>,
    /// Every cell, by name, and those that were not run too.
    pub cells: Vec<Outcome>,
    /// Where it is kept.
    pub run: String,
    /// The command that does it again.
    pub replay: String,
}

impl Matrix {
    /// How many cells are in a state.
    pub fn count(&self, state: State) -> usize {
        self.cells.iter().filter(|cell| cell.state == state).count()
    }

    /// What came of it, in a sentence.
    pub fn summary(&self) -> String {
        let total = self.cells.len();
        let good = self.count(State::AsExpected);
        let others = State::ALL.into_iter().filter(|state| *state != State::AsExpected).filter_map(|state| {
            let count = self.count(state);
            (count > 0).then(|| format!("{count} {}", state.words()))
        });
        let others: Vec<String> = others.collect();
        let seconds = self.took_ms as f64 / 1000.0;
        match others.is_empty() {
            true => format!("{good} of {total} cells as expected ({}, {seconds:.1} s).", self.world),
            false => format!("{good} of {total} cells as expected, {} ({}, {seconds:.1} s).", others.join(", "), self.world),
        }
    }

    /// The cells that keep it from being green, the worst first.
    pub fn troubles(&self) -> Vec<&Outcome> {
        let mut all: Vec<&Outcome> = self.cells.iter().filter(|cell| cell.state.is_trouble()).collect();
        all.sort_by_key(|cell| cell.state);
        all
    }
}
