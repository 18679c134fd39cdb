//! The zones of one register's values, in order.

use super::cluster::{Cluster, Moment};
use std::collections::BTreeMap;

/// How many zones of each kind are remembered of a register.
pub const ZONES: usize = 256;

/// The zones of the last values of a register that were read, or whose write returned.
#[derive(Debug, Default)]
pub(super) struct Zones {
    /// Values that were there from one moment to a later one, by the first; no two overlap.
    forward: BTreeMap<(Moment, u64), Cluster>,
    /// Values that were there at some moment between the one and a later one, by the first.
    backward: BTreeMap<(Moment, u64), Cluster>,
}

impl Zones {
    /// Forgets where a value lay.
    pub(super) fn remove(&mut self, cluster: &Cluster) {
        if cluster.is_forward() {
            self.forward.remove(&(cluster.there(), cluster.number));
        } else {
            self.backward.remove(&(cluster.still(), cluster.number));
        }
    }

    /// Remembers where a value lies.
    pub(super) fn insert(&mut self, cluster: Cluster) {
        let (zones, from) = match cluster.is_forward() {
            true => (&mut self.forward, cluster.there()),
            false => (&mut self.backward, cluster.still()),
        };
        zones.insert((from, cluster.number), cluster);
        if zones.len() > ZONES {
            zones.pop_first();
        }
    }

    /// A value that must come both before and after this one.
    pub(super) fn clash(&self, cluster: &Cluster) -> Option<&Cluster> {
        let (there, still) = (cluster.there(), cluster.still());
        if !cluster.is_forward() {
            // Forward zones do not overlap, so of those that begin before this one only the last can reach over it.
            let (_, outer) = self.forward.range(..(still, 0)).next_back()?;
            return (there < outer.still()).then_some(outer);
        }
        let before = self.forward.range(..(still, 0)).next_back().map(|(_, other)| other);
        let overlapping = before.filter(|other| other.still() > there);
        // A zone that begins inside and does not end there reaches over the end: there are no more of them than operations at once.
        let inside =
            || self.backward.range((there, u64::MAX)..(still, 0)).map(|(_, inner)| inner).find(|inner| inner.there() < still);
        overlapping.or_else(inside)
    }
}
