//! Replication: what a master sends its replicas, and what these answer, travels the same network, in order on each stream.
//!
//! As in Redis: only the replica dials; it takes everything first, and then what changes; every second it says how far it has come, or looks for its
//! master where it has none; a WAIT asks it at once. Every attachment is a full resync.

use super::parcel::{Leg, Parcel};
use super::{Network, State};
use crate::world::sim::connection::Replies;
use crate::world::sim::redis::{Address, Blocked, Effects, LinkState, Role};
use checker::Nanos;
use nemesis::NotInjected;
use nemesis::wire::Severed;
use rand::RngExt;
use std::rc::Rc;

/// How often a replica says how far it has come (Redis's replicationCron).
const CRON: Nanos = 1_000_000_000;
/// How long a master that hands over waits for its replica.
const PATIENCE: Nanos = 8_000_000_000;
const LOOK_AGAIN: Nanos = 100_000;
/// About how many bytes an acknowledgement has, or the request for one.
const SHORT: usize = 40;

/// A replica's connection to its master.
pub(super) struct Stream {
    master: usize,
    replica: usize,
    /// When the last letter that was sent each way arrives: the next cannot overtake it.
    last: [Nanos; 2],
    standing: Standing,
    /// What a severed link holds.
    held: Vec<Letter>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// The replica has asked for everything.
    Asked,
    /// It is sent what changes.
    Fed,
    /// It lost something, and ends when its link is mended.
    Torn,
    Over,
}

/// A message of a stream.
pub(super) struct Letter {
    stream: usize,
    what: What,
}

enum What {
    /// From the master.
    Effects(Effects),
    HowFar,
    End,
    /// From the replica.
    Sync,
    SoFar(u64),
}

impl What {
    fn is_from_replica(&self) -> bool {
        matches!(self, What::Sync | What::SoFar(_))
    }

    fn size(&self) -> usize {
        match self {
            What::Effects(effects) => effects.size(),
            What::End => 0,
            What::HowFar | What::Sync | What::SoFar(_) => SHORT,
        }
    }
}

/// A command that blocks: what it was sent with, and what its message was answered so far.
pub(super) struct Waiting {
    id: u64,
    parcel: Parcel,
    replies: Replies,
    blocked: Blocked,
}

fn address(host: &str) -> Address {
    Address { host: host.to_owned(), port: 6379 }
}

impl Network {
    /// These nodes are a master and its replicas from now on.
    pub fn replicate(self: &Rc<Self>, master: &str, nodes: &[String]) {
        *self.master.borrow_mut() = Some(master.to_owned());
        for node in nodes {
            if node != master {
                self.follow(node, Some(master));
            }
            let index = self.state.borrow().index(node);
            index.into_iter().for_each(|index| self.tick(index));
        }
    }

    /// Has a node follow another, or none. False if there is no such node or it cannot be told.
    pub fn follow(self: &Rc<Self>, node: &str, master: Option<&str>) -> bool {
        let role = master.map_or(Role::Master, |master| Role::Replica(address(master)));
        let index = {
            let state = &mut *self.state.borrow_mut();
            let Some(index) = state.index(node) else { return false };
            let host = &mut state.nodes[index];
            if !host.node.is_up() || host.paused {
                return false;
            }
            host.node.follow(role);
            index
        };
        self.role_changed(index);
        true
    }

    /// Whether every replica receives what its master writes, and has all of it.
    pub fn is_replicated(self: &Rc<Self>) -> bool {
        let state = self.state.borrow();
        state.nodes.iter().all(|host| match host.node.role() {
            Role::Master => true,
            Role::Replica(master) => {
                let master = state.nodes.iter().find(|host| host.name == master.host);
                host.node.link_state() == LinkState::Connected
                    && master.is_some_and(|master| master.node.has_acknowledged(&address(&host.name), master.node.offset()))
            }
        })
    }

    /// Whether a node is a master, and how far it has come; none where it cannot be asked.
    pub fn role(&self, node: &str) -> Option<(Role, u64)> {
        let state = &mut *self.state.borrow_mut();
        let host = state.host(node).filter(|host| host.node.is_up() && !host.paused)?;
        Some((host.node.role().clone(), host.node.offset()))
    }

