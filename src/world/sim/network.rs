//! The simulated network: messages travel for a while, in order on each link, and can be held on their way.

use super::connection::{Command, Message, Outbox, Replies};
use super::host::Host;
use super::redis::{Disconnected, Node, NodeConfig, Session};
use super::universe::Universe;
use checker::Nanos;
use checker::history::KeySeen;
use nemesis::{Data, Moment, NotInjected, Sighting, Skew, WirePattern};
use rand::RngExt;
use rand_chacha::ChaCha8Rng;
use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::io;
use std::ops::RangeInclusive;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// How long a message is on its way, in nanoseconds: as on one machine's loopback.
const LATENCY: RangeInclusive<Nanos> = 20_000..=80_000;

/// Nodes, links, and what is between them.
pub struct Network {
    universe: Rc<Universe>,
    /// What clients send.
    pub outbox: Outbox,
    state: RefCell<State>,
}

struct State {
    rng: ChaCha8Rng,
    nodes: Vec<Host>,
    links: Vec<Link>,
    patterns: Vec<(WirePattern, u32)>,
    held: BTreeMap<u64, Held>,
    sightings: VecDeque<Sighting>,
    watcher: Option<Waker>,
    next_message: u64,
}

struct Link {
    client: String,
    node: usize,
    /// Its session on the node; none before the first message and after a break.
    session: Option<Session>,
    /// When the last message that was sent each way arrives: the next cannot overtake it.
    last: [Nanos; 2],
    /// Whether its client is dead.
    gone: bool,
}

enum Held {
    Request(Message),
    Reply(Message, Replies),
}

impl Network {
    /// Nodes that were just started, and no links.
    pub fn new(universe: Rc<Universe>, seed: u64, nodes: Vec<(String, NodeConfig)>, patterns: Vec<WirePattern>) -> Rc<Self> {
        let rng = crate::chance::stream(seed, "network");
        let nodes = nodes.into_iter().map(|(name, config)| Host::new(name, config, &universe)).collect();
        let state = State {
            rng,
            nodes,
            links: Vec::new(),
            patterns: patterns.into_iter().map(|pattern| (pattern, 0)).collect(),
            held: BTreeMap::new(),
            sightings: VecDeque::new(),
            watcher: None,
            next_message: 0,
        };
        Rc::new(Network { universe, outbox: Outbox::default(), state: RefCell::new(state) })
    }

    /// A new link from a client to a node; its number.
    pub fn link(&self, client: &str, node: &str) -> Option<usize> {
        let state = &mut *self.state.borrow_mut();
        let node = state.find(node)?;
        state.links.push(Link { client: client.to_string(), node, session: None, last: [0; 2], gone: false });
        Some(state.links.len() - 1)
    }

    /// Puts what clients have sent on its way; true if there was anything.
    pub fn settle(self: &Rc<Self>) -> bool {
        let messages = self.outbox.take();
        let any = !messages.is_empty();
        for message in messages {
            let network = self.clone();
            let at = self.arrival(message.link, 0);
            self.universe.at(at, move || network.request_arrived(message));
        }
        any
    }

    /// When a message that is sent now arrives.
    fn arrival(&self, link: usize, way: usize) -> Nanos {
        let state = &mut *self.state.borrow_mut();
        let at = self.universe.now() + state.rng.random_range(LATENCY);
        let last = &mut state.links[link].last[way];
        *last = at.max(*last + 1);
        *last
    }

    fn request_arrived(self: &Rc<Self>, message: Message) {
        let held = self.state.borrow_mut().matching(&message, Moment::Request);
        match held {
            Some(pattern) => self.state.borrow_mut().hold(pattern, Held::Request(message)),
            None => self.deliver(message),
        }
    }

    /// The message is at its node.
    fn deliver(self: &Rc<Self>, message: Message) {
        let replies = {
            let state = &mut *self.state.borrow_mut();
            let link = &mut state.links[message.link];
            let host = &mut state.nodes[link.node];
            if host.paused {
                host.backlog.push_back(message);
                return;
            }
            host.catch_up(&self.universe);
            let now_ms = host.wall_ms(&self.universe);
            let replies = link.execute(&mut host.node, &message.commands, now_ms);
            host.settle(&self.universe);
            replies
        };
        let held = self.state.borrow_mut().matching(&message, Moment::Reply);
        match held {
            Some(pattern) => self.state.borrow_mut().hold(pattern, Held::Reply(message, replies)),
            None => self.answer(message, replies),
        }
    }

