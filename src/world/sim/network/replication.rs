//! Replication: what a master sends its replicas, and what these answer, travels the same network, in order on each stream.
//!
//! As in Redis: only the replica dials; it takes everything first, and then what changes; every second it says how far it has come, or looks for its
//! master where it has none; a WAIT asks it at once. Every attachment is a full resync.

use super::Network;
use super::stream::{Standing, Stream, What};
use crate::world::sim::redis::{Address, LinkState, Role};
use checker::Nanos;
use nemesis::NotInjected;
use std::rc::Rc;

/// How often a replica says how far it has come (Redis's replicationCron).
const CRON: Nanos = 1_000_000_000;
/// How long a master that hands over waits for its replica.
const PATIENCE: Nanos = 8_000_000_000;
const LOOK_AGAIN: Nanos = 100_000;

/// Where a node is found.
pub(crate) fn address(host: &str) -> Address {
    Address { host: host.to_owned(), port: 6379 }
}

impl Network {
    /// These nodes begin as a master and its replicas.
    pub fn attend(self: &Rc<Self>, master: &str, nodes: &[String]) {
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
    pub(super) fn ask_how_far(self: &Rc<Self>, master: usize) {
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
    }
}
