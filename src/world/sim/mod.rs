//! The simulated world: virtual time, simulated nodes, and clients that are futures. Same plan, same seed: the same bytes.

pub mod connection;
pub mod network;
pub mod redis;
pub mod universe;

use super::wire_faults::WireFaults;
use super::{Look, Setup, World, WorldError, look};
use crate::client::{Answer, Ask, Session};
use crate::lock;
use crate::plan::{Plan, ResourceSpec, ResourceType};
use crate::resource::{Sqlite, Store};
use checker::Nanos;
use checker::history::KeySeen;
use connection::SimConnection;
use nemesis::{Data, Evidence, Fault, NotInjected, Sighting, Skew, WireFault};
use network::Network;
use redis::{Imitates, NodeConfig};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};
use universe::{SimClock, StoodStill, Universe};

/// The name of the node that keeps the resource.
const STORE: &str = "store";

/// A simulated world.
pub struct SimWorld {
    plan: Plan,
    universe: Rc<Universe>,
    network: Rc<Network>,
    wire_faults: WireFaults,
    clients: RefCell<BTreeMap<String, Rc<Client>>>,
    /// The address of the SQLite database that this world's clients share.
    sqlite: String,
}

struct Client {
    session: tokio::sync::Mutex<Session<SimConnection, SimClock>>,
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
        let config = |persistence| NodeConfig { persistence, imitates: Imitates::Redis84 };
        let mut nodes: Vec<_> = plan.topology.nodes().into_iter().map(|name| (name, config(plan.topology.persistence))).collect();
        nodes.push((STORE.to_string(), NodeConfig::default()));
        let network = Network::new(universe.clone(), plan.seed, nodes, patterns);
        let (wire_faults, clients) = Default::default();
        SimWorld { plan, universe, network, wire_faults, clients, sqlite: Sqlite::private_memory() }
    }

    /// Runs a future in this world's time.
    ///
    /// # Errors
    /// [`StoodStill`]
    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> Result<T, StoodStill> {
        self.universe.run(future, || self.network.settle())
    }

    fn connect(&self, client: &str, node: &str) -> Result<SimConnection, WorldError> {
        let link = self.network.link(client, node).ok_or_else(|| WorldError::Sick(format!("there is no node {node}")))?;
        Ok(SimConnection::new(link, self.network.outbox.clone()))
    }

    fn store(&self, client: &str, resource: &ResourceSpec) -> Result<Store<SimConnection>, WorldError> {
        match resource.kind {
            ResourceType::Redis => Ok(Store::Redis(self.connect(client, STORE)?)),
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
    async fn live(&self, future: impl Future<Output = Answer>) -> Answer {
        let mut future = pin!(future);
        poll_fn(|context| match self.standing.get() {
            Standing::Dead => Poll::Ready(Answer::Gone),
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
        let nodes = self.plan.topology.nodes();
        let nodes = nodes.iter().map(|node| self.connect(name, node)).collect::<Result<_, _>>()?;
        let resource = self.plan.resource.as_ref();
        let store = resource.map(|resource| self.store(name, resource)).transpose()?;
        let mut session = Session::new(name, &self.plan.lock, resource, nodes, store, clock, self.plan.seed);
        session.prepare().await.map_err(|why| WorldError::Impossible(why.to_string()))?;
        let client = Client {
            session: tokio::sync::Mutex::new(session),
            standing: Cell::new(Standing::Alive),
            waker: RefCell::default(),
            skew,
        };
        self.clients.borrow_mut().insert(name.to_string(), Rc::new(client));
        Ok(())
    }

    async fn call(&self, client: &str, ask: Ask) -> Answer {
        let Some(client) = self.client(client) else { return Answer::Gone };
        client.live(async { client.session.lock().await.answer(&ask.what).await }).await
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
            Fault::Wire(fault) => Ok(self.wire_faults.begin(fault, |rule| self.network.rule(rule))),
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
            Fault::Crash(_) | Fault::Restart { .. } => Err(NotInjected(format!("{fault}: that does not last"))),
        }
    }

    async fn sighting(&self) -> Sighting {
        self.network.sighting().await
    }

    fn let_pass(&self, sighting: Sighting) {
        self.network.let_pass(&sighting);
    }

    fn met(&self, fault: &WireFault) -> Option<Evidence> {
        self.wire_faults.met(fault, |rule| self.network.hits(rule))
    }

    async fn synced(&self, node: &str) -> Result<(), NotInjected> {
        self.network.synced(node).await
    }

    fn casualties(&self) -> Option<String> {
        None
    }

    async fn look(&self, name: &str) -> Option<Look> {
        let nodes = self.plan.topology.nodes();
        let wall = self.universe.wall() as Nanos;
        let by_rule =
            |key: Option<KeySeen>| key.and_then(|key| lock::by_its_rule(self.plan.lock.kind, key, wall)).into_iter().collect();
        let seen = nodes.iter().map(|node| self.network.look(node, name).ok().map(by_rule));
        look::look(seen, self.plan.quorum())
    }
}
