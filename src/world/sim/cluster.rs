//! Redis Cluster, simulated: what its nodes do, and not how they gossip.
//!
//! Ten times a second each node looks at the others. Where a majority of the masters has missed another for as long as real ones do (its node timeout is
//! one second), it counts as failed, and the cluster is down for whoever knows so; after the delay of a real election its replica that has come farthest, of
//! those that a majority of the masters reaches, takes its slots over. Whoever reaches a majority of the masters knows all that is known; whoever does not for a
//! node timeout takes the cluster for down. A master whose slots another has becomes its replica when it reaches a majority again.
//!
//! What this leaves out: gossip that is late or contradicts itself, votes that are split (one election succeeds), epochs (the last takeover wins), replicas
//! that move to another master, slots on the move. From the death of a master to the promotion it takes 1.9 to 2.8 s; of real ones 2.1 to 2.8 s were
//! measured to the next grant, in 42 runs.

use super::SimWorld;
use super::network::{Network, address};
use super::redis::{ClusterState, ClusterView, Role, Shard};
use crate::slot;
use checker::Nanos;
use nemesis::{Evidence, NotInjected};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::rc::{Rc, Weak};

const TICK: Nanos = 100_000_000;
const SOON: Nanos = 5_000_000;
/// For how long a node is missed before it counts as failed: its timeout, and until a majority has heard of it.
const UNTIL_FAILED: RangeInclusive<Nanos> = 1_300_000_000..=1_700_000_000;
/// How long a replica waits before it stands for election, and until it is elected.
const ELECTION: RangeInclusive<Nanos> = 600_000_000..=1_000_000_000;
/// For how long a node does without a majority of the masters before it takes the cluster for down.
const NODE_TIMEOUT: Nanos = 1_000_000_000;

/// The cluster of a world.
pub(super) struct Cluster {
    network: Weak<Network>,
    nodes: Vec<String>,
    rng: RefCell<ChaCha8Rng>,
    shards: RefCell<Vec<Served>>,
    /// When each node last reached a majority of the masters.
    in_majority: RefCell<BTreeMap<String, Nanos>>,
}

/// A share of the slots.
struct Served {
    slots: (u16, u16),
    /// Who serves them, as the cluster has agreed.
    master: String,
    nodes: Vec<String>,
    failing: Option<Failing>,
}

/// A master that a majority misses.
struct Failing {
    fails: Nanos,
    replaced: Nanos,
}

impl Cluster {
    /// Makes the nodes of a world one cluster, which is healthy.
    pub(super) fn form(world: &SimWorld) -> Rc<Cluster> {
        let topology = &world.plan.topology;
        let shares = slot::shares(topology.master_count() as usize);
        let served = |(slots, nodes): ((u16, u16), Vec<String>)| {
            let master = nodes[0].clone();
            world.network.attend(&master, &nodes);
            Served { slots, master, nodes, failing: None }
        };
        let cluster = Rc::new(Cluster {
            network: Rc::downgrade(&world.network),
            nodes: topology.nodes(),
            rng: RefCell::new(crate::chance::stream(world.plan.seed, "cluster")),
            shards: RefCell::new(shares.into_iter().zip(topology.shards()).map(served).collect()),
            in_majority: RefCell::new(topology.nodes().into_iter().map(|node| (node, 0)).collect()),
        });
        cluster.look(&world.network);
        cluster.clone().tick();
        cluster
    }

    fn tick(self: Rc<Self>) {
        let Some(network) = self.network.upgrade() else { return };
        let at = network.now() + TICK;
        network.clone().at(at, move || {
            if let Some(network) = self.network.upgrade() {
                self.look(&network);
                self.tick();
            }
        });
    }

    /// Looks beside its time: a node that goes on is heard, and hears, within a few milliseconds.
    pub(super) fn look_soon(self: &Rc<Self>) {
        let (Some(network), cluster) = (self.network.upgrade(), self.clone()) else { return };
        network.clone().at(network.now() + SOON, move || {
            if let Some(network) = cluster.network.upgrade() {
                cluster.look(&network);
            }
        });
    }

    /// Whether two nodes hear each other; of one, whether it goes on at all.
    fn reach(&self, network: &Network, one: &str, other: &str) -> bool {
        let up = |node: &str| network.role(node).is_some();
        up(one) && up(other) && (one == other || network.is_whole(one, other))
    }

    fn masters(&self) -> Vec<String> {
        self.shards.borrow().iter().map(|shard| shard.master.clone()).collect()
    }

    fn has_majority(&self, network: &Network, node: &str) -> bool {
        let masters = self.masters();
        let reached = masters.iter().filter(|master| self.reach(network, node, master)).count();
        reached > masters.len() / 2
    }

    fn look(&self, network: &Rc<Network>) {
        for (one, other) in self.nodes.iter().flat_map(|one| self.nodes.iter().map(move |other| (one, other))) {
            if one != other {
                network.ping(one, other);
            }
        }
        let masters = self.masters();
        for (index, master) in masters.iter().enumerate() {
            let missing = masters.iter().filter(|other| *other != master && !self.reach(network, other, master)).count();
            self.judge(network, index, missing > masters.len() / 2);
        }
        self.spread(network);
    }

