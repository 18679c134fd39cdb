//! Worlds of real Redis servers, each client a process of its own, the wire between them; where they all live is a habitat: on loopback addresses
//! of this machine, or in containers.
//!
//! Everybody calls everybody at the wire's gates, from an address of their own, by which the wire knows them. The runner asks nodes where they really
//! listen, past the wire; so do clients with the resource's store, which no fault hits.
//!
//! Nodes and clients are started with a library of ours preloaded, which bends their wall clocks and keeps account of what they sync to disk.

mod client;
mod clock;
mod cluster;
#[cfg(feature = "docker")]
mod docker;
mod faults;
mod habitat;
mod line;
mod look;
mod mailbox;
mod node;
mod power;
pub mod preload;
mod pressure;
mod process;
mod promoted;
mod replicas;
pub mod scratch;
mod sentinel;
mod toxiproxy;
mod versions;

use super::masters::Masters;
use super::severed::SeveredLinks;
use super::toxiproxy::program;
use super::wire_faults::WireFaults;
use super::{Announced, Look, Setup, World, WorldError};
use crate::client::{Answer, Ask};
use crate::plan::{Persistence, Plan, ResourceType, Topology, TopologyKind};
use checker::Nanos;
use client::Client;
use faults::Member;
use habitat::Habitat;
use nemesis::wire::{Gate, Rule, Wire};
use nemesis::{Evidence, Fault, NotInjected, Sighting};
use node::Node;
use rustix::time::{ClockId, clock_gettime};
use scratch::Scratch;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Command;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use toxiproxy::Poison;

/// A world of real servers. It stays on the thread that started it, since its processes die with that thread.
///
/// Dropping it kills and reaps every process, ends the wire and removes what it had on disk, but for logs in the setup's folder.
pub struct RealWorld {
    // In this order they end: clients, the wire, nodes, files, and only then may another world have the addresses.
    clients: RefCell<BTreeMap<String, Rc<Client>>>,
    /// How many clients were started, each with an address of its own.
    started: Cell<usize>,
    wire: Wire,
    wire_faults: WireFaults,
    severed: SeveredLinks,
    /// What poisons links, where the plan has toxics.
    poison: Option<Poison>,
    nodes: Vec<Node>,
    sentinels: Vec<Node>,
    /// The store of a resource in Redis; it lives as long as the world and is never hurt.
    store: Option<Node>,
    /// Who is the master, as the service says.
    masters: Masters,
    /// At which address each client finds it, one a master.
    doors: RefCell<BTreeMap<String, Vec<SocketAddr>>>,
    /// What clients say unasked, and where it is heard.
    says: UnboundedSender<Announced>,
    hears: tokio::sync::Mutex<UnboundedReceiver<Announced>>,
    /// How many keys each killed node had.
    keys_before: RefCell<BTreeMap<String, Option<u64>>>,
    versions: BTreeMap<String, String>,
    scratch: Rc<Scratch>,
    habitat: Rc<dyn Habitat>,
    plan: Plan,
    client_program: Vec<String>,
}

/// What a world of real servers lives in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Backend {
    /// Processes of this machine.
    Process,
    /// Containers of an engine on this machine.
    #[cfg(feature = "docker")]
    Docker,
}

