//! The simulated world: virtual time, simulated nodes, and clients that are futures. Same plan, same seed: the same bytes.

mod client;
mod cluster;
pub mod connection;
mod door;
mod faults;
mod health;
mod members;
pub mod network;
pub mod redis;
mod replicas;
mod sentinel;
pub mod toxics;
pub mod universe;
mod world;

use super::masters::Masters;
use super::severed::SeveredLinks;
use super::wire_faults::WireFaults;
use super::{Announced, Setup, WorldError};
use crate::plan::{Plan, ResourceSpec, ResourceType, TopologyKind};
use crate::resource::{Sqlite, Store};
use checker::Nanos;
use client::Client;
use cluster::Cluster;
use connection::SimConnection;
use door::SimDoor;
use network::{Network, WayIn};
use redis::{Imitates, NodeConfig};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use toxics::Toxics;
use universe::{StoodStill, Universe};

/// The name of the node that keeps the resource.
const STORE: &str = "store";

/// A simulated world.
pub struct SimWorld {
    plan: Plan,
    /// Those of the plan, by name.
    nodes: Vec<String>,
    universe: Rc<Universe>,
    network: Rc<Network>,
    wire_faults: WireFaults,
    severed: SeveredLinks,
    toxics: Toxics,
    cluster: Option<Rc<Cluster>>,
    clients: RefCell<BTreeMap<String, Rc<Client>>>,
    /// Until when each node is blocked.
    blocked: RefCell<BTreeMap<String, Nanos>>,
    /// What clients say unasked, and where it is heard.
    says: UnboundedSender<Announced>,
    hears: tokio::sync::Mutex<UnboundedReceiver<Announced>>,
    /// The address of the SQLite database that this world's clients share.
    sqlite: String,
}

fn no_node(node: &str) -> WorldError {
    WorldError::Sick(format!("there is no node {node}"))
}

impl Drop for SimWorld {
    fn drop(&mut self) {
        self.universe.end();
    }
}

impl SimWorld {
    /// A world at its beginning.
    pub fn new(setup: Setup) -> Self {
        let Setup { plan, patterns, .. } = setup;
        let universe = Rc::new(Universe::default());
        let min_replicas_to_write = plan.topology.min_replicas_to_write.unwrap_or(0);
        let config = |persistence| NodeConfig { persistence, imitates: Imitates::Redis84, min_replicas_to_write };
        let nodes = plan.topology.nodes();
        let mut hosts: Vec<_> = nodes.iter().map(|name| (name.clone(), config(plan.topology.persistence_of(name)))).collect();
        hosts.push((STORE.to_string(), NodeConfig::default()));
        let network = Network::new(universe.clone(), plan.seed, hosts, Masters::of_topology(&plan.topology), patterns);
        for master in network.masters.all() {
            network.attend(&master, &network.masters.group(&master));
        }
        let (wire_faults, severed, toxics, clients, blocked) = Default::default();
        let (says, hears) = unbounded_channel();
        let (hears, sqlite) = (tokio::sync::Mutex::new(hears), Sqlite::private_memory());
        let cluster = None;
        let mut world = SimWorld {
            plan,
            nodes,
            universe,
            network,
            wire_faults,
            severed,
            toxics,
            cluster,
            clients,
            blocked,
            says,
            hears,
            sqlite,
        };
        sentinel::Sentinels::watch(&world);
        if world.plan.topology.kind == TopologyKind::Cluster {
            world.cluster = Some(Cluster::form(&world));
        }
        world
    }

    /// Runs a future in this world's time.
    ///
    /// # Errors
    /// [`StoodStill`]
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, StoodStill> {
        self.universe.run(future, || self.network.settle())
    }

    fn connect(&self, client: &str, node: &str, way_in: WayIn) -> Result<SimConnection, WorldError> {
        let link = self.network.link(client, node, way_in).ok_or_else(|| no_node(node))?;
        Ok(SimConnection::new(link, self.network.outbox.clone()))
    }

    fn store(&self, client: &str, resource: &ResourceSpec) -> Result<Store<SimDoor>, WorldError> {
        match resource.kind {
            ResourceType::Redis => Ok(Store::Redis(SimDoor::Node(self.connect(client, STORE, WayIn::Node)?))),
            ResourceType::Sqlite => {
                let sqlite = Sqlite::open(&self.sqlite).map_err(|error| WorldError::Sick(error.to_string()))?;
                Ok(Store::Sqlite(sqlite))
            }
        }
    }
}
