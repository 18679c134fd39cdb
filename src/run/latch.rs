//! Something to wait for on one thread: it is open or shut, and whoever waits is woken when it opens.

use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::task::{Poll, Waker};

/// A latch. A client's gate is one that starts open and is shut while the client is paused; a client that waits for an event waits at one that starts shut.
#[derive(Debug)]
pub struct Latch {
    open: Cell<bool>,
    waiting: RefCell<Vec<Waker>>,
}

impl Latch {
    /// A latch that is open.
    pub fn opened() -> Self {
        Latch { open: Cell::new(true), waiting: RefCell::default() }
    }

    /// A latch that is shut.
    pub fn shut() -> Self {
        Latch { open: Cell::new(false), waiting: RefCell::default() }
    }

    /// Whether it is open now.
    pub fn is_open(&self) -> bool {
        self.open.get()
    }

    /// Opens it and wakes everybody who waits, in the order in which they came.
    pub fn open(&self) {
        self.open.set(true);
        for waker in self.waiting.take() {
            waker.wake();
        }
    }

    /// Shuts it again.
    pub fn shut_again(&self) {
        self.open.set(false);
    }

    /// Waits until it is open.
    pub async fn wait(&self) {
        poll_fn(|context| {
            if self.open.get() {
                return Poll::Ready(());
            }
            self.waiting.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await
    }
}