    /// The master stops writes, waits until a replica has everything, and changes roles with it. How far both have come.
    ///
    /// # Errors
    /// One of them cannot, or the replica does not get there.
    pub async fn hand_over(self: &Rc<Self>, from: &str, to: &str) -> Result<u64, NotInjected> {
        let not = |why: &str| Err(NotInjected(format!("{to} did not take over: {why}")));
        let until = self.universe.now() + PATIENCE;
        let Some((Role::Replica(_), _)) = self.role(to) else { return not("it is no replica that can be asked") };
        let Some(old) = self.state.borrow().index(from) else { return not("it has no master") };
        if self.role(from).is_none() {
            return not("its master cannot be asked");
        }
        self.state.borrow_mut().nodes[old].handing_over = true;
        self.ask_how_far(old);
        let done = loop {
            let offset = match self.role(from) {
                Some((Role::Master, offset)) => offset,
                _ => break not("its master was lost"),
            };
            if self.state.borrow().nodes[old].node.has_acknowledged(&address(to), offset) {
                self.follow(to, None);
                self.follow(from, Some(to));
                break Ok(offset);
            }
            if self.universe.now() > until {
                break not("it did not get all that the master had");
            }
            self.universe.sleep_until(self.universe.now() + LOOK_AGAIN).await;
        };
        let postponed = {
            let host = &mut self.state.borrow_mut().nodes[old];
            host.handing_over = false;
            std::mem::take(&mut host.postponed)
        };
        postponed.into_iter().for_each(|parcel| self.deliver(parcel));
        done
    }

    /// Sends its replicas what a node has changed.
    pub(super) fn propagate(self: &Rc<Self>, node: usize) {
        let unsent = self.state.borrow_mut().nodes[node].node.take_unsent();
        if unsent.is_empty() {
            return;
        }
        let fed = self.state.borrow().streams_of(node, |stream| stream.standing == Standing::Fed);
        for effects in unsent {
            for stream in &fed {
                self.mail(*stream, What::Effects(effects.clone()));
            }
        }
    }

    /// Asks a master's replicas how far they have come.
    fn ask_how_far(self: &Rc<Self>, master: usize) {
        let fed = self.state.borrow().streams_of(master, |stream| stream.standing == Standing::Fed);
        fed.into_iter().for_each(|stream| self.mail(stream, What::HowFar));
    }

    /// A node was told to follow somebody else, or nobody.
    pub(super) fn role_changed(self: &Rc<Self>, node: usize) {
        self.state.borrow_mut().leave(node);
        self.attach(node);
    }

    /// A replica without a stream dials its master.
    fn attach(self: &Rc<Self>, replica: usize) {
        let stream = {
            let state = &mut *self.state.borrow_mut();
            let host = &state.nodes[replica];
            let Role::Replica(master) = host.node.role() else { return };
            let Some(master) = state.index(&master.host).filter(|_| host.node.is_up() && !host.paused) else { return };
            let dialling = state.streams.iter().any(|stream| stream.replica == replica && stream.standing != Standing::Over);
            // A dead node's machine refuses.
            if dialling || !state.nodes[master].node.is_up() {
                return;
            }
            state.streams.push(Stream { master, replica, last: [0; 2], standing: Standing::Asked, held: Vec::new() });
            state.streams.len() - 1
        };
        self.mail(stream, What::Sync);
    }

    /// Sends a letter. A severed link takes what is sent while it is severed, and what is under way then.
    fn mail(self: &Rc<Self>, stream: usize, what: What) {
        let Some(letter) = self.state.borrow_mut().passes(Letter { stream, what }) else { return };
        let at = {
            let state = &mut *self.state.borrow_mut();
            let at = self.universe.now() + state.rng.random_range(super::traffic::LATENCY);
            let last = &mut state.streams[stream].last[usize::from(letter.what.is_from_replica())];
            *last = at.max(*last + 1);
            *last
        };
        let network = self.clone();
        self.universe.at(at, move || {
            let letter = network.state.borrow_mut().passes(letter);
            letter.into_iter().for_each(|letter| network.receive(letter));
        });
    }