impl RealWorld {
    /// Starts the nodes and the wire.
    ///
    /// # Errors
    /// There is no Redis server, no room for it, no disk, or a node does not become healthy.
    pub async fn start(setup: Setup, backend: Backend) -> Result<RealWorld, WorldError> {
        let Setup { plan, patterns, folder, client_program } = setup;
        let client_program = match client_program {
            Some(program) => program,
            None => ourselves().map_err(|error| sick("our own program cannot be found", error))?,
        };
        let names = plan.topology.nodes();
        let watchers = plan.topology.sentinels();
        let rules = patterns.iter().map(Rule::hold).collect();
        let (habitat, wire) = match backend {
            Backend::Process => process::settle(&plan.topology, rules)?,
            #[cfg(feature = "docker")]
            Backend::Docker => docker::settle(&plan.topology, &client_program, rules).await?,
        };
        let scratch =
            Scratch::make(&habitat.name(), folder.as_deref()).map_err(|error| sick("a folder cannot be made", error))?;
        let scratch = Rc::new(scratch);
        let node = async |name: &str, address, persistence| {
            let server = habitat.server(name).await?;
            let node = Node::new(name, address, habitat.clone(), server, &scratch, persistence);
            node.map_err(|error| sick("a node's files cannot be made", error))
        };
        let mut nodes = vec![];
        for (index, name) in (0..).zip(&names) {
            let node = node(name, habitat.node(index), plan.topology.persistence_of(name)).await?;
            if plan.topology.kind == TopologyKind::Cluster {
                wire.know(habitat.node(index).ip(), name);
                nodes.push(node.clustered(habitat.gate(index), plan.topology.min_replicas_to_write));
            } else if plan.topology.replica_count() > 0 {
                wire.know(habitat.node(index).ip(), name);
                let is_master = index < plan.topology.master_count() as u8;
                let master = (!is_master).then(|| habitat.gate(index % plan.topology.master_count() as u8));
                nodes.push(node.replicated(habitat.gate(index), master, plan.topology.min_replicas_to_write));
            } else {
                nodes.push(node);
            }
        }
        let mut sentinels = vec![];
        for (index, name) in (0..).zip(&watchers) {
            wire.know(habitat.sentinel(index).ip(), name);
            let quorum = watchers.len() / 2 + 1;
            let watches = sentinel::configuration(index.into(), habitat.sentinel_gate(index), habitat.gate(0), quorum);
            sentinels.push(node(name, habitat.sentinel(index), Persistence::None).await?.sentinel(watches));
        }
        let in_redis = plan.resource.as_ref().is_some_and(|resource| resource.kind == ResourceType::Redis);
        let store = match in_redis {
            true => Some(node("store", habitat.store(), Persistence::None).await?),
            false => None,
        };
        let all: Vec<&Node> = nodes.iter().chain(&sentinels).collect();
        let poison = Poison::start(&plan, &all, &*habitat, &scratch, &wire).await?;
        futures_util::future::try_join_all(nodes.iter().chain(&store).map(Node::start)).await?;
        // They look for their master at once.
        futures_util::future::try_join_all(sentinels.iter().map(Node::start)).await?;
        let mut versions = match nodes.first() {
            Some(node) => versions::of(node).await,
            None => BTreeMap::new(),
        };
        versions.extend(habitat.versions());
        versions.extend(poison.iter().map(|poison| (program::NAME.to_owned(), poison.version())));
        let (clients, started, wire_faults, severed, doors, keys_before) = Default::default();
        let (says, hears) = unbounded_channel();
        let world = RealWorld {
            clients,
            started,
            wire,
            wire_faults,
            severed,
            poison,
            nodes,
            sentinels,
            store,
            masters: Masters::of_topology(&plan.topology),
            doors,
            says,
            hears: tokio::sync::Mutex::new(hears),
            keys_before,
            versions,
            scratch,
            habitat,
            plan,
            client_program,
        };
        if world.plan.topology.kind == TopologyKind::Cluster {
            world.form_cluster().await?;
        }
        Ok(world)
    }

    fn client(&self, name: &str) -> Option<Rc<Client>> {
        self.clients.borrow().get(name).cloned()
    }

    fn node(&self, name: &str) -> Result<&Node, NotInjected> {
        let mut all = self.nodes.iter().chain(&self.sentinels);
        all.find(|node| node.name == name).ok_or_else(|| NotInjected(format!("there is no node {name}")))
    }

