//! The watchdog of `reentrant-watchdog`: it lives in its client, sleeps with it, and renews over a connection of its own every lease that the client
//! holds, at each third of it.
//!
//! It says of each renewal when it begins and how it ended ([`Unasked`]), so that whoever judges knows what the client was promised: the TTL from
//! when it asked. A renewal whose answer came when that was over promises nothing.

use super::deadline::validity;
use super::node_timeout::within;
use super::outcome::words;
use super::reentrant_watchdog::renew;
use crate::client::{Answer, Clock, Told, Unasked};
use crate::plan::Watchdog;
use checker::Nanos;
use futures_util::future::select;
use redis::aio::ConnectionLike;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;
use std::time::Duration;
use tokio::sync::Notify;

/// The leases of one client that are to be renewed: its lock adds and ends them.
#[derive(Debug)]
pub struct Watched {
    kind: Watchdog,
    leases: RefCell<BTreeMap<String, Lease>>,
    begun: Cell<u64>,
    changed: Notify,
}

#[derive(Debug, Clone)]
struct Lease {
    /// Names it: a key may be released and taken again while it is renewed.
    number: u64,
    owner: String,
    ttl: Duration,
    /// When it was last certainly asked for.
    asked: Nanos,
    /// When it is to be renewed.
    due: Nanos,
}

/// Longer than any run.
const NEVER: Nanos = Nanos::MAX / 4;

impl Watched {
    /// No leases yet.
    pub(super) fn new(kind: Watchdog) -> Self {
        Watched { kind, leases: RefCell::default(), begun: Cell::default(), changed: Notify::new() }
    }

    /// A lease of this key begins, or is held once more.
    pub(super) fn begin(&self, key: &str, owner: &str, ttl: Duration, asked: Nanos) {
        self.begun.set(self.begun.get() + 1);
        let due = asked + nanos(ttl / 3);
        let lease = Lease { number: self.begun.get(), owner: owner.to_owned(), ttl, asked, due };
        self.leases.borrow_mut().insert(key.to_owned(), lease);
        self.changed.notify_one();
    }

    /// This key is not renewed any more.
    pub(super) fn end(&self, key: &str) {
        self.leases.borrow_mut().remove(key);
    }

    /// The lease that is due first.
    fn next(&self) -> Option<(String, Lease)> {
        let leases = self.leases.borrow();
        leases.iter().min_by_key(|(_, lease)| lease.due).map(|(key, lease)| (key.clone(), lease.clone()))
    }

    /// Ends a lease, unless it was ended or replaced meanwhile.
    fn end_of(&self, key: &str, lease: &Lease) -> Option<Lease> {
        let mut leases = self.leases.borrow_mut();
        leases.get(key).filter(|held| held.number == lease.number)?;
        leases.remove(key)
    }

    /// Changes a lease, unless it was ended or replaced meanwhile.
    fn change(&self, key: &str, lease: &Lease, change: impl FnOnce(&mut Lease)) {
        if let Some(held) = self.leases.borrow_mut().get_mut(key).filter(|held| held.number == lease.number) {
            change(held);
        }
    }
}

/// A watchdog at work.
pub struct Renewer<C, K> {
    watched: Rc<Watched>,
    node: C,
    clock: K,
}

impl<C: ConnectionLike, K: Clock> Renewer<C, K> {
    /// The watchdog of these leases, with its own connection to their node.
    pub(crate) fn new(watched: Rc<Watched>, node: C, clock: K) -> Self {
        Renewer { watched, node, clock }
    }

    /// Renews for as long as it is polled, and says what it does.
    pub async fn run(mut self, mut say: impl FnMut(Unasked)) {
        for number in 1.. {
            let (key, lease) = self.next_due().await;
            self.renew(number, &key, &lease, &mut say).await;
        }
    }

    /// Waits until a lease is to be renewed.
    async fn next_due(&self) -> (String, Lease) {
        loop {
            let changed = self.watched.changed.notified();
            let Some((key, lease)) = self.watched.next() else {
                changed.await;
                continue;
            };
            match lease.due.checked_sub(self.clock.monotonic()) {
                Some(left @ 1..) => {
                    select(pin!(changed), pin!(self.clock.sleep(Duration::from_nanos(left)))).await;
                }
                _ => return (key, lease),
            }
        }
    }

    async fn renew(&mut self, number: u64, key: &str, lease: &Lease, say: &mut impl FnMut(Unasked)) {
        let asked = self.clock.monotonic();
        let left = validity(lease.asked, asked, lease.ttl).ok();
        if left.is_none() && self.watched.kind == Watchdog::Telling {
            return self.lost(key, lease, say);
        }
        let ttl_ms = u64::try_from(lease.ttl.as_millis()).unwrap_or(u64::MAX);
        say(Unasked::Extending { number, lock: key.to_owned(), ttl_ms });
        let third = lease.ttl / 3;
        // Not for longer than the lease lasts, so that its end is seen in time.
        let limit = left.map_or(third, |left| third.min(Duration::from_nanos(left.until - asked)));
        let renewed = within(&self.clock, limit, renew(&mut self.node, key, &lease.owner, lease.ttl)).await;
        let (until, now) = (asked + nanos(lease.ttl), self.clock.monotonic());
        let told = Told { told_at: Some(now), ..Told::default() };
        let because = |why: &str| Told { why: Some(why.into()), ..told.clone() };
        let answer = match &renewed {
            Ok(true) if until > now => Answer::Ok(Told { valid_until: Some(until), ..told.clone() }),
            Ok(true) => Answer::Unknown(because("renewed too late: its time is over")),
            Ok(false) => Answer::No(because("the key is gone or another's")),
            // Even one that certainly did nothing says nothing of who holds the lock: a no would.
            Err(error) => Answer::Unknown(because(&words("renew", error))),
        };
        say(Unasked::Extended { number, answer });
        match renewed {
            Ok(true) => self.watched.change(key, lease, |lease| (lease.asked, lease.due) = (asked, asked + nanos(third))),
            Ok(false) => self.lost(key, lease, say),
            Err(_) if self.watched.kind == Watchdog::DiesOnError => drop(self.watched.end_of(key, lease)),
            Err(_) => {
                let over = left.map_or(NEVER, |left| left.until);
                let due = (asked + nanos(third)).min(over).max(now);
                self.watched.change(key, lease, |lease| lease.due = due);
            }
        }
    }

    fn lost(&self, key: &str, lease: &Lease, say: &mut impl FnMut(Unasked)) {
        if self.watched.end_of(key, lease).is_some() && self.watched.kind == Watchdog::Telling {
            say(Unasked::Lost(key.to_owned()));
        }
    }
}

fn nanos(duration: Duration) -> Nanos {
    Nanos::try_from(duration.as_nanos()).map_or(NEVER, |nanos| nanos.min(NEVER))
}
