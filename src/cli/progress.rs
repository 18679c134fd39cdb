//! The one line of progress, on a terminal only.

use crate::run::Progress;
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// More often than this nobody can read.
const EVERY: Duration = Duration::from_millis(80);

/// The line.
#[derive(Debug)]
pub struct Line {
    terminal: bool,
    shown: Option<Instant>,
}

impl Line {
    /// A line that is not shown yet.
    pub fn new() -> Line {
        Line { terminal: stderr().is_terminal(), shown: None }
    }

    /// Shows how far a run is.
    pub fn show(&mut self, name: &str, progress: &Progress) {
        if !self.terminal || self.shown.is_some_and(|shown| shown.elapsed() < EVERY) {
            return;
        }
        self.shown = Some(Instant::now());
        let text: String = format!("{name}: {}, {} operations", progress.doing, progress.operations).chars().take(76).collect();
        let _ = write!(stderr(), "\r\u{1b}[K{text}");
    }
}

impl Default for Line {
    fn default() -> Self {
        Line::new()
    }
}

/// Whatever is said next begins on a clean line.
impl Drop for Line {
    fn drop(&mut self) {
        if self.shown.is_some() {
            let _ = write!(stderr(), "\r\u{1b}[K");
        }
    }
}
