//! What every connection of the wire shares: who calls from where, the rules, and the connections themselves.

use super::detour::Detours;
use super::held::{Arriving, Held};
use super::rule::Rules;
use super::severance::Severances;
use crate::Moment;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, SocketAddr};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::timeout;

/// The name of a caller whose address the wire was not told.
pub const STRANGER: &str = "?";

/// What the wire's commander changes from another thread; in force at once.
#[derive(Debug)]
pub(super) struct Orders {
    pub(super) rules: Mutex<Rules>,
    pub(super) callers: Mutex<BTreeMap<IpAddr, String>>,
    pub(super) held: Arc<Held>,
    pub(super) severances: Severances,
    pub(super) detours: Detours,
}

impl Orders {
    pub(super) fn caller(&self, from: IpAddr) -> String {
        let callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.get(&from).map_or(STRANGER, String::as_str).to_owned()
    }
}

/// The wire's own thread's view of itself.
pub(super) struct Board {
    pub(super) orders: Arc<Orders>,
    nodes: BTreeSet<String>,
    links: RefCell<BTreeMap<u64, Rc<Link>>>,
    last: Cell<u64>,
    changed: Notify,
}

/// One connection through the wire.
#[derive(Default)]
pub(super) struct Link {
    /// Where it came in.
    entrance: Option<SocketAddr>,
    pub(super) caller: String,
    pub(super) node: String,
    /// It has reached its node.
    dialled: Cell<bool>,
    holds_request: Cell<bool>,
    holds_reply: Cell<bool>,
    /// It lost something, and ends when its link is mended.
    torn: Cell<bool>,
    /// Something that a severed link holds.
    frozen: Cell<bool>,
    /// Its caller has closed its end.
    hung_up: Cell<bool>,
    /// Its caller is dead: what would be held is dropped.
    orphaned: Cell<bool>,
    cut: Notify,
}

impl Link {
    /// Resolves when this connection is to be reset.
    pub(super) async fn cut(&self) {
        self.cut.notified().await;
    }

    /// Who sends, and to whom.
    pub(super) fn ends(&self, moment: Moment) -> (&str, &str) {
        match moment {
            Moment::Request => (&self.caller, &self.node),
            Moment::Reply => (&self.node, &self.caller),
        }
    }

    fn is_between(&self, one: &str, other: &str) -> bool {
        [(one, other), (other, one)].contains(&(self.caller.as_str(), self.node.as_str()))
    }

    /// Whether its caller is known to be dead.
    pub(super) fn orphaned(&self) -> bool {
        self.orphaned.get()
    }

    fn holds(&self, moment: Moment) -> &Cell<bool> {
        match moment {
            Moment::Request => &self.holds_request,
            Moment::Reply => &self.holds_reply,
        }
    }

    /// Whether it can notice by itself that its caller has hung up.
    fn flows(&self) -> bool {
        self.dialled.get() && !self.holds_request.get() && !self.holds_reply.get() && !self.torn.get() && !self.frozen.get()
    }
}

/// A connection's place on the board; it leaves the board when dropped.
pub(super) struct Place {
    id: u64,
    board: Rc<Board>,
    pub(super) link: Rc<Link>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.board.links.borrow_mut().remove(&self.id);
        self.board.changed.notify_waiters();
    }
}

impl Board {
    pub(super) fn new(orders: Arc<Orders>, nodes: BTreeSet<String>) -> Self {
        Board { orders, nodes, links: RefCell::default(), last: Cell::default(), changed: Notify::new() }
    }

    pub(super) fn enter(self: &Rc<Self>, entrance: SocketAddr, caller: String, node: String) -> Place {
        let id = self.last.get() + 1;
        self.last.set(id);
        let link = Rc::new(Link { entrance: Some(entrance), caller, node, ..Link::default() });
        self.links.borrow_mut().insert(id, link.clone());
        Place { id, board: self.clone(), link }
    }

    /// Whether somebody is a node, whose connections nobody parses.
    pub(super) fn is_node(&self, caller: &str) -> bool {
        self.nodes.contains(caller)
    }

    pub(super) fn torn(&self, link: &Link) {
        link.torn.set(true);
        self.changed.notify_waiters();
    }

    pub(super) fn freeze(&self, link: &Link) {
        link.frozen.set(true);
        self.changed.notify_waiters();
    }

    /// What was held was written.
    pub(super) fn thawed(&self, link: &Link) {
        if link.frozen.replace(false) {
            self.changed.notify_waiters();
        }
    }

