//! A simulated client: a future that is not polled while its client is paused, and dropped when it is dead.

use super::connection::SimSubscriber;
use super::door::SimDoor;
use super::universe::SimClock;
use super::{SimWorld, no_node};
use crate::client::Session;
use crate::world::{Announced, WorldError};
use nemesis::Skew;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// A client of a simulated world.
pub(super) struct Client {
    /// What it knows.
    pub session: tokio::sync::Mutex<Session<SimDoor, SimClock>>,
    /// Whether it goes on.
    pub standing: Cell<Standing>,
    /// Whoever waits for its answer; a client does one thing at a time.
    waker: RefCell<Option<Waker>>,
    /// What its wall clock is off by.
    pub skew: Rc<Cell<Skew>>,
}

/// Whether a client goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// It does.
    Alive,
    /// It stands still.
    Paused,
    /// It never will again.
    Dead,
}

impl Client {
    /// Has it go on, or not; whoever waits for it looks again.
    pub fn stand(&self, standing: Standing) {
        self.standing.set(standing);
        if let Some(waker) = self.waker.take() {
            waker.wake();
        }
    }

    /// Runs a future of this client: it is not polled while the client is paused, and never again once it is dead.
    pub async fn live<T>(&self, future: impl Future<Output = T>, once_dead: impl Fn() -> T) -> T {
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

impl SimWorld {
    /// Starts a client: its connections, its session, and whatever renews its grants.
    pub(super) async fn admit(&self, name: &str) -> Result<(), WorldError> {
        let skew = Rc::new(Cell::new(Skew::default()));
        let clock = SimClock { universe: self.universe.clone(), skew: skew.clone() };
        let nodes = self.doors(name)?;
        let resource = self.plan.resource.as_ref();
        let store = resource.map(|resource| self.store(name, resource)).transpose()?;
        let mut session = Session::new(name, &self.plan.lock, resource, nodes, store, clock, self.plan.seed);
        if self.plan.lock.waits.is_some() {
            let (nodes, way_in) = self.ways_in();
            let (link, heard) = self.network.hearing_link(name, &nodes[0], way_in).ok_or_else(|| no_node(&nodes[0]))?;
            session.listen_by(SimSubscriber::new(link, self.network.outbox.clone(), heard));
        }
        session.prepare().await.map_err(|why| WorldError::Impossible(why.to_string()))?;
        let first = if self.plan.lock.is_renewed() { self.doors(name)?.into_iter().next() } else { None };
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
}
