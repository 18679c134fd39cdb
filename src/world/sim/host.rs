//! A machine of the simulated network: its wall clock, its disk, and the node that runs on it.

use super::connection::Message;
use super::redis::{Node, NodeConfig};
use super::universe::Universe;
use checker::Nanos;
use nemesis::{Data, Skew};
use std::collections::VecDeque;

const SECOND: i64 = 1_000_000_000;

/// A node and the machine it runs on.
pub struct Host {
    /// The node's name.
    pub name: String,
    /// The node. Whatever it executes stands between [`Host::catch_up`] and [`Host::settle`].
    pub node: Node,
    /// Whether it stands still.
    pub paused: bool,
    /// What arrived while it was paused.
    pub backlog: VecDeque<Message>,
    clock: Skew,
    /// The second of its wall clock in which it last synced its disk, or was started.
    synced: i64,
}

impl Host {
    /// A machine whose clock is right.
    pub fn new(name: String, config: NodeConfig, universe: &Universe) -> Host {
        let synced = universe.wall().div_euclid(SECOND);
        Host { name, node: Node::new(config), paused: false, backlog: VecDeque::new(), clock: Skew::default(), synced }
    }

    /// What its wall clock shows, in nanoseconds since 1970.
    pub fn wall(&self, universe: &Universe) -> i64 {
        self.clock.shown(universe.wall()).max(0)
    }

    /// What its wall clock shows, in milliseconds since 1970.
    pub fn wall_ms(&self, universe: &Universe) -> u64 {
        (self.wall(universe) / 1_000_000) as u64
    }

    /// What its clock is off by.
    pub fn skew(&self) -> Skew {
        self.clock
    }

    /// Sets its clock.
    pub fn bend(&mut self, skew: Skew, universe: &Universe) {
        self.catch_up(universe);
        if skew.shown(universe.wall()) < self.wall(universe) {
            // Redis has deleted in the background what had expired by the clock that is set back.
            self.node.sweep(self.wall_ms(universe));
        }
        self.clock = skew;
        self.settle(universe);
    }

    /// Whether the disk is to be synced, as Redis decides it with `appendfsync everysec`: there is something to sync, and the second by the wall
    /// clock is a later one than when it last was.
    fn is_due(&self, universe: &Universe) -> bool {
        !self.paused && self.node.unsynced() > 0 && self.wall(universe).div_euclid(SECOND) > self.synced
    }

    /// Does what has become due since anything was last done here. What is not synced was written in the second of the last sync, so the next
    /// came when that was over.
    pub fn catch_up(&mut self, universe: &Universe) {
        if self.is_due(universe) {
            self.node.synced();
            self.synced += 1;
        }
    }

    /// Does what has become due by what was done now.
    pub fn settle(&mut self, universe: &Universe) {
        if self.is_due(universe) {
            self.node.synced();
            self.synced = self.wall(universe).div_euclid(SECOND);
        }
    }

    /// Starts the dead node again.
    pub fn start(&mut self, data: Data, universe: &Universe) {
        self.node.start(data);
        self.synced = self.wall(universe).div_euclid(SECOND);
    }

    /// When, by true time since the world began, the next second by its wall clock begins.
    pub fn next_second(&self, universe: &Universe) -> Nanos {
        let left = SECOND - self.wall(universe).rem_euclid(SECOND);
        universe.now() + (left as f64 / self.clock.rate()).ceil() as Nanos
    }

    /// A second by its clock has just begun: everything is synced now. False where it cannot be.
    pub fn sync_now(&mut self, universe: &Universe) -> bool {
        let runs = self.node.is_up() && !self.paused;
        if runs {
            self.node.synced();
            self.synced = self.wall(universe).div_euclid(SECOND);
        }
        runs
    }
}
