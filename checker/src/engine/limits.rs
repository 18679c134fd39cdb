//! How long a search may take, and how much it may remember.

use super::Bound;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The bounds of one check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For how long to search; the explanation of a violation may take as long again.
    pub time: Duration,
    /// How many bytes one search may remember.
    pub memory: usize,
}

impl Default for Limits {
    /// A minute and a gibibyte.
    fn default() -> Self {
        Limits { time: Duration::from_secs(60), memory: 1 << 30 }
    }
}

/// What is left of the limits while a search runs.
pub(super) struct Budget<'a> {
    deadline: Option<Instant>,
    memory: usize,
    steps: u64,
    until: u64,
    cancel: Option<&'a AtomicBool>,
}

/// The clock is looked at once in so many steps.
const LOOK_EVERY: u64 = 512;

impl<'a> Budget<'a> {
    pub(super) fn new(limits: &Limits) -> Self {
        Budget {
            deadline: Instant::now().checked_add(limits.time),
            memory: limits.memory,
            steps: 0,
            until: u64::MAX,
            cancel: None,
        }
    }

    /// Ends the search as cancelled as soon as the flag is set.
    pub(super) fn or_when(mut self, cancel: &'a AtomicBool) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Ends the search as cancelled after so many steps.
    pub(super) fn or_after(mut self, steps: u64) -> Self {
        self.until = steps;
        self
    }

    /// Counts a step of a search that remembers so many bytes.
    #[inline]
    pub(super) fn step(&mut self, memory: impl FnOnce() -> usize) -> Result<(), Bound> {
        self.steps += 1;
        if self.steps.is_multiple_of(LOOK_EVERY) { self.look(memory()) } else { Ok(()) }
    }

    fn look(&self, memory: usize) -> Result<(), Bound> {
        if memory > self.memory {
            return Err(Bound::Memory);
        }
        if self.steps >= self.until || self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(Bound::Cancelled);
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Bound::Time);
        }
        Ok(())
    }
}
