//! Two nights, and what changed between them.

use super::{Matrix, Outcome};
use serde::Serialize;
use std::collections::BTreeMap;

/// What changed from one night to another.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Comparison {
    /// Cells of both whose verdict changed.
    pub changed: Vec<Change>,
    /// Cells that only the new one has, and what they came to.
    pub appeared: Vec<Named>,
    /// Cells that only the old one has, and what they came to.
    pub vanished: Vec<Named>,
}

/// A cell whose verdict changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Change {
    /// Its name.
    pub name: String,
    /// What it came to before.
    pub old: String,
    /// What it comes to now.
    pub new: String,
    /// Whether it was as expected, and is not any more.
    pub worse: bool,
}

/// A cell of one night.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// What it came to.
    pub came_out: String,
    /// Whether it is to be looked at.
    pub trouble: bool,
}

/// Compares two nights cell by cell.
pub fn compare(old: &Matrix, new: &Matrix) -> Comparison {
    let by_name = |matrix: &'_ Matrix| -> BTreeMap<String, Outcome> {
        matrix.cells.iter().map(|cell| (cell.facts.name.clone(), cell.clone())).collect()
    };
    let (mut before, now) = (by_name(old), by_name(new));
    let mut comparison = Comparison::default();
    for (name, cell) in now {
        let Some(was) = before.remove(&name) else {
            comparison.appeared.push(named(&cell));
            continue;
        };
        let (old, new) = (verdict(&was), verdict(&cell));
        if old != new {
            let worse = cell.state.is_trouble() && cell.state < was.state || cell.state.is_trouble() && cell.state == was.state;
            comparison.changed.push(Change { name, old, new, worse });
        }
    }
    comparison.vanished = before.values().map(named).collect();
    comparison
}

impl Comparison {
    /// Whether something is worse than it was: a verdict, or a cell that is new and to be looked at, or one that is not looked at any more.
    pub fn is_worse(&self) -> bool {
        self.changed.iter().any(|change| change.worse)
            || self.appeared.iter().any(|cell| cell.trouble)
            || !self.vanished.is_empty()
    }

    /// In lines for a terminal.
    pub fn lines(&self) -> String {
        let changed = self.changed.iter().map(|Change { name, old, new, worse }| {
            let mark = if *worse { "worse  " } else { "changed" };
            format!("{mark}   {name}: {old} -> {new}\n")
        });
        let named = |word: &'static str| move |cell: &Named| format!("{word}   {}: {}\n", cell.name, cell.came_out);
        let all: String =
            changed.chain(self.appeared.iter().map(named("new    "))).chain(self.vanished.iter().map(named("gone   "))).collect();
        if all.is_empty() { "No verdict changed.\n".into() } else { all }
    }
}

fn named(cell: &Outcome) -> Named {
    Named { name: cell.facts.name.clone(), came_out: verdict(cell), trouble: cell.state.is_trouble() }
}

/// The verdict of a cell with what was found: an expectation that changed with it is a change too.
fn verdict(cell: &Outcome) -> String {
    let expected = cell.facts.expect.join(", ");
    match cell.state {
        super::State::AsExpected => format!("{expected}, as expected"),
        _ => format!("{} (expected: {expected})", cell.words()),
    }
}