    fn member(&self, name: &str) -> Result<Member<'_>, NotInjected> {
        match self.client(name) {
            Some(client) => Ok(Member::Client(client)),
            None => self.node(name).map(Member::Node).map_err(|_| NotInjected(format!("there is no client or node {name}"))),
        }
    }

    /// The command that starts a client, which calls from this address and finds what it needs, nodes or sentinels, at those.
    fn client_command(&self, name: &str, from: std::net::IpAddr, found: (&str, &[SocketAddr])) -> Result<Command, WorldError> {
        let [program, own @ ..] = self.client_program.as_slice() else {
            return Err(WorldError::Missing("the program of the clients is not named".into()));
        };
        let json = |spec: serde_json::Result<String>| spec.expect("a spec of texts and numbers always has a JSON");
        let mut command = Command::new(program);
        command.args(own).args(["--name", name, "--lock", &json(serde_json::to_string(&self.plan.lock))]);
        if let Some(resource) = &self.plan.resource {
            command.args(["--resource", &json(serde_json::to_string(resource)), "--store"]);
            command.arg(match resource.kind {
                ResourceType::Redis => format!("redis:{}", self.habitat.store()).into(),
                ResourceType::Sqlite => {
                    let mut store = std::ffi::OsString::from("sqlite:");
                    store.push::<PathBuf>(self.scratch.sqlite());
                    store
                }
            });
        }
        let (what, addresses) = found;
        for address in addresses {
            command.args([what, &address.to_string()]);
        }
        for prefix in self.plan.prefixes() {
            command.args(["--prefix", &prefix]);
        }
        command.args(["--bind", &from.to_string(), "--seed", &self.plan.seed.to_string()]);
        Ok(command)
    }
}

impl World for RealWorld {
    fn now(&self) -> Nanos {
        let now = clock_gettime(ClockId::Monotonic);
        // The monotonic clock began at the machine's start and is never negative.
        now.tv_sec as Nanos * 1_000_000_000 + now.tv_nsec as Nanos
    }

    async fn sleep_until(&self, then: Nanos) {
        // The timer may ring a little early by this clock.
        while let Some(left @ 1..) = then.checked_sub(self.now()) {
            tokio::time::sleep(Duration::from_nanos(left)).await;
        }
    }

    fn versions(&self) -> BTreeMap<String, String> {
        self.versions.clone()
    }

    async fn start_client(&self, name: &str) -> Result<(), WorldError> {
        let index = self.started.get();
        let full = || WorldError::Impossible(format!("there is room for {index} clients in this world"));
        let from = self.habitat.client(index).ok_or_else(full)?;
        self.started.set(index + 1);
        self.wire.know(from, name);
        let (what, addresses) = match self.plan.topology.kind {
            TopologyKind::Single | TopologyKind::Independent if self.plan.topology.replica_count() == 0 => {
                ("--node", (0..).zip(&self.nodes).map(|(index, _)| self.habitat.gate(index)).collect())
            }
            TopologyKind::Sentinel => {
                ("--sentinel", (0..).zip(&self.sentinels).map(|(index, _)| self.habitat.sentinel_gate(index)).collect::<Vec<_>>())
            }
            TopologyKind::Cluster => ("--cluster", (0..).zip(&self.nodes).map(|(index, _)| self.habitat.gate(index)).collect()),
            TopologyKind::Single | TopologyKind::Independent | TopologyKind::Replicas => {
                let masters = self.masters.all();
                let first = self.habitat.door(index);
                // One a master, side by side.
                let door = |(nth, _): (u16, &String)| SocketAddr::new(first.ip(), first.port() + nth);
                let doors: Vec<SocketAddr> = (0..).zip(&masters).map(door).collect();
                self.doors.borrow_mut().insert(name.to_owned(), doors.clone());
                for master in &masters {
                    self.lead(name, master).await?;
                }
                ("--node", doors)
            }
        };
        let command = self.client_command(name, from, (what, &addresses))?;
        let client = Client::start(name, from, command, &*self.habitat, &self.scratch, self.says.clone()).await?;
        self.clients.borrow_mut().insert(name.to_owned(), Rc::new(client));
        Ok(())
    }

    async fn start_clients(&self, clients: &[String]) -> Result<(), WorldError> {
        futures_util::future::try_join_all(clients.iter().map(|client| self.start_client(client))).await.map(drop)
    }

