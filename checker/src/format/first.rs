//! What waits for its turn, the first in its order on top.

use crate::Nanos;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// What has a place in an order: its time, and its line or id where times are equal.
pub(super) trait Ranked {
    fn rank(&self) -> (Nanos, u64);
}

/// What waits. No two have one rank.
pub(super) struct First<T>(BinaryHeap<Reverse<ByRank<T>>>);

impl<T: Ranked> First<T> {
    pub(super) fn new() -> Self {
        First(BinaryHeap::new())
    }

    pub(super) fn push(&mut self, item: T) {
        self.0.push(Reverse(ByRank(item)));
    }

    /// The first, which stays.
    pub(super) fn peek(&self) -> Option<&T> {
        self.0.peek().map(|Reverse(ByRank(item))| item)
    }

    /// Takes out the first.
    pub(super) fn pop(&mut self) -> Option<T> {
        self.0.pop().map(|Reverse(ByRank(item))| item)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }
}

struct ByRank<T>(T);

impl<T: Ranked> Ord for ByRank<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.rank().cmp(&other.0.rank())
    }
}

impl<T: Ranked> PartialOrd for ByRank<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T: Ranked> PartialEq for ByRank<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0.rank() == other.0.rank()
    }
}

impl<T: Ranked> Eq for ByRank<T> {}
