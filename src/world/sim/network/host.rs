//! A machine of the simulated network: its wall clock, its disk, and the node that runs on it.

use super::parcel::Parcel;
use super::stream::Letter;
use crate::plan::Persistence;
use crate::world::sim::redis::{Node, NodeConfig};
use crate::world::sim::universe::Universe;
use checker::Nanos;
use nemesis::{Data, Skew};
use std::collections::VecDeque;

const SECOND: i64 = 1_000_000_000;

/// Redis's default save points: so many seconds since the last snapshot, and so many changes. Here keys are counted, however often each was changed.
const SAVE_POINTS: [(i64, usize); 3] = [(3600, 1), (300, 100), (60, 10_000)];

/// A node and the machine it runs on.
pub struct Host {
    /// The node's name.
    pub name: String,
    /// The node. Whatever it executes stands between [`Host::catch_up`] and [`Host::settle`].
    pub node: Node,
    /// Whether it stands still.
    pub paused: bool,
    /// What arrived while it was paused.
    pub backlog: VecDeque<Arrived>,
    /// Whether its node hands over to a replica, and takes no writes meanwhile.
    pub handing_over: bool,
    /// Writes that came meanwhile.
    pub postponed: Vec<Parcel>,
    clock: Skew,
    /// The second of its wall clock in which it last synced its disk, or was started.
    synced: i64,
}

/// What arrived at a node that was paused, or became due there.
pub enum Arrived {
    /// From a client.
    Parcel(Parcel),
    /// From a master or a replica.
    Letter(Letter),
    /// The time of a command that blocks is over.
    WaitOver(u64),
}

/// The node is dead or paused, and cannot be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotUp;

impl Host {
    /// A machine whose clock is right.
    pub fn new(name: String, config: NodeConfig, universe: &Universe) -> Host {
        let synced = universe.wall().div_euclid(SECOND);
        Host {
            name,
            node: Node::new(config),
            paused: false,
            backlog: VecDeque::new(),
            handing_over: false,
            postponed: Vec::new(),
            clock: Skew::default(),
            synced,
        }
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

    /// Whether the disk is to be synced, as Redis decides it. With `appendfsync everysec`: there is something to sync, and the second by the wall
    /// clock is a later one than when it last was. With snapshots: a save point is reached.
    fn is_due(&self, universe: &Universe) -> bool {
        let (changed, for_s) = (self.node.unsynced(), self.wall(universe).div_euclid(SECOND) - self.synced);
        !self.paused
            && match self.node.persistence() {
                Persistence::None | Persistence::AofAlways => false,
                Persistence::AofEverysec => changed > 0 && for_s > 0,
                Persistence::Rdb => SAVE_POINTS.iter().any(|(seconds, changes)| for_s >= *seconds && changed >= *changes),
            }
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

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    struct Stage {
        universe: Universe,
        host: Host,
    }

    impl Stage {
        fn new() -> Stage {
            let universe = Universe::default();
            let config = NodeConfig { persistence: Persistence::AofEverysec, ..NodeConfig::default() };
            let host = Host::new("n1".into(), config, &universe);
            Stage { universe, host }
        }

        /// Sets a key at a time.
        fn set(&mut self, at: Nanos, key: &str) {
            self.until(at);
            self.host.catch_up(&self.universe);
            let mut session = self.host.node.open().expect("it is up");
            let now = self.host.wall_ms(&self.universe);
            self.host.node.execute(&mut session, &[b"SET", key.as_bytes(), b"x"], now).expect("it is up");
            self.host.settle(&self.universe);
        }

        fn until(&self, at: Nanos) {
            self.universe.run(self.universe.sleep_until(at), || false).expect("a sleep ends");
        }

        /// How many keys a loss of power would take at a time.
        fn unsynced(&mut self, at: Nanos) -> usize {
            self.until(at);
            self.host.catch_up(&self.universe);
            self.host.node.unsynced()
        }
    }

    #[test]
    fn what_was_written_since_the_last_sync_is_lost_until_the_second_is_over() {
        let mut stage = Stage::new();
        stage.set(100 * MS, "a");
        stage.set(900 * MS, "b");
        assert_eq!(stage.unsynced(999 * MS), 2);
        assert_eq!(stage.unsynced(1000 * MS), 0);
        stage.set(1100 * MS, "c");
        assert_eq!(stage.unsynced(1999 * MS), 1);
    }

    #[test]
    fn what_is_written_after_an_idle_second_is_synced_at_once_and_what_follows_is_not() {
        let mut stage = Stage::new();
        stage.set(5_300 * MS, "a");
        assert_eq!(stage.unsynced(5_300 * MS), 0);
        stage.set(5_301 * MS, "b");
        assert_eq!(stage.unsynced(5_999 * MS), 1);
        // That it was synced at 6 s is only seen now: what is written in a later second is synced at once again.
        stage.set(8_500 * MS, "c");
        assert_eq!(stage.unsynced(8_500 * MS), 0);
    }

    #[test]
    fn nothing_is_synced_until_a_clock_that_was_set_back_has_caught_up() {
        let mut stage = Stage::new();
        stage.set(100 * MS, "a");
        let skew = stage.host.skew();
        stage.host.bend(skew.jumped(-30_000), &stage.universe);
        assert_eq!(stage.unsynced(29_000 * MS), 1);
        assert_eq!(stage.unsynced(31_000 * MS), 0);
        stage.set(31_100 * MS, "b");
        stage.host.bend(skew.jumped(30_000), &stage.universe);
        assert_eq!(stage.unsynced(31_100 * MS), 0, "a jump ahead is a later second");
    }

    #[test]
    fn what_stands_still_syncs_nothing_and_a_second_is_as_long_as_its_clock_says() {
        let mut stage = Stage::new();
        stage.set(100 * MS, "a");
        stage.host.paused = true;
        assert_eq!(stage.unsynced(3_000 * MS), 1);
        assert!(!stage.host.sync_now(&stage.universe));
        stage.host.paused = false;
        assert!(stage.host.sync_now(&stage.universe));
        assert_eq!(stage.host.node.unsynced(), 0);
        let skew = stage.host.skew().drifting(4.0, stage.universe.wall()).expect("the first drift");
        stage.host.bend(skew, &stage.universe);
        assert_eq!(stage.host.next_second(&stage.universe), 3_250 * MS);
    }
}