    async fn health(&self) -> Result<(), String> {
        if self.plan.topology.kind == TopologyKind::Cluster {
            return self.cluster_health().await;
        }
        replicas::health(self).await?;
        sentinel::health(self).await
    }

    async fn call(&self, client: &str, ask: Ask) -> Answer {
        match self.client(client) {
            Some(client) => client.call(ask).await,
            None => Answer::Gone,
        }
    }

    async fn announced(&self) -> Announced {
        match self.hears.lock().await.recv().await {
            Some(announced) => announced,
            None => std::future::pending().await,
        }
    }

    async fn inject(&self, fault: &Fault) -> Result<Evidence, NotInjected> {
        faults::inject(self, fault).await
    }

    async fn heal(&self, fault: &Fault) -> Result<Evidence, NotInjected> {
        faults::heal(self, fault).await
    }

    async fn sighting(&self) -> Sighting {
        self.wire.sighting().await
    }

    fn let_pass(&self, sighting: Sighting) {
        self.wire.let_pass(sighting);
    }

    fn met(&self, fault: &Fault) -> Option<Evidence> {
        match fault {
            Fault::Wire(fault) => self.wire_faults.met(fault, |rule| self.wire.hits(rule)),
            Fault::Toxic(toxic) => self.poison.as_ref()?.met(toxic, &self.wire),
            other => self.severed.met(other, |link| self.wire.toll(link)),
        }
    }

    async fn synced(&self, node: &str) -> Result<(), NotInjected> {
        power::synced(self.node(node)?).await
    }

    async fn promoted(&self, node: &str) -> Result<(), NotInjected> {
        promoted::promoted(self, node).await
    }

    fn casualties(&self) -> Option<String> {
        let nodes = self.nodes.iter().chain(&self.sentinels).chain(&self.store).filter_map(Node::died);
        let nodes = nodes.chain(self.poison.iter().filter_map(Poison::died));
        let all: Vec<String> = nodes.chain(self.clients.borrow().values().filter_map(|client| client.died())).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    async fn look(&self, lock: &str) -> Option<Look> {
        let masters = match self.plan.topology.kind {
            TopologyKind::Single | TopologyKind::Independent if self.plan.topology.replica_count() == 0 => None,
            TopologyKind::Single | TopologyKind::Independent | TopologyKind::Replicas => Some(self.masters.all()),
            TopologyKind::Cluster => return self.look_in_cluster(lock).await,
            TopologyKind::Sentinel => Some(vec![sentinel::master(self).await?]),
        };
        let asked = self.nodes.iter().filter(|node| masters.as_ref().is_none_or(|masters| masters.contains(&node.name)));
        let seen = futures_util::future::join_all(asked.map(|node| look::keys(node, lock, &self.plan.lock))).await;
        super::look::look(seen, self.plan.quorum())
    }
}

/// The gates of the nodes of a topology: first those of the ports at which they take commands.
fn gates(habitat: &dyn Habitat, topology: &Topology) -> Vec<Gate> {
    let (nodes, sentinels) = (topology.nodes(), topology.sentinels());
    let gate = |node: &String, listen, dial| Gate { node: node.clone(), listen, dial };
    let own = (0..).zip(&nodes).map(|(index, node)| gate(node, habitat.gate(index), habitat.node(index)));
    let watchers = (0..).zip(&sentinels).map(|(index, name)| gate(name, habitat.sentinel_gate(index), habitat.sentinel(index)));
    let bus = |gate: Gate| Gate { listen: cluster::bus(gate.listen), dial: cluster::bus(gate.dial), ..gate };
    let buses = own.clone().filter(|_| topology.kind == TopologyKind::Cluster).map(bus);
    own.chain(buses).chain(watchers).collect()
}

/// The program that is running, as a client.
fn ourselves() -> std::io::Result<Vec<String>> {
    Ok(vec![std::env::current_exe()?.to_string_lossy().into_owned(), "client".into()])
}

fn sick(what: &str, error: impl std::fmt::Display) -> WorldError {
    WorldError::Sick(format!("{what}: {error}"))
}
