//! Links that carry nothing, and links that lead elsewhere.

use super::link::{Link, WayIn, broken};
use super::parcel::Caller;
use super::{Network, State};
use crate::world::sim::redis::Disconnected;
use checker::Nanos;
use nemesis::wire::{Severed, Toll};
use std::rc::Rc;

/// A sentinel that stood still for longer, and for how long it then does nothing.
const TILTS_AFTER: Nanos = 2_000_000_000;
const TILT: Nanos = 30_000_000_000;

/// A message that was lost on a severed link.
pub(super) struct Torn {
    pub(super) link: usize,
    pub(super) connection: u32,
    pub(super) caller: Caller,
}

impl Network {
    /// Has the service mean this node for a client from now on; its connection is closed.
    pub fn lead(&self, client: &str, node: &str) {
        let state = &mut *self.state.borrow_mut();
        let Some(node) = state.index(node) else { return };
        let State { links, nodes, .. } = state;
        let place = |node: usize| self.masters.place(&nodes[node].name);
        let astray = |link: &Link| link.client == client && link.way_in == WayIn::Service && link.node != node;
        let led: Vec<usize> =
            (0..links.len()).filter(|link| astray(&links[*link]) && place(links[*link].node) == place(node)).collect();
        for link in led {
            links[link].lead(node, nodes);
        }
    }

    /// Clients ask these who the master is, whenever they make a connection.
    pub fn watched_by(&self, sentinels: Vec<String>) {
        *self.sentinels.borrow_mut() = sentinels;
    }

    /// A sentinel stands still or is dead from now on. False where there is none of that name, or it is so already.
    pub fn absent(&self, sentinel: &str) -> bool {
        let known = self.sentinels.borrow().iter().any(|known| known == sentinel);
        known && self.absent.borrow_mut().insert(sentinel.to_owned(), self.now()).is_none()
    }

    /// A sentinel was started again. False where it was not dead.
    pub fn present(&self, sentinel: &str) -> bool {
        self.absent.borrow_mut().remove(sentinel).is_some()
    }

    /// A sentinel that stood still goes on. False where it did not stand still. One that finds that more than two seconds are missing trusts its
    /// clock no more, and does nothing for half a minute (TILT).
    pub fn awake(self: &Rc<Self>, sentinel: &str) -> bool {
        let Some(since) = self.absent.borrow().get(sentinel).copied() else { return false };
        if self.now() - since < TILTS_AFTER {
            return self.present(sentinel);
        }
        let (network, sentinel) = (Rc::downgrade(self), sentinel.to_owned());
        self.at(self.now() + TILT, move || {
            if let Some(network) = network.upgrade() {
                network.present(&sentinel);
            }
        });
        true
    }

    /// Whether a sentinel goes on.
    pub fn is_present(&self, sentinel: &str) -> bool {
        !self.absent.borrow().contains_key(sentinel)
    }

    /// A sentinel pings a node: whether both ways are open.
    pub fn ping(&self, sentinel: &str, node: &str) -> bool {
        const PING: usize = 14;
        let state = self.state.borrow();
        let ways = [(sentinel, node), (node, sentinel)];
        ways.into_iter().all(|(from, to)| state.severances.meets(from, to, PING).is_none())
    }

    /// Closes every client's connection to a node, as a sentinel does that makes it a replica (CLIENT KILL TYPE normal).
    pub fn close_clients(&self, node: &str) {
        let State { links, nodes, .. } = &mut *self.state.borrow_mut();
        for link in links.iter_mut().filter(|link| link.way_in == WayIn::Service) {
            let host = &mut nodes[link.node];
            if host.name == node {
                link.close(&mut host.node);
            }
        }
    }

    /// Whether everything passes between two parties.
    pub fn is_whole(&self, one: &str, other: &str) -> bool {
        self.state.borrow().is_whole(one, other)
    }

    /// Severs the link from one party to another, for everything that has not arrived; its index.
    pub fn sever(&self, from: &str, to: &str, how: Severed) -> usize {
        self.state.borrow().severances.add(from, to, how)
    }

    /// What a severed link has held or lost.
    pub fn toll(&self, severance: usize) -> Toll {
        self.state.borrow().severances.toll(severance)
    }

    /// Mends a link: what was held goes on, and connections that lost something are reset.
    pub fn mend(self: &Rc<Self>, severance: usize) {
        let Some((from, to)) = self.state.borrow().severances.mend(severance) else { return };
        self.streams_mended(&from, &to);
        let reset: Vec<Caller> = {
            let State { torn, links, nodes, .. } = &mut *self.state.borrow_mut();
            let is_between = |torn: &mut Torn| {
                let link = &links[torn.link];
                let (client, node) = (link.client.as_str(), nodes[link.node].name.as_str());
                torn.connection != link.connection || [(client, node), (node, client)].contains(&(from.as_str(), to.as_str()))
            };
            let mended: Vec<Torn> = torn.extract_if(.., is_between).collect();
            for torn in &mended {
                let link = &mut links[torn.link];
                if link.connection == torn.connection {
                    link.close(&mut nodes[link.node].node);
                }
            }
            mended.into_iter().map(|torn| torn.caller).collect()
        };
        reset.into_iter().for_each(|caller| caller.answer(Err(broken(Disconnected::Reset))));
    }
}

impl State {
    pub(super) fn is_whole(&self, one: &str, other: &str) -> bool {
        self.severances.now(one, other).is_none() && self.severances.now(other, one).is_none()
    }
}
