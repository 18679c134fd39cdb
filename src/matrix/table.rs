//! A matrix for a terminal.

use super::{Matrix, Outcome, State};
use crate::report::paint::{Charset, Look, Paint};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The whole matrix, a topology after the other, and then what is to be looked at.
pub fn table(matrix: &Matrix, look: Look) -> String {
    let mut out = String::new();
    let names = matrix.cells.iter().map(|cell| cell.facts.name.chars().count());
    let name_width = names.max().unwrap_or(0).min(look.width * 2 / 5);
    let topologies: BTreeSet<&str> = matrix.cells.iter().map(|cell| cell.facts.topology.as_str()).collect();
    for topology in topologies {
        let _ = writeln!(out, "{}", look.paint(Paint::Bold, topology));
        for cell in matrix.cells.iter().filter(|cell| cell.facts.topology == topology) {
            row(&mut out, cell, name_width, look);
        }
        out.push('\n');
    }
    for cell in matrix.troubles() {
        trouble(&mut out, cell, look);
    }
    let green = matrix.troubles().is_empty() && matrix.count(State::AsExpected) > 0;
    let paint = if green { Paint::Guard } else { Paint::Harm };
    let _ = writeln!(out, "{}", look.paint(paint, &matrix.summary()));
    let impossible: Vec<&str> = of(matrix, State::Impossible).map(|cell| cell.facts.name.as_str()).collect();
    if !impossible.is_empty() {
        let text = format!("Not possible with this server, and not run: {}.", impossible.join(", "));
        let _ = writeln!(out, "{}", look.wrap(&text, 0));
    }
    let _ = writeln!(out, "Kept in {}", matrix.run);
    if let Some(worst) = matrix.troubles().first() {
        let replay = worst.told().map_or(matrix.replay.as_str(), |told| told.replay.as_str());
        let _ = writeln!(out, "\nReproduce: {replay}");
    }
    out
}

fn of(matrix: &Matrix, state: State) -> impl Iterator<Item = &Outcome> {
    matrix.cells.iter().filter(move |cell| cell.state == state)
}

fn row(out: &mut String, cell: &Outcome, name_width: usize, look: Look) {
    let (mark, paint) = mark(cell.state, look.charset);
    let came_out = match cell.state {
        State::AsExpected => cell.facts.expect.join(", "),
        _ => cell.words(),
    };
    let name = fitted(&cell.facts.name, name_width);
    let time = format!("{:.1} s", cell.took_ms() as f64 / 1000.0);
    // Mark, blanks and time take 14 columns.
    let room = look.width.saturating_sub(name_width + 14).max(10);
    let _ = writeln!(out, "  {} {name} {} {time:>8}", look.paint(paint, mark), fitted(&came_out, room));
}

fn trouble(out: &mut String, cell: &Outcome, look: Look) {
    let expected = cell.facts.expect.join(", ");
    let headline = format!("{}: {}; expected: {expected}", cell.facts.name, cell.words());
    let _ = writeln!(out, "{}", look.paint(Paint::Harm, &headline));
    if let Some(attempt) = cell.told() {
        for sentence in &attempt.sentences {
            let _ = writeln!(out, "  {}", look.wrap(sentence, 2));
        }
        let _ = writeln!(out, "  Reproduce: {}", attempt.replay);
    }
    out.push('\n');
}

fn mark(state: State, charset: Charset) -> (&'static str, Paint) {
    let (unicode, ascii, paint) = match state {
        State::AsExpected => ("✓", "+", Paint::Guard),
        State::Changed => ("✗", "X", Paint::Harm),
        State::Unsteady => ("≈", "~", Paint::Harm),
        State::Environment | State::Interrupted => ("!", "!", Paint::Pause),
        State::NotRun | State::Impossible => ("-", "-", Paint::Dim),
    };
    (if charset == Charset::Ascii { ascii } else { unicode }, paint)
}

/// A text in just so many columns.
fn fitted(text: &str, width: usize) -> String {
    match text.chars().count() {
        count if count > width => text.chars().take(width.saturating_sub(2)).chain("..".chars()).collect(),
        count => format!("{text}{}", " ".repeat(width - count)),
    }
}
