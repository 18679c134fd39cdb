//! The simulated world: virtual time, simulated nodes, and clients that are futures. Same plan, same seed: the same bytes.

mod cluster;
pub mod connection;
mod door;
pub mod network;
pub mod redis;
mod replicas;
mod sentinel;
pub mod universe;

use super::masters::Masters;
use super::severed::SeveredLinks;
use super::wire_faults::WireFaults;
use super::{Announced, Look, Setup, World, WorldError, look};
use crate::client::{Answer, Ask, Session};
use crate::lock;
use crate::plan::{Plan, ResourceSpec, ResourceType, TopologyKind};
use crate::resource::{Sqlite, Store};
use checker::Nanos;
use checker::history::KeySeen;
use cluster::Cluster;
use connection::{SimConnection, SimSubscriber};
use door::SimDoor;
use nemesis::{Data, Evidence, Fault, NotInjected, Sighting, Skew};
use network::{Network, WayIn};
use redis::{Imitates, NodeConfig};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use universe::{SimClock, StoodStill, Universe};

/// The name of the node that keeps the resource.
const STORE: &str = "store";
/// How long replicas may take to have what their master has, when a world begins.
const HEALTHY_WITHIN: Nanos = 5_000_000_000;
const LOOK_AGAIN: Nanos = 100_000;

/// A simulated world.
pub struct SimWorld {
    plan: Plan,
    universe: Rc<Universe>,
    network: Rc<Network>,
    wire_faults: WireFaults,
    severed: SeveredLinks,
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

struct Client {
    session: tokio::sync::Mutex<Session<SimDoor, SimClock>>,
    standing: Cell<Standing>,
    /// Whoever waits for its answer; a client does one thing at a time.
    waker: RefCell<Option<Waker>>,
    skew: Rc<Cell<Skew>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Alive,
    Paused,
    Dead,
}

impl SimWorld {
    /// A world at its beginning.
    pub fn new(setup: Setup) -> Self {
        let Setup { plan, patterns, .. } = setup;
        let universe = Rc::new(Universe::default());
        let min_replicas_to_write = plan.topology.min_replicas_to_write.unwrap_or(0);
        let config = |persistence| NodeConfig { persistence, imitates: Imitates::Redis84, min_replicas_to_write };
        let mut nodes: Vec<_> = plan.topology.nodes().into_iter().map(|name| (name, config(plan.topology.persistence))).collect();
        nodes.push((STORE.to_string(), NodeConfig::default()));
        let network = Network::new(universe.clone(), plan.seed, nodes, Masters::of_topology(&plan.topology), patterns);
        for master in network.masters.all() {
            network.attend(&master, &network.masters.group(&master));
        }
        let (wire_faults, severed, clients, blocked) = Default::default();
        let (says, hears) = unbounded_channel();
        let (hears, sqlite) = (tokio::sync::Mutex::new(hears), Sqlite::private_memory());
        let cluster = None;
        let mut world =
            SimWorld { plan, universe, network, wire_faults, severed, cluster, clients, blocked, says, hears, sqlite };
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

    fn client(&self, name: &str) -> Option<Rc<Client>> {
        self.clients.borrow().get(name).cloned()
    }

    fn live_client(&self, name: &str) -> Result<Rc<Client>, NotInjected> {
        let client = self.client(name).ok_or_else(|| NotInjected(format!("there is no {name}")))?;
        if client.standing.get() == Standing::Dead { Err(NotInjected(format!("{name} is dead"))) } else { Ok(client) }
    }

    /// Pauses or resumes a client or a node.
    fn pause(&self, member: &str, paused: bool) -> Result<Evidence, NotInjected> {
        let word = if paused { "is not scheduled" } else { "is scheduled again" };
        if self.client(member).is_some() {
            let client = self.live_client(member)?;
            client.stand(if paused { Standing::Paused } else { Standing::Alive });
        } else if !self.network.pause(member, paused) {
            return Err(NotInjected(format!("{member} is no client and no node that is up")));
        }
        Ok(Evidence(format!("{member} {word}")))
    }

    fn kill(&self, node: &str) -> Result<(), NotInjected> {
        if self.network.kill(node) { Ok(()) } else { Err(NotInjected(format!("{node} is no node that is up"))) }
    }

    fn start(&self, node: &str, data: Data) -> Result<(), NotInjected> {
        if self.network.start(node, data) { Ok(()) } else { Err(NotInjected(format!("{node} is no node that is dead"))) }
    }

    /// Blocks a node for so long: it stands still, and time goes on.
    fn block(&self, node: &str, for_ms: u64) -> Result<Evidence, NotInjected> {
        let till = self.universe.now() + for_ms * 1_000_000;
        if self.blocked.borrow().get(node).is_some_and(|till| *till > self.universe.now()) {
            return Err(NotInjected(format!("{node} is blocked already")));
        }
        if self.client(node).is_some() || !self.network.pause(node, true) {
            return Err(NotInjected(format!("{node} is no node that is up")));
        }
        let (network, name) = (self.network.clone(), node.to_string());
        self.universe.at(till, move || {
            network.pause(&name, false);
        });
        self.blocked.borrow_mut().insert(node.to_string(), till);
        Ok(Evidence(format!("{node} sleeps for {for_ms} ms")))
    }

    /// Waits until a node is not blocked any more.
    async fn unblocked(&self, node: &str) -> Result<Evidence, NotInjected> {
        let till = self.blocked.borrow_mut().remove(node).ok_or_else(|| NotInjected(format!("{node} was not blocked")))?;
        self.universe.sleep_until(till).await;
        Ok(Evidence(format!("{node} woke")))
    }

    /// Bends the wall clock of a client or a node.
    fn bend(&self, member: &str, bend: impl FnOnce(Skew) -> Result<Skew, NotInjected>) -> Result<Evidence, NotInjected> {
        let (before, after) = match self.client(member) {
            Some(client) => {
                let shown = |skew: Skew| (skew.shown(self.universe.wall()) / 1_000_000).max(0) as u64;
                let before = client.skew.get();
                client.skew.set(bend(before)?);
                (shown(before), shown(client.skew.get()))
            }
            None => self.network.bend(member, bend)?,
        };
        Ok(Evidence(format!("the wall clock of {member} was {before} ms before and {after} ms after")))
    }
}

impl Client {
    fn stand(&self, standing: Standing) {
        self.standing.set(standing);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Runs a future of this client: it is not polled while the client is paused, and never again once it is dead.
    async fn live<T>(&self, future: impl Future<Output = T>, once_dead: impl Fn() -> T) -> T {
        let mut future = pin!(future);
        poll_fn(|context| match self.standing.get() {
            Standing::Dead => Poll::Ready(once_dead()),
            standing => {
                self.waker.replace(Some(context.waker().clone()));
                if standing == Standing::Paused { Poll::Pending } else { future.as_mut().poll(context) }
            }
        })
        .await
    }
}

impl World for SimWorld {
    fn now(&self) -> Nanos {
        self.universe.now()
    }

