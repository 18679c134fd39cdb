//! Sentinels, simulated: what they do, and not how they talk. Each looks at the master ten times a second. Where a majority of them has missed it for
//! as long as real ones are told to, they agree on the reachable replica that has come farthest; whoever connects asks them and is led to
//! it, and the old master is made a replica soon after they reach it again.

use super::SimWorld;
use super::network::Network;
use super::redis::Role;
use checker::Nanos;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::ops::RangeInclusive;
use std::rc::{Rc, Weak};

const TICK: Nanos = 100_000_000;
/// For how long a master is missed before anything is done, with the time that the election takes: 1.3 s were measured of real ones.
const UNTIL_PROMOTED: RangeInclusive<Nanos> = 1_000_000_000..=1_600_000_000;
/// For how long a master that is none any more is left alone: real ones look at its role several times.
const UNTIL_DEMOTED: Nanos = 500_000_000;

/// The sentinels of a world.
pub(super) struct Sentinels {
    network: Weak<Network>,
    names: Vec<String>,
    nodes: Vec<String>,
    rng: RefCell<ChaCha8Rng>,
    missed: RefCell<Option<Missed>>,
    /// The masters that were seen beside the one that they agreed on, and since when.
    strays: RefCell<Vec<(String, Nanos)>>,
}

/// A master that a majority misses.
struct Missed {
    since: Nanos,
    patience: Nanos,
}

impl Sentinels {
    /// Watches the nodes of a world from now on.
    pub(super) fn watch(world: &SimWorld) {
        let names = world.plan.topology.sentinels();
        if names.is_empty() {
            return;
        }
        world.network.watched_by(names.clone());
        let sentinels = Rc::new(Sentinels {
            network: Rc::downgrade(&world.network),
            names,
            nodes: world.nodes.clone(),
            rng: RefCell::new(crate::chance::stream(world.plan.seed, "sentinels")),
            missed: RefCell::default(),
            strays: RefCell::default(),
        });
        sentinels.tick();
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

    /// The sentinels that go on.
    fn present(&self, network: &Network) -> impl Iterator<Item = &String> {
        self.names.iter().filter(|sentinel| network.is_present(sentinel))
    }

    /// The sentinels that reach a node, and that it reaches.
    fn reaching(&self, network: &Network, node: &str) -> usize {
        let up = network.role(node).is_some();
        self.present(network).filter(|sentinel| up && network.is_whole(sentinel, node)).count()
    }

    fn look(&self, network: &Rc<Network>) {
        let Some(master) = network.masters.all().pop() else { return };
        for (sentinel, node) in self.present(network).flat_map(|sentinel| self.nodes.iter().map(move |node| (sentinel, node))) {
            network.ping(sentinel, node);
        }
        let majority = self.names.len() / 2 + 1;
        let now = network.now();
        self.demote(network, &master, now);
        if self.present(network).count() - self.reaching(network, &master) < majority {
            *self.missed.borrow_mut() = None;
            return;
        }
        let mut missed = self.missed.borrow_mut();
        let patience = self.rng.borrow_mut().random_range(UNTIL_PROMOTED);
        let Missed { since, patience } = missed.get_or_insert(Missed { since: now, patience });
        if now - *since < *patience {
            return;
        }
        let candidates = self.nodes.iter().filter(|node| self.reaching(network, node) >= majority);
        let replicas = candidates.filter_map(|node| match network.role(node) {
            Some((Role::Replica(_), offset)) => Some((offset, node)),
            _ => None,
        });
        let Some((_, chosen)) = replicas.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(a.1))) else { return };
        *missed = None;
        network.follow(chosen, None);
        network.masters.is_now(chosen);
        for node in self.nodes.iter().filter(|node| *node != chosen && self.reaching(network, node) >= majority) {
            network.follow(node, Some(chosen));
        }
    }

    /// Makes masters that are none any more follow the one that is.
    fn demote(&self, network: &Rc<Network>, master: &str, now: Nanos) {
        let stray = |node: &&String| {
            *node != master && matches!(network.role(node), Some((Role::Master, _))) && self.reaching(network, node) > 0
        };
        let seen: Vec<&String> = self.nodes.iter().filter(stray).collect();
        let mut strays = self.strays.borrow_mut();
        strays.retain(|(node, _)| seen.contains(&node));
        for node in seen {
            match strays.iter().find(|(known, _)| known == node) {
                None => strays.push((node.clone(), now)),
                Some((_, since)) if now - since >= UNTIL_DEMOTED => {
                    network.follow(node, Some(master));
                    network.close_clients(node);
                }
                Some(_) => {}
            }
        }
    }
}
