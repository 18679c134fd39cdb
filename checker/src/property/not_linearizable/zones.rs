//! The zones of one register's values, in order.

use super::cluster::{Cluster, Moment};
use std::collections::VecDeque;

/// How many zones of each kind are remembered of a register.
pub const ZONES: usize = 256;

/// The zones of the last values of a register that were read, or whose write returned.
#[derive(Debug, Default)]
pub(super) struct Zones {
    /// Values that were there from one moment to a later one, by the first; no two overlap.
    forward: Sorted,
    /// Values that were there at some moment between the one and a later one, by the first.
    backward: Sorted,
}

/// By where they begin, and by their numbers. What is new belongs at the end or near it.
#[derive(Debug, Default)]
struct Sorted(VecDeque<(Moment, Cluster)>);

impl Sorted {
    /// How many come before this place.
    fn before(&self, place: (Moment, u64)) -> usize {
        let is_before = |(from, cluster): &(Moment, Cluster)| (*from, cluster.number) < place;
        match self.0.back() {
            Some(last) if !is_before(last) => self.0.partition_point(is_before),
            _ => self.0.len(),
        }
    }

    fn insert(&mut self, from: Moment, cluster: Cluster) {
        let at = self.before((from, cluster.number));
        match self.0.get_mut(at) {
            Some((there, known)) if (*there, known.number) == (from, cluster.number) => *known = cluster,
            _ => self.0.insert(at, (from, cluster)),
        }
        if self.0.len() > ZONES {
            self.0.pop_front();
        }
    }

    fn remove(&mut self, from: Moment, number: u64) {
        let at = self.before((from, number));
        if self.0.get(at).is_some_and(|(other, cluster)| (*other, cluster.number) == (from, number)) {
            self.0.remove(at);
        }
    }
}

impl Zones {
    /// Forgets where a value lay.
    pub(super) fn remove(&mut self, cluster: &Cluster) {
        match cluster.is_forward() {
            true => self.forward.remove(cluster.there(), cluster.number),
            false => self.backward.remove(cluster.still(), cluster.number),
        }
    }

    /// Remembers where a value lies.
    pub(super) fn insert(&mut self, cluster: Cluster) {
        match cluster.is_forward() {
            true => self.forward.insert(cluster.there(), cluster),
            false => self.backward.insert(cluster.still(), cluster),
        }
    }

    /// A value that must come both before and after this one.
    pub(super) fn clash(&self, cluster: &Cluster) -> Option<&Cluster> {
        let (there, still) = (cluster.there(), cluster.still());
        // Forward zones do not overlap, so of those that begin before this one ends only the last can reach over it.
        let before = self.forward.before((still, 0)).checked_sub(1).map(|last| &self.forward.0[last].1);
        if !cluster.is_forward() {
            return before.filter(|outer| there < outer.still());
        }
        let overlapping = before.filter(|other| other.still() > there);
        // A zone that begins inside and does not end there reaches over the end: there are no more of them than operations at once.
        let inside = || {
            let begins_inside = self.backward.before((there, u64::MAX))..self.backward.before((still, 0));
            self.backward.0.range(begins_inside).map(|(_, inner)| inner).find(|inner| inner.there() < still)
        };
        overlapping.or_else(inside)
    }
}