    async fn sleep_until(&self, then: Nanos) {
        self.universe.sleep_until(then).await;
    }

    fn versions(&self) -> BTreeMap<String, String> {
        let ours = env!("CARGO_PKG_VERSION").to_string();
        BTreeMap::from([("fencepost".into(), ours), ("redis-server".into(), "simulated".into())])
    }

    async fn start_client(&self, name: &str) -> Result<(), WorldError> {
        let skew = Rc::new(Cell::new(Skew::default()));
        let clock = SimClock { universe: self.universe.clone(), skew: skew.clone() };
        let masters = self.network.masters.all();
        let (found, way_in) =
            if masters.is_empty() { (self.plan.topology.nodes(), WayIn::Node) } else { (masters, WayIn::Service) };
        let ways_in: Vec<_> = found.into_iter().map(|node| (node, way_in)).collect();
        let enter = |(node, way_in): &(String, WayIn)| Ok(SimDoor::Node(self.connect(name, node, *way_in)?));
        let doors = || match &self.cluster {
            Some(_) => Ok(vec![self.cluster_door(name)?]),
            None => ways_in.iter().map(enter).collect::<Result<Vec<_>, WorldError>>(),
        };
        let nodes = doors()?;
        let resource = self.plan.resource.as_ref();
        let store = resource.map(|resource| self.store(name, resource)).transpose()?;
        let mut session = Session::new(name, &self.plan.lock, resource, nodes, store, clock, self.plan.seed);
        if self.plan.lock.waits.is_some() {
            let (first, way_in) = &ways_in[0];
            let (link, heard) = self.network.hearing_link(name, first, *way_in).ok_or_else(|| no_node(first))?;
            session.listen_by(SimSubscriber::new(link, self.network.outbox.clone(), heard));
        }
        session.prepare().await.map_err(|why| WorldError::Impossible(why.to_string()))?;
        let first = if self.plan.lock.is_renewed() { doors()?.into_iter().next() } else { None };
        let renewer = first.and_then(|first| session.renewer(first));
        let client = Client {
            session: tokio::sync::Mutex::new(session),
            standing: Cell::new(Standing::Alive),
            waker: RefCell::default(),
            skew,
        };
        let client = Rc::new(client);
        if let Some(renewer) = renewer {
            let (says, name, client) = (self.says.clone(), name.to_string(), client.clone());
            // Nobody hears it where the world is over.
            let say = move |what| drop(says.send(Announced { client: name.clone(), what }));
            self.universe.spawn(async move { client.live(renewer.run(say), || ()).await });
        }
        self.clients.borrow_mut().insert(name.to_string(), client);
        Ok(())
    }