    /// A letter is at its node.
    pub(super) fn receive(self: &Rc<Self>, letter: Letter) {
        let Letter { stream, what } = letter;
        let (at, replica, standing) = {
            let state = &mut *self.state.borrow_mut();
            let Stream { master, replica, standing, .. } = state.streams[stream];
            let at = if what.is_from_replica() { master } else { replica };
            let host = &mut state.nodes[at];
            if !host.node.is_up() {
                return;
            }
            if host.paused {
                host.backlog.push_back(super::host::Arrived::Letter(Letter { stream, what }));
                return;
            }
            (at, replica, standing)
        };
        if matches!(standing, Standing::Torn | Standing::Over) {
            return;
        }
        match what {
            What::Effects(effects) => {
                let first = {
                    let node = &mut self.state.borrow_mut().nodes[at].node;
                    let first = node.link_state() == LinkState::Connect;
                    node.apply(effects);
                    first
                };
                self.propagate(at);
                if first {
                    self.say_how_far(stream);
                }
            }
            What::HowFar => self.say_how_far(stream),
            What::End => {
                let state = &mut *self.state.borrow_mut();
                state.streams[stream].standing = Standing::Over;
                state.nodes[at].node.lost_master();
            }
            What::Sync => {
                self.propagate(at);
                let everything = {
                    let state = &mut *self.state.borrow_mut();
                    state.streams[stream].standing = Standing::Fed;
                    let replica = address(&state.nodes[replica].name);
                    let master = &mut state.nodes[at];
                    let now_ms = master.wall_ms(&self.universe);
                    master.node.followed_by(replica, now_ms)
                };
                self.mail(stream, What::Effects(everything));
            }
            What::SoFar(offset) => {
                {
                    let state = &mut *self.state.borrow_mut();
                    let replica = address(&state.nodes[replica].name);
                    let master = &mut state.nodes[at];
                    let now_ms = master.wall_ms(&self.universe);
                    master.node.heard(&replica, offset, now_ms);
                }
                self.unblock(at);
            }
        }
    }

    fn say_how_far(self: &Rc<Self>, stream: usize) {
        let offset = {
            let state = self.state.borrow();
            state.nodes[state.streams[stream].replica].node.offset()
        };
        self.mail(stream, What::SoFar(offset));
    }

    /// What a replica does every second.
    fn tick(self: &Rc<Self>, node: usize) {
        let network = Rc::downgrade(self);
        self.universe.at(self.universe.now() + CRON, move || {
            let Some(network) = network.upgrade() else { return };
            let stream = {
                let state = network.state.borrow();
                let host = &state.nodes[node];
                let works = host.node.is_up() && !host.paused && host.node.link_state() == LinkState::Connected;
                let fed = |stream: &Stream| stream.replica == node && stream.standing == Standing::Fed;
                works.then(|| state.streams.iter().position(fed)).flatten()
            };
            match stream {
                Some(stream) => network.say_how_far(stream),
                None => network.attach(node),
            }
            network.tick(node);
        });
    }

    /// A node was killed: what it had sent arrives, unless a severed link holds it.
    pub(super) fn streams_end(self: &Rc<Self>, node: usize) {
        self.state.borrow_mut().leave(node);
        let fed = {
            let state = &mut *self.state.borrow_mut();
            let own = |stream: &&mut Stream| stream.master == node;
            state.streams.iter_mut().filter(own).for_each(|stream| stream.held.clear());
            state.streams_of(node, |stream| matches!(stream.standing, Standing::Asked | Standing::Fed))
        };
        fed.into_iter().for_each(|stream| self.mail(stream, What::End));
        let gone: Vec<Waiting> = self.state.borrow_mut().waiting.extract_if(.., |waiting| waiting.parcel.node == node).collect();
        for Waiting { parcel, .. } in gone {
            self.answer(parcel, Err(super::link::broken(crate::world::sim::redis::Disconnected::Reset)));
        }
    }

    /// The link between two parties is mended: what was held goes on, and streams that lost something end and are made anew.
    pub(super) fn streams_mended(self: &Rc<Self>, from: &str, to: &str) {
        let (free, torn) = {
            let state = &mut *self.state.borrow_mut();
            let (mut free, mut torn) = (Vec::new(), Vec::new());
            for stream in &mut state.streams {
                let (master, replica) = (state.nodes[stream.master].name.as_str(), state.nodes[stream.replica].name.as_str());
                if ![(master, replica), (replica, master)].contains(&(from, to)) {
                    continue;
                }
                if stream.standing == Standing::Torn {
                    torn.push(stream.replica);
                } else if state.severances.now(master, replica).is_none() {
                    free.append(&mut stream.held);
                }
            }
            (free, torn)
        };
        free.into_iter().for_each(|letter| self.receive(letter));
        torn.into_iter().for_each(|replica| self.role_changed(replica));
    }

