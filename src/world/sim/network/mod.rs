//! The simulated network: messages travel for a while, in order on each connection, and the same rules as on the real wire decide what becomes
//! of each.

mod host;
mod link;
mod parcel;
mod pressure;
mod replication;
mod severed;
mod slow;
mod stream;
mod traffic;
mod wait;

use super::connection::Outbox;
use super::redis::{ClusterState, ClusterView, NodeConfig};
use super::universe::Universe;
use crate::world::masters::Masters;
use checker::Nanos;
use checker::history::KeySeen;
use host::{Arrived, Host, NotUp};
use link::Link;
pub use link::WayIn;
use nemesis::wire::{Judgement, Rule, Rules, Severances};
use nemesis::{Data, NotInjected, Sighting, Skew, WirePattern};
use parcel::Leg;
use rand_chacha::ChaCha8Rng;
pub(crate) use replication::address;
use severed::Torn;
use slow::Slow;
pub use slow::Slowness;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};
use stream::Stream;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use wait::Waiting;

/// Nodes, links, and what is between them.
pub struct Network {
    universe: Rc<Universe>,
    /// What clients send.
    pub outbox: Outbox,
    /// Whom the service means, where there are replicas.
    pub masters: Masters,
    sentinels: RefCell<Vec<String>>,
    /// Those of them that stand still or are dead, and since when.
    absent: RefCell<BTreeMap<String, Nanos>>,
    state: RefCell<State>,
}

struct State {
    rng: ChaCha8Rng,
    nodes: Vec<Host>,
    links: Vec<Link>,
    streams: Vec<Stream>,
    /// Commands that block.
    waiting: Vec<Waiting>,
    severances: Severances,
    slow: Vec<Slow>,
    /// Messages that a severed link has lost, each on its connection of its link, and who waits for the replies.
    torn: Vec<Torn>,
    rules: Rules,
    /// Messages that were reported and wait to be let pass, with what else is to become of them.
    held: BTreeMap<u64, (Leg, Judgement)>,
    /// Messages under way until these rules are lifted.
    detained: Vec<(Vec<usize>, Leg)>,
    sightings: VecDeque<Sighting>,
    watcher: Option<Waker>,
    next_message: u64,
}

impl Network {
    /// Nodes that were just started, and no links. The patterns are the first rules.
    pub fn new(
        universe: Rc<Universe>,
        seed: u64,
        nodes: Vec<(String, NodeConfig)>,
        masters: Masters,
        patterns: Vec<WirePattern>,
    ) -> Rc<Self> {
        let nodes = nodes.into_iter().map(|(name, config)| Host::new(name, config, &universe)).collect();
        let mut rules = Rules::default();
        for pattern in &patterns {
            rules.add(Rule::hold(pattern));
        }
        let state = State {
            rng: crate::chance::stream(seed, "network"),
            nodes,
            links: Vec::new(),
            streams: Vec::new(),
            waiting: Vec::new(),
            severances: Severances::default(),
            slow: Vec::new(),
            torn: Vec::new(),
            rules,
            held: BTreeMap::new(),
            detained: Vec::new(),
            sightings: VecDeque::new(),
            watcher: None,
            next_message: 0,
        };
        Rc::new(Network {
            universe,
            outbox: Outbox::default(),
            masters,
            sentinels: RefCell::default(),
            absent: RefCell::default(),
            state: RefCell::new(state),
        })
    }

    /// A new link from a client to a node; its number.
    pub fn link(&self, client: &str, node: &str, way_in: WayIn) -> Option<usize> {
        let state = &mut *self.state.borrow_mut();
        let node = state.nodes.iter().position(|host| host.name == node)?;
        state.links.push(Link::new(client, node, way_in));
        Some(state.links.len() - 1)
    }

    /// Now, by this network's time.
    pub fn now(&self) -> Nanos {
        self.universe.now()
    }

    /// Has something done at a time.
    pub fn at(&self, at: Nanos, what: impl FnOnce() + 'static) {
        self.universe.at(at, what);
    }

    /// A new link over which a client hears what a node publishes; its number, and where it is heard.
    pub fn hearing_link(&self, client: &str, node: &str, way_in: WayIn) -> Option<(usize, UnboundedReceiver<()>)> {
        let link = self.link(client, node, way_in)?;
        let (hears, heard) = unbounded_channel();
        self.state.borrow_mut().links[link].hears = Some(hears);
        Some((link, heard))
    }

    /// Adds a rule, in force for every command that has not reached its node; its index.
    pub fn rule(&self, rule: Rule) -> usize {
        self.state.borrow_mut().rules.add(rule)
    }

    /// How many messages a rule's verdict was carried out on.
    pub fn hits(&self, rule: usize) -> u32 {
        self.state.borrow().rules.hits(rule)
    }

