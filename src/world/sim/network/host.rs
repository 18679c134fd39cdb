//! A node and the machine it runs on.

use super::parcel::Parcel;
use crate::world::sim::redis::Node;
use crate::world::sim::universe::Universe;
use std::collections::VecDeque;

pub(super) struct Host {
    pub(super) name: String,
    pub(super) node: Node,
    pub(super) paused: bool,
    pub(super) clock_shift_ms: i64,
    /// What arrived while it was paused.
    pub(super) backlog: VecDeque<Parcel>,
}

/// The node is dead or paused, and cannot be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotUp;

impl Host {
    pub(super) fn new(name: String, node: Node) -> Self {
        Host { name, node, paused: false, clock_shift_ms: 0, backlog: VecDeque::new() }
    }

    pub(super) fn wall_ms(&self, universe: &Universe) -> u64 {
        (universe.wall_ms() + self.clock_shift_ms).max(0) as u64
    }
}
