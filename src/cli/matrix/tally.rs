//! How far a matrix is: a line that stays on a terminal, a line a cell elsewhere.

use crate::matrix::{Outcome, State};
use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

/// What is done, and what is being done.
#[derive(Debug)]
pub struct Tally {
    terminal: bool,
    began: Instant,
    /// How many are to be done now, and how many were done before.
    total: usize,
    before: usize,
    done: usize,
    troubles: usize,
    running: Vec<String>,
}

impl Tally {
    /// Nothing is done yet.
    pub fn new(total: usize, before: usize) -> Tally {
        if before > 0 {
            eprintln!("{before} cells were done before");
        }
        let terminal = stderr().is_terminal();
        Tally { terminal, began: Instant::now(), total, before, done: 0, troubles: 0, running: Vec::new() }
    }

    /// A cell is begun.
    pub fn begun(&mut self, name: &str) {
        self.running.push(name.to_owned());
        self.show();
    }

    /// A cell is over.
    pub fn over(&mut self, outcome: &Outcome) {
        self.done += 1;
        self.running.retain(|name| *name != outcome.facts.name);
        self.troubles += usize::from(outcome.state.is_trouble());
        let tells = !self.terminal || outcome.state != State::AsExpected;
        if tells {
            let clear = if self.terminal { "\r\u{1b}[K" } else { "" };
            let (done, all) = (self.done + self.before, self.total + self.before);
            let _ = writeln!(stderr(), "{clear}[{done}/{all}] {}: {}", outcome.facts.name, outcome.words());
        }
        self.show();
    }

    fn show(&self) {
        const BAR: usize = 20;
        if !self.terminal || self.total == 0 {
            return;
        }
        let filled = self.done * BAR / self.total;
        let bar = format!("{}{}", "█".repeat(filled), "░".repeat(BAR - filled));
        let findings = if self.troubles == 0 { String::new() } else { format!(", {} to be looked at", self.troubles) };
        let left = self.left().map_or(String::new(), |left| format!(", {} s left", left.as_secs()));
        let text = format!("{bar} {}/{}{findings}{left}: {}", self.done, self.total, self.running.join(", "));
        let text: String = text.chars().take(98).collect();
        let _ = write!(stderr(), "\r\u{1b}[K{text}");
    }

    /// How long it may still take, as far as it went so far.
    fn left(&self) -> Option<Duration> {
        let each = self.began.elapsed().checked_div(u32::try_from(self.done).ok()?)?;
        each.checked_mul(u32::try_from(self.total - self.done).ok()?)
    }
}

/// Whatever is said next begins on a clean line.
impl Drop for Tally {
    fn drop(&mut self) {
        if self.terminal {
            let _ = write!(stderr(), "\r\u{1b}[K");
        }
    }
}