    /// A command blocks: its replicas are asked, and it is answered when enough have answered or its time is over.
    pub(super) fn block(self: &Rc<Self>, parcel: Parcel, replies: Replies, blocked: Blocked) {
        let (id, node) = {
            let state = &mut *self.state.borrow_mut();
            let id = state.next_message;
            state.next_message += 1;
            let node = parcel.node;
            state.waiting.push(Waiting { id, parcel, replies, blocked });
            (id, node)
        };
        self.ask_how_far(node);
        if blocked.timeout_ms > 0 {
            let network = self.clone();
            let at = self.universe.now() + blocked.timeout_ms * 1_000_000;
            self.universe.at(at, move || network.wait_over(id));
        }
    }

    /// The time of a command that blocks is over.
    pub(super) fn wait_over(self: &Rc<Self>, id: u64) {
        let waiting = {
            let state = &mut *self.state.borrow_mut();
            let Some(place) = state.waiting.iter().position(|waiting| waiting.id == id) else { return };
            let host = &mut state.nodes[state.waiting[place].parcel.node];
            if host.paused {
                host.backlog.push_back(super::host::Arrived::WaitOver(id));
                return;
            }
            state.waiting.remove(place)
        };
        self.waited(waiting);
    }

    /// Replicas have answered: whoever waited for no more than that is answered.
    fn unblock(self: &Rc<Self>, node: usize) {
        let enough: Vec<Waiting> = {
            let state = &mut *self.state.borrow_mut();
            let nodes = &state.nodes;
            let is_enough = |waiting: &mut Waiting| {
                let Blocked { replicas, offset, .. } = waiting.blocked;
                waiting.parcel.node == node && nodes[node].node.acknowledged(offset) as u64 >= replicas
            };
            state.waiting.extract_if(.., is_enough).collect()
        };
        enough.into_iter().for_each(|waiting| self.waited(waiting));
    }

    fn waited(self: &Rc<Self>, waiting: Waiting) {
        let Waiting { mut parcel, mut replies, blocked, .. } = waiting;
        let acknowledged = self.state.borrow().nodes[parcel.node].node.acknowledged(blocked.offset);
        if let Ok(replies) = &mut replies
            && let Some(last) = replies.last_mut()
        {
            *last = redis::Value::Int(acknowledged as i64);
        }
        let judgement = std::mem::take(&mut parcel.judgement);
        self.travel(Leg::Reply(parcel, replies), judgement);
    }
}

impl State {
    pub(super) fn index(&self, node: &str) -> Option<usize> {
        self.nodes.iter().position(|host| host.name == node)
    }

    /// The letter, unless its stream is over or a severed link takes it.
    fn passes(&mut self, letter: Letter) -> Option<Letter> {
        let stream = &mut self.streams[letter.stream];
        if matches!(stream.standing, Standing::Torn | Standing::Over) {
            return None;
        }
        let (master, replica) = (&self.nodes[stream.master].name, &self.nodes[stream.replica].name);
        let (from, to) = if letter.what.is_from_replica() { (replica, master) } else { (master, replica) };
        let met = match self.severances.meets(from, to, letter.what.size()) {
            // Nobody answers who dials.
            None if matches!(letter.what, What::Sync) => self.severances.meets(to, from, 0),
            met => met,
        };
        match met {
            Some(Severed::Lost) => {
                stream.standing = Standing::Torn;
                None
            }
            Some(Severed::Held) if !letter.what.is_from_replica() => {
                stream.held.push(letter);
                None
            }
            _ => Some(letter),
        }
    }

    fn streams_of(&self, master: usize, which: impl Fn(&Stream) -> bool) -> Vec<usize> {
        let all = self.streams.iter().enumerate();
        all.filter(|(_, stream)| stream.master == master && which(stream)).map(|(index, _)| index).collect()
    }

    /// A replica's streams are over. Its master hears of it where anything passes between them.
    fn leave(&mut self, replica: usize) {
        let State { streams, nodes, severances, .. } = self;
        for stream in streams.iter_mut().filter(|stream| stream.replica == replica && stream.standing != Standing::Over) {
            stream.standing = Standing::Over;
            stream.held.clear();
            let gone = address(&nodes[replica].name);
            if severances.now(&gone.host, &nodes[stream.master].name).is_none() {
                nodes[stream.master].node.abandoned_by(&gone);
            }
        }
        nodes[replica].node.lost_master();
    }
}