    /// The replies leave for the client.
    fn answer(self: &Rc<Self>, message: Message, replies: Replies) {
        let at = self.arrival(message.link, 1);
        // A client that is dead does not hear it.
        self.universe.at(at, move || drop(message.reply.send(replies)));
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

    /// Lets a held message go on.
    pub fn let_pass(self: &Rc<Self>, sighting: &Sighting) {
        let held = self.state.borrow_mut().held.remove(&sighting.message);
        match held {
            // What a client had not got out before it died was never sent.
            Some(Held::Request(message)) if self.state.borrow().links[message.link].gone => {}
            Some(Held::Request(message)) => self.deliver(message),
            Some(Held::Reply(message, replies)) => self.answer(message, replies),
            None => {}
        }
    }

    /// The client is dead: its connections are closed.
    pub fn hang_up(&self, client: &str) {
        let state = &mut *self.state.borrow_mut();
        for link in state.links.iter_mut().filter(|link| link.client == client) {
            link.gone = true;
            if let Some(session) = link.session.take() {
                state.nodes[link.node].node.close(session);
            }
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
        backlog.into_iter().for_each(|message| self.deliver(message));
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
        let (ended, backlog) = {
            let state = &mut *self.state.borrow_mut();
            let host = state.host(node).filter(|host| host.node.is_up())?;
            let ended = end(host);
            host.paused = false;
            (ended, std::mem::take(&mut host.backlog))
        };
        backlog.into_iter().for_each(|message| self.deliver(message));
        Some(ended)
    }

    /// Starts a dead node again. False if there is no such node or it is not dead.
    pub fn start(&self, node: &str, data: Data) -> bool {
        let state = &mut *self.state.borrow_mut();
        let Some(host) = state.host(node).filter(|host| !host.node.is_up()) else { return false };
        host.start(data, &self.universe);
        true
    }

    /// Resolves when a node has just synced its disk, at the begin of a second by its clock. An error if there is no such node.
    pub async fn synced(&self, node: &str) -> Result<(), NotInjected> {
        let host_of = |state: &State| state.find(node).ok_or_else(|| NotInjected(format!("there is no node {node}")));
        loop {
            let next = {
                let state = &*self.state.borrow();
                state.nodes[host_of(state)?].next_second(&self.universe)
            };
            self.universe.sleep_until(next).await;
            let state = &mut *self.state.borrow_mut();
            let host = host_of(state)?;
            if state.nodes[host].sync_now(&self.universe) {
                return Ok(());
            }
        }
    }

    /// Bends a node's wall clock; what it shows before and after, in milliseconds since 1970.
    ///
    /// # Errors
    /// There is no such node, or its clock cannot be bent so.
    pub fn bend(&self, node: &str, bend: impl FnOnce(Skew) -> Result<Skew, NotInjected>) -> Result<(u64, u64), NotInjected> {
        let state = &mut *self.state.borrow_mut();
        let host = state.host(node).ok_or_else(|| NotInjected(format!("{node} is no client and no node")))?;
        let before = host.wall_ms(&self.universe);
        host.bend(bend(host.skew())?, &self.universe);
        Ok((before, host.wall_ms(&self.universe)))
    }

    /// What a node holds for a key, seen past the wire without disturbing it. An error where the node is not up.
    pub fn look(&self, node: &str, key: &str) -> Result<Option<KeySeen>, NotUp> {
        let state = &mut *self.state.borrow_mut();
        let host = state.host(node).filter(|host| host.node.is_up() && !host.paused).ok_or(NotUp)?;
        let now_ms = host.wall_ms(&self.universe);
        let seen = host.node.look(now_ms).find(|seen| seen.key == key.as_bytes());
        Ok(seen.and_then(|seen| {
            let token = String::from_utf8_lossy(seen.string?).into_owned();
            Some(KeySeen { node: node.to_string(), key: key.to_string(), token, ttl_ms: seen.ttl_ms })
        }))
    }

    /// How many keys a node holds.
    pub fn keys(&self, node: &str) -> usize {
        let state = &mut *self.state.borrow_mut();
        state.host(node).map_or(0, |host| host.node.look(host.wall_ms(&self.universe)).count())
    }
}

/// The node is dead or paused, and cannot be looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotUp;

impl Link {
    /// Executes what arrived on this link; a first message opens the connection, and a broken one is told so and forgotten.
    fn execute(&mut self, node: &mut Node, commands: &[Command], now_ms: u64) -> Replies {
        if self.session.is_none() {
            self.session = Some(node.open().map_err(broken)?);
        }
        let mut replies = Vec::with_capacity(commands.len());
        for command in commands {
            let Some(session) = &mut self.session else { break };
            let args: Vec<&[u8]> = command.iter().map(Vec::as_slice).collect();
            match node.execute(session, &args, now_ms) {
                Ok(reply) => replies.push(reply),
                Err(why) => {
                    self.session = None;
                    let reset = if why == Disconnected::Down { Disconnected::Reset } else { why };
                    return Err(broken(reset));
                }
            }
        }
        Ok(replies)
    }
}

/// As the client library reports it.
fn broken(why: Disconnected) -> redis::RedisError {
    let kind = match why {
        Disconnected::Down => io::ErrorKind::ConnectionRefused,
        Disconnected::Reset => io::ErrorKind::ConnectionReset,
    };
    io::Error::new(kind, why.to_string()).into()
}

impl State {
    fn find(&self, node: &str) -> Option<usize> {
        self.nodes.iter().position(|host| host.name == node)
    }

    fn host(&mut self, node: &str) -> Option<&mut Host> {
        self.nodes.iter_mut().find(|host| host.name == node)
    }

    /// The pattern by which a message is to be held, if any. Every pattern counts what it matches.
    fn matching(&mut self, message: &Message, moment: Moment) -> Option<usize> {
        let link = &self.links[message.link];
        let node = &self.nodes[link.node].name;
        let mut hit = None;
        for (index, (pattern, seen)) in self.patterns.iter_mut().enumerate() {
            let matches = pattern.moment == moment
                && pattern.client == link.client
                && pattern.node.as_ref().is_none_or(|wanted| wanted == node)
                && message.commands.iter().any(|command| command[0].eq_ignore_ascii_case(pattern.command.as_bytes()));
            *seen += u32::from(matches);
            if matches && *seen == pattern.nth {
                hit = hit.or(Some(index));
            }
        }
        hit
    }

    fn hold(&mut self, pattern: usize, held: Held) {
        let message = self.next_message;
        self.next_message += 1;
        self.held.insert(message, held);
        self.sightings.push_back(Sighting { pattern, message });
        if let Some(watcher) = self.watcher.take() {
            watcher.wake();
        }
    }
}
