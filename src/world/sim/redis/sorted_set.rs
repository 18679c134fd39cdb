//! A sorted set: members in order of score, then of bytes.

use super::number::ScoreBound;
use std::ops::Range;

/// A sorted set. Locks and semaphores keep few members, so a sorted vector beats a skip list with its index.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct SortedSet(Vec<(f64, Vec<u8>)>);

impl SortedSet {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &(f64, Vec<u8>)> {
        self.0.iter()
    }

    /// The position of a member, counted from the lowest score.
    pub fn rank(&self, member: &[u8]) -> Option<usize> {
        self.0.iter().position(|(_, m)| m == member)
    }

    pub fn score(&self, member: &[u8]) -> Option<f64> {
        self.rank(member).map(|rank| self.0[rank].0)
    }

    /// Adds a member or gives it a new score.
    pub fn insert(&mut self, member: &[u8], score: f64) {
        let owned = match self.rank(member) {
            Some(rank) => self.0.remove(rank).1,
            None => member.to_vec(),
        };
        let place = self.0.partition_point(|(s, m)| s.total_cmp(&score).then_with(|| m.as_slice().cmp(member)).is_lt());
        self.0.insert(place, (score, owned));
    }

    pub fn remove(&mut self, member: &[u8]) -> bool {
        self.rank(member).map(|rank| self.0.remove(rank)).is_some()
    }

    /// The ranks whose scores lie between two bounds.
    pub fn between(&self, min: ScoreBound, max: ScoreBound) -> Range<usize> {
        let start = self.0.partition_point(|(score, _)| !min.is_at_most(*score));
        let end = self.0.partition_point(|(score, _)| max.is_at_least(*score));
        start..end.max(start)
    }

    /// The ranks from `start` to `stop`, both included, counted from the end where negative.
    pub fn ranks(&self, start: i64, stop: i64) -> Range<usize> {
        let len = self.0.len() as i64;
        let from_end = |index: i64| if index < 0 { len.saturating_add(index) } else { index };
        let start = from_end(start).max(0);
        let stop = from_end(stop).min(len - 1);
        if start > stop { 0..0 } else { start as usize..stop as usize + 1 }
    }

    pub fn slice(&self, ranks: Range<usize>) -> &[(f64, Vec<u8>)] {
        &self.0[ranks]
    }

    /// Removes a range of ranks; how many there were.
    pub fn drain(&mut self, ranks: Range<usize>) -> usize {
        self.0.drain(ranks).count()
    }
}
