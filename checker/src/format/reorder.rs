//! Puts rows into the order of their calls, as far as a window reaches.
//!
//! A log is mostly printed in the order of calls or of returns. In a window of many lines both can be sorted while streaming, in
//! memory that does not grow with the file.

use super::ReadError;
use super::briefs::Rows;
use super::first::{First, Ranked};
use super::naming::Row;
use crate::Nanos;
use std::collections::VecDeque;
use std::sync::Arc;

/// How many records are looked at at once.
pub(super) const WINDOW: usize = 1 << 13;

/// A record that is further from its place is not moved there step by step.
const NEAR: usize = 64;

/// Records in the order of their calls; of equal calls, in the order of their lines.
pub(super) struct Reorder<I> {
    records: I,
    file: Arc<str>,
    over: bool,
    /// Sorted.
    line: VecDeque<Row>,
    /// Records that came far too late for their place in the line.
    late: First<Row>,
    /// The last call handed out.
    reached: u64,
}

impl<I: Iterator<Item = Result<Row, ReadError>>> Reorder<I> {
    pub(super) fn new(records: I, file: Arc<str>) -> Self {
        Reorder { records, file, over: false, line: VecDeque::new(), late: First::new(), reached: 0 }
    }

    pub(super) fn source(&self) -> &I {
        &self.records
    }

    fn place(&mut self, record: Row) {
        let mut at = self.line.len();
        while at > 0 && self.line[at - 1].call > record.call {
            at -= 1;
            if self.line.len() - at > NEAR {
                self.late.push(record);
                return;
            }
        }
        self.line.insert(at, record);
    }

    fn first(&mut self) -> Option<Row> {
        let late_is_first = match (self.line.front(), self.late.peek()) {
            (Some(line), Some(late)) => late.rank() < line.rank(),
            (None, late) => late.is_some(),
            (Some(_), None) => false,
        };
        if late_is_first { self.late.pop() } else { self.line.pop_front() }
    }
}

impl<I: Iterator<Item = Result<Row, ReadError>>> Iterator for Reorder<I> {
    type Item = Result<Row, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.over && self.line.len() + self.late.len() < WINDOW {
            match self.records.next() {
                Some(Ok(record)) if record.call < self.reached => {
                    return Some(Err(ReadError::OutOfOrder { file: self.file.clone(), line: record.line, window: WINDOW }));
                }
                Some(Ok(record)) => self.place(record),
                Some(Err(error)) => return Some(Err(error)),
                None => self.over = true,
            }
        }
        let record = self.first()?;
        self.reached = record.call;
        Some(Ok(record))
    }
}

impl Ranked for Row {
    fn rank(&self) -> (Nanos, u64) {
        (self.call, self.line)
    }
}

impl<I: Rows> Rows for Reorder<I> {
    fn fresh(&mut self) -> Option<Box<str>> {
        self.records.fresh()
    }
}
