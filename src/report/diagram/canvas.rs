//! A row of characters, each with its paint.

use crate::report::paint::{Look, Paint};

/// One row of a diagram.
#[derive(Debug, Clone)]
pub struct Row {
    cells: Vec<(char, Paint)>,
}

impl Row {
    /// An empty row.
    pub fn new(columns: usize) -> Row {
        Row { cells: vec![(' ', Paint::Plain); columns] }
    }

    /// Puts one character; outside of the row it is not seen.
    pub fn put(&mut self, column: usize, glyph: char, paint: Paint) {
        if let Some(cell) = self.cells.get_mut(column) {
            *cell = (glyph, paint);
        }
    }

    /// Puts the same character from one column to another, both included.
    pub fn fill(&mut self, from: usize, to: usize, glyph: char, paint: Paint) {
        for column in from..=to.min(self.cells.len().saturating_sub(1)) {
            self.put(column, glyph, paint);
        }
    }

    /// Changes what stands from one column to another, both included.
    pub fn repaint(&mut self, from: usize, to: usize, change: impl Fn(char) -> (char, Paint)) {
        for cell in self.cells.iter_mut().take(to + 1).skip(from) {
            *cell = change(cell.0);
        }
    }

    /// Puts a text where it begins; what does not fit is cut off.
    pub fn text(&mut self, column: usize, text: &str, paint: Paint) {
        for (i, glyph) in text.chars().enumerate() {
            self.put(column + i, glyph, paint);
        }
    }

    /// Whether a stretch is empty, and inside of the row.
    pub fn free(&self, from: usize, length: usize) -> bool {
        self.cells.get(from..from + length).is_some_and(|cells| cells.iter().all(|(glyph, _)| *glyph == ' '))
    }

    /// The row as text.
    pub fn render(&self, look: Look) -> String {
        let end = self.cells.iter().rposition(|(glyph, _)| *glyph != ' ').map_or(0, |last| last + 1);
        let mut out = String::new();
        for run in self.cells[..end].chunk_by(|a, b| a.1 == b.1) {
            let text: String = run.iter().map(|(glyph, _)| glyph).collect();
            look.push(&mut out, run[0].1, &text);
        }
        out
    }
}