    async fn health(&self) -> Result<(), String> {
        let until = self.now() + HEALTHY_WITHIN;
        while !self.network.is_replicated() {
            if self.now() > until {
                return Err("a replica has not what its master wrote".into());
            }
            self.sleep_until(self.now() + LOOK_AGAIN).await;
        }
        Ok(())
    }

    async fn call(&self, client: &str, ask: Ask) -> Answer {
        let Some(client) = self.client(client) else { return Answer::Gone };
        client.live(async { client.session.lock().await.answer(&ask.what).await }, || Answer::Gone).await
    }

    async fn announced(&self) -> Announced {
        match self.hears.lock().await.recv().await {
            Some(announced) => announced,
            None => std::future::pending().await,
        }
    }

    async fn inject(&self, fault: &Fault) -> Result<Evidence, NotInjected> {
        match fault {
            Fault::Pause(member) => self.pause(member, true),
            Fault::Crash(name) => {
                self.live_client(name)?.stand(Standing::Dead);
                self.network.hang_up(name);
                Ok(Evidence(format!("{name} is dropped and its connections are closed")))
            }
            Fault::Kill { node, .. } => {
                self.kill(node)?;
                Ok(Evidence(format!("{node} is down")))
            }
            Fault::Restart { node, data } => {
                let before = self.network.keys(node);
                self.kill(node)?;
                self.start(node, *data)?;
                Ok(Evidence(format!("{node} is up again; keys before: {before}, after: {}", self.network.keys(node))))
            }
            Fault::Clock { of, jump_ms } => self.bend(of, |skew| Ok(skew.jumped(*jump_ms))),
            Fault::Drift { of, rate } => {
                let Evidence(shown) = self.bend(of, |skew| skew.drifting(*rate, self.universe.wall()))?;
                Ok(Evidence(format!("{shown}; it goes {rate} times as fast")))
            }
            Fault::Power { node } => {
                let before = self.network.keys(node);
                let lost = self.network.lose_power(node).ok_or_else(|| NotInjected(format!("{node} is no node that is up")))?;
                Ok(Evidence(format!(
                    "{node} is down; of its {before} keys {lost} were changed after its last sync and went back"
                )))
            }
            Fault::Evict { node } => {
                let locks: Vec<String> = (1..=self.plan.workload.locks).map(Plan::lock_name).collect();
                match self.network.evict(node, &locks)?.as_slice() {
                    [] => Err(NotInjected(format!("{node} has no key of a lock that could be evicted"))),
                    evicted => Ok(Evidence(format!("{node} evicted {}", evicted.join(", ")))),
                }
            }
            Fault::ScriptFlush { node } => {
                self.network.flush_scripts(node)?;
                Ok(Evidence(format!("{node} has no scripts")))
            }
            Fault::Block { node, for_ms } => self.block(node, *for_ms),
            Fault::Reset(member) => match self.network.reset(member) {
                0 => Err(NotInjected(format!("{member} has no connection that could be reset"))),
                count => Ok(Evidence(format!("{count} connections of {member} were reset"))),
            },
            Fault::Wire(fault) => Ok(self.wire_faults.begin(fault, |rule| self.network.rule(rule))),
            Fault::Partition(partition) => Ok(self.severed.part(partition, |from, to, how| self.network.sever(from, to, how))),
            Fault::FreezeReplication { node } => {
                let master = match &self.cluster {
                    Some(cluster) => cluster.master_of(node).ok_or_else(|| NotInjected(format!("{node} has no master")))?,
                    None => self.master_of(node)?,
                };
                Ok(self.severed.freeze(fault, &master, node, |from, to, how| self.network.sever(from, to, how)))
            }
            Fault::Promote { node, told } => match &self.cluster {
                Some(cluster) => cluster.take_over(node),
                None => self.promote(node, told.as_deref()),
            },
            Fault::Failover { to } => {
                if let Some(cluster) = &self.cluster {
                    return cluster.hand_over(to).await;
                }
                let master = self.master_of(to)?;
                let offset = self.network.hand_over(&master, to).await?;
                let followers = self.hand_over(to, None);
                Ok(Evidence(format!("{to} is a master, at offset {offset}; {master} follows it, at {offset}; {followers}")))
            }
        }
    }