    /// A majority of the masters misses the master of a shard, or it does not.
    fn judge(&self, network: &Rc<Network>, index: usize, missed: bool) {
        let now = network.now();
        let shard = &mut self.shards.borrow_mut()[index];
        if !missed {
            shard.failing = None;
            return;
        }
        let mut rng = self.rng.borrow_mut();
        let failing = shard.failing.get_or_insert_with(|| {
            let fails = now + rng.random_range(UNTIL_FAILED);
            Failing { fails, replaced: fails + rng.random_range(ELECTION) }
        });
        if now < failing.replaced {
            return;
        }
        let others: Vec<&String> = shard.nodes.iter().filter(|node| **node != shard.master).collect();
        drop(rng);
        let offset = |node: &&String| match network.role(node) {
            Some((Role::Replica(_), offset)) => Some(offset),
            _ => None,
        };
        let farthest = others.into_iter().rev().filter_map(|node| Some((offset(&node)?, node))).max_by_key(|(offset, _)| *offset);
        if let Some(chosen) = farthest.map(|(_, node)| node.clone()) {
            network.follow(&chosen, None);
            shard.master = chosen;
            shard.failing = None;
        }
    }

    fn all_served(&self, now: Nanos) -> bool {
        self.shards.borrow().iter().all(|shard| shard.failing.as_ref().is_none_or(|failing| now < failing.fails))
    }

    /// Whether every slot has a master.
    pub(super) fn is_well(&self) -> bool {
        self.network.upgrade().is_some_and(|network| self.all_served(network.now()))
    }

    /// Whoever reaches a majority of the masters knows all that is known, and follows whom it should.
    fn spread(&self, network: &Rc<Network>) {
        let now = network.now();
        let healthy = if self.all_served(now) { ClusterState::Ok } else { ClusterState::Fail };
        for node in &self.nodes {
            if self.has_majority(network, node) {
                self.in_majority.borrow_mut().insert(node.clone(), now);
                network.inform(node, self.view(network, node, healthy));
                self.align(network, node);
            } else if network.role(node).is_some() && now - self.in_majority.borrow()[node] >= NODE_TIMEOUT {
                network.doubts(node);
            }
        }
    }

    fn view(&self, network: &Network, node: &str, state: ClusterState) -> ClusterView {
        let shard = |shard: &Served| {
            let replicas = shard.nodes.iter().filter(|node| **node != shard.master && network.role(node).is_some());
            Shard { slots: shard.slots, nodes: [&shard.master].into_iter().chain(replicas).map(|node| address(node)).collect() }
        };
        ClusterView { me: address(node), state, shards: self.shards.borrow().iter().map(shard).collect() }
    }

    /// Has a node follow the master of its shard, or be it.
    fn align(&self, network: &Rc<Network>, node: &str) {
        let master = self
            .shards
            .borrow()
            .iter()
            .find(|shard| shard.nodes.iter().any(|known| known == node))
            .map(|shard| shard.master.clone());
        let Some(master) = master else { return };
        match network.role(node) {
            Some((Role::Replica(_), _)) if master == node => {
                network.follow(node, None);
            }
            Some((Role::Replica(follows), _)) if follows.host != master => {
                network.follow(node, Some(&master));
            }
            Some((Role::Master, _)) if master != node => {
                network.follow(node, Some(&master));
            }
            _ => {}
        }
    }

    /// Who serves the slot of a key.
    pub(super) fn owner(&self, key: &str) -> Option<String> {
        let slot = slot::of(key.as_bytes());
        let shards = self.shards.borrow();
        shards.iter().find(|shard| (shard.slots.0..=shard.slots.1).contains(&slot)).map(|shard| shard.master.clone())
    }

    /// The master of the shard that a node is of.
    pub(super) fn master_of(&self, node: &str) -> Option<String> {
        let shards = self.shards.borrow();
        shards.iter().find(|shard| shard.nodes.iter().any(|known| known == node)).map(|shard| shard.master.clone())
    }

    /// Has a replica take over the slots of its master (CLUSTER FAILOVER TAKEOVER), without asking anybody.
    pub(super) fn take_over(&self, to: &str) -> Result<Evidence, NotInjected> {
        let not = |why: &str| Err(NotInjected(format!("{to} did not take over: {why}")));
        let network = self.network.upgrade().ok_or_else(|| NotInjected("the world is over".into()))?;
        match network.role(to) {
            None => return not("it is no node that can be asked"),
            Some((Role::Master, _)) => return not("it is a master already"),
            Some((Role::Replica(_), _)) => {}
        }
        let Some(old) = self.master_of(to) else { return not("it is of no shard") };
        network.follow(to, None);
        self.serves(&network, to);
        let offset = network.role(to).map_or(0, |(_, offset)| offset);
        Ok(Evidence(format!("{to} is a master, at offset {offset}, in place of {old}")))
    }

    /// Has a master hand over to a replica that has everything (CLUSTER FAILOVER).
    pub(super) async fn hand_over(&self, to: &str) -> Result<Evidence, NotInjected> {
        let network = self.network.upgrade().ok_or_else(|| NotInjected("the world is over".into()))?;
        let old = self.master_of(to).ok_or_else(|| NotInjected(format!("{to} is of no shard")))?;
        let offset = network.hand_over(&old, to).await?;
        self.serves(&network, to);
        Ok(Evidence(format!("{to} is a master, at offset {offset}, in place of {old}")))
    }

    /// A node serves the slots of its shard from now on, and tells whom it reaches.
    fn serves(&self, network: &Rc<Network>, node: &str) {
        for shard in self.shards.borrow_mut().iter_mut().filter(|shard| shard.nodes.iter().any(|known| known == node)) {
            shard.master = node.to_owned();
            shard.failing = None;
        }
        network.inform(node, self.view(network, node, ClusterState::Ok));
        self.spread(network);
    }
}