    /// The next message that was held.
    pub async fn sighting(&self) -> Sighting {
        poll_fn(|context| {
            let state = &mut *self.state.borrow_mut();
            match state.sightings.pop_front() {
                Some(sighting) => Poll::Ready(sighting),
                None => {
                    state.watcher = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// The client is dead: its connections are closed.
    pub fn hang_up(&self, client: &str) {
        let state = &mut *self.state.borrow_mut();
        for link in state.links.iter_mut().filter(|link| link.client == client) {
            link.gone = true;
            link.close(&mut state.nodes[link.node].node);
        }
    }

    /// Stops a node, or lets it go on with what arrived meanwhile. False if there is no such node or it is dead.
    pub fn pause(self: &Rc<Self>, node: &str, paused: bool) -> bool {
        let backlog = {
            let state = &mut *self.state.borrow_mut();
            let Some(host) = state.host(node).filter(|host| host.node.is_up()) else { return false };
            host.catch_up(&self.universe);
            host.paused = paused;
            host.settle(&self.universe);
            if paused { VecDeque::new() } else { std::mem::take(&mut host.backlog) }
        };
        backlog.into_iter().for_each(|arrived| self.arrived(arrived));
        true
    }

    /// Kills a node; what had arrived and was not executed is lost. False if there is no such node or it is dead already.
    pub fn kill(self: &Rc<Self>, node: &str) -> bool {
        self.end(node, |host| host.node.kill()).is_some()
    }

    /// Cuts the power of a node; how many keys go back to what they were when it last synced. None if there is no such node or it is dead already.
    pub fn lose_power(self: &Rc<Self>, node: &str) -> Option<usize> {
        self.end(node, |host| {
            host.catch_up(&self.universe);
            let unsynced = host.node.unsynced();
            host.node.lose_power();
            unsynced
        })
    }

    /// Ends the life of a node.
    fn end<T>(self: &Rc<Self>, node: &str, end: impl FnOnce(&mut Host) -> T) -> Option<T> {
        let (ended, index, backlog) = {
            let state = &mut *self.state.borrow_mut();
            let index = state.index(node)?;
            let host = Some(&mut state.nodes[index]).filter(|host| host.node.is_up())?;
            let ended = end(host);
            (host.paused, host.handing_over) = (false, false);
            let mut backlog = std::mem::take(&mut host.backlog);
            backlog.extend(host.postponed.drain(..).map(Arrived::Parcel));
            (ended, index, backlog)
        };
        self.streams_end(index);
        self.waits_end(index);
        backlog.into_iter().for_each(|arrived| self.arrived(arrived));
        Some(ended)
    }

    /// Starts a dead node again. False if there is no such node or it is not dead.
    pub fn start(self: &Rc<Self>, node: &str, data: Data) -> bool {
        {
            let state = &mut *self.state.borrow_mut();
            let Some(host) = state.host(node).filter(|host| !host.node.is_up()) else { return false };
            host.start(data, &self.universe);
        }
        // Until it has heard of the others.
        self.doubts(node);
        if let Some(master) = self.masters.of(node).filter(|master| master != node) {
            self.follow(node, Some(&master));
        }
        true
    }

    /// A node that is about to be stopped writes everything to its disk.
    ///
    /// # Errors
    /// There is no such node, or it is not up.
    pub fn save(&self, node: &str) -> Result<(), NotInjected> {
        let saved = self.host_of(node, |host| host.node.is_up().then(|| host.node.synced()))?;
        saved.ok_or_else(|| NotInjected(format!("{node} is no node that is up")))
    }

    /// Resolves when a node has just synced its disk, at the begin of a second by its clock. An error if there is no such node.
    pub async fn synced(&self, node: &str) -> Result<(), NotInjected> {
        loop {
            let next = self.host_of(node, |host| host.next_second(&self.universe))?;
            self.universe.sleep_until(next).await;
            if self.host_of(node, |host| host.sync_now(&self.universe))? {
                return Ok(());
            }
        }
    }

    /// Bends a node's wall clock; what it shows before and after, in milliseconds since 1970.
    ///
    /// # Errors
    /// There is no such node, or its clock cannot be bent so.
    pub fn bend(&self, node: &str, bend: impl FnOnce(Skew) -> Result<Skew, NotInjected>) -> Result<(u64, u64), NotInjected> {
        self.host_of(node, |host| {
            let before = host.wall_ms(&self.universe);
            host.bend(bend(host.skew())?, &self.universe);
            Ok((before, host.wall_ms(&self.universe)))
        })?
    }

    /// What is done with the node of a name.
    fn host_of<T>(&self, node: &str, act: impl FnOnce(&mut Host) -> T) -> Result<T, NotInjected> {
        self.state.borrow_mut().host(node).map(act).ok_or_else(|| NotInjected(format!("{node} is no client and no node")))
    }

    /// What a node holds for a key, seen past the wire without disturbing it. An error where the node is not up.
    pub fn look(&self, node: &str, key: &str) -> Result<Option<KeySeen>, NotUp> {
        let state = &mut *self.state.borrow_mut();
        let host = state.host(node).filter(|host| host.node.is_up() && !host.paused).ok_or(NotUp)?;
        let now_ms = host.wall_ms(&self.universe);
        let seen = host.node.look(now_ms).find(|seen| seen.key == key.as_bytes());
        Ok(seen.and_then(|seen| {
            let token = String::from_utf8_lossy(seen.string.or(seen.field)?).into_owned();
            Some(KeySeen { node: node.to_string(), key: key.to_string(), token, ttl_ms: seen.ttl_ms })
        }))
    }

    /// A node of a cluster learns of it, whether or not it is up.
    pub fn inform(&self, node: &str, cluster: ClusterView) {
        if let Some(host) = self.state.borrow_mut().host(node) {
            host.node.knows(cluster);
        }
    }

    /// A node of a cluster takes it for down.
    pub fn doubts(&self, node: &str) {
        if let Some(host) = self.state.borrow_mut().host(node)
            && let Some(cluster) = host.node.cluster().cloned()
        {
            host.node.knows(ClusterView { state: ClusterState::Fail, ..cluster });
        }
    }

    /// How many keys a node holds.
    pub fn keys(&self, node: &str) -> usize {
        let state = &mut *self.state.borrow_mut();
        state.host(node).map_or(0, |host| host.node.look(host.wall_ms(&self.universe)).count())
    }
}

impl State {
    fn host(&mut self, node: &str) -> Option<&mut Host> {
        self.nodes.iter_mut().find(|host| host.name == node)
    }
}