    async fn heal(&self, fault: &Fault) -> Result<Evidence, NotInjected> {
        match fault {
            Fault::Pause(member) => self.pause(member, false),
            Fault::Kill { node, data } => {
                self.start(node, *data)?;
                Ok(Evidence(format!("{node} is up again; keys: {}", self.network.keys(node))))
            }
            Fault::Power { node } => {
                self.start(node, Data::Kept)?;
                Ok(Evidence(format!("{node} is up again; keys: {}", self.network.keys(node))))
            }
            Fault::Clock { of, jump_ms } => self.bend(of, |skew| Ok(skew.jumped(jump_ms.saturating_neg()))),
            Fault::Drift { of, .. } => self.bend(of, |skew| Ok(skew.steady())),
            Fault::Wire(fault) => {
                let (rules, ended) = self.wire_faults.end(fault, |rule| self.network.hits(rule));
                rules.into_iter().for_each(|rule| self.network.lift(rule));
                ended
            }
            Fault::Partition(_) | Fault::FreezeReplication { .. } => {
                let (links, ended) = self.severed.end(fault, |link| self.network.toll(link));
                links.into_iter().for_each(|link| self.network.mend(link));
                ended
            }
            Fault::Block { node, .. } => self.unblocked(node).await,
            Fault::Crash(_)
            | Fault::Restart { .. }
            | Fault::Evict { .. }
            | Fault::ScriptFlush { .. }
            | Fault::Reset(_)
            | Fault::Promote { .. }
            | Fault::Failover { .. } => Err(NotInjected(format!("{fault}: that does not last"))),
        }
    }

    async fn sighting(&self) -> Sighting {
        self.network.sighting().await
    }

    fn let_pass(&self, sighting: Sighting) {
        self.network.let_pass(&sighting);
    }

    fn met(&self, fault: &Fault) -> Option<Evidence> {
        match fault {
            Fault::Wire(fault) => self.wire_faults.met(fault, |rule| self.network.hits(rule)),
            other => self.severed.met(other, |link| self.network.toll(link)),
        }
    }

    async fn synced(&self, node: &str) -> Result<(), NotInjected> {
        self.network.synced(node).await
    }

    fn casualties(&self) -> Option<String> {
        None
    }

    async fn look(&self, name: &str) -> Option<Look> {
        let nodes = match &self.cluster {
            Some(cluster) => cluster.owner(name).into_iter().collect(),
            None => Some(self.network.masters.all()).filter(|all| !all.is_empty()).unwrap_or_else(|| self.plan.topology.nodes()),
        };
        let wall = self.universe.wall() as Nanos;
        let by_rule =
            |key: Option<KeySeen>| key.and_then(|key| lock::by_its_rule(self.plan.lock.kind, key, wall)).into_iter().collect();
        let seen = nodes.iter().map(|node| self.network.look(node, name).ok().map(by_rule));
        look::look(seen, self.plan.quorum())
    }
}