    /// A severed link is mended: connections that lost something are reset. Returns when they have ended, and when what was held was written.
    pub(super) async fn mended(&self, from: &str, to: &str, patience: Duration) {
        let torn = |link: &Link| link.torn.get() && link.is_between(from, to);
        self.links.borrow().values().filter(|link| torn(link)).for_each(|link| link.cut.notify_one());
        self.none_left(|link| link.is_between(from, to) && (link.torn.get() || link.frozen.get()), patience).await;
    }

    /// A door leads to a node: what is open through it to another is reset. Returns when that has ended.
    pub(super) async fn lead_away(&self, door: SocketAddr, node: &str, patience: Duration) {
        let astray = |link: &Link| link.entrance == Some(door) && link.node != node;
        self.links.borrow().values().filter(|link| astray(link)).for_each(|link| link.cut.notify_one());
        self.none_left(astray, patience).await;
    }

    pub(super) fn dialled(&self, link: &Link) {
        link.dialled.set(true);
        self.changed.notify_waiters();
    }

    /// Holds a message of this connection, under these rules, until it is let pass.
    pub(super) async fn hold(&self, link: &Link, moment: Moment, rules: impl Iterator<Item = usize>) {
        link.holds(moment).set(true);
        self.changed.notify_waiters();
        self.orders.held.hold(rules).await;
        link.holds(moment).set(false);
    }

    /// Detains a message of this connection until its rule is lifted; what is returned is kept until the message was written.
    pub(super) async fn detain(&self, link: &Link, moment: Moment, rule: usize) -> Option<Arriving> {
        let lifted = self.orders.held.detain(rule);
        // A rule is taken out of force before its messages are let go: one that is still in force will let this one go too.
        let in_force = self.orders.rules.lock().unwrap_or_else(PoisonError::into_inner).in_force(rule);
        if !in_force {
            return None;
        }
        link.holds(moment).set(true);
        self.changed.notify_waiters();
        let arriving = lifted.await.ok();
        link.holds(moment).set(false);
        arriving
    }

    pub(super) fn hung_up(&self, link: &Link) {
        link.hung_up.set(true);
        self.changed.notify_waiters();
    }

    /// A caller is dead. Drops what is held of it, and returns when each of its connections was seen closed;
    /// one that is stuck in a full buffer is reset after `patience`.
    pub(super) async fn bury(&self, caller: &str, patience: Duration) {
        // Its last connections may wait to be accepted. A task that yields goes on only after the sockets were polled.
        for _ in 0..2 {
            tokio::task::yield_now().await;
        }
        let of_it = |link: &Link| link.caller == caller;
        for link in self.links.borrow().values().filter(|link| of_it(link)) {
            link.orphaned.set(true);
            if !link.flows() {
                link.cut.notify_one();
            }
        }
        self.none_left(|link| of_it(link) && !link.hung_up.get(), patience).await;
    }

    /// Resets the connections that a caller or node has now, and returns when they have ended; how many there were.
    pub(super) async fn reset(&self, member: &str, patience: Duration) -> usize {
        let of_it: Vec<Rc<Link>> = {
            let links = self.links.borrow();
            links.values().filter(|link| link.caller == member || link.node == member).cloned().collect()
        };
        of_it.iter().for_each(|link| link.cut.notify_one());
        self.none_left(|link| of_it.iter().any(|reset| std::ptr::eq(&**reset, link)), patience).await;
        of_it.len()
    }

    /// A node is dead, and what a severed link holds of it is lost. Returns when each connection to it has ended, but for those that still owe
    /// their caller a held reply, and for those that ended behind a link that carries nothing: nobody hears of that.
    pub(super) async fn bury_node(&self, node: &str, patience: Duration) {
        let frozen = |link: &Link| link.node == node && link.frozen.get();
        self.links.borrow().values().filter(|link| frozen(link)).for_each(|link| link.cut.notify_one());
        self.none_left(|link| link.node == node && !link.holds_reply.get() && !link.torn.get(), patience).await;
    }

    async fn none_left(&self, left: impl Fn(&Link) -> bool, patience: Duration) {
        let gone = async {
            loop {
                let changed = self.changed.notified();
                if !self.links.borrow().values().any(|link| left(link)) {
                    break;
                }
                changed.await;
            }
        };
        if timeout(patience, gone).await.is_err() {
            self.links.borrow().values().filter(|link| left(link)).for_each(|link| link.cut.notify_one());
        }
    }
}
