//! The locks, one a file, each written once over redis-rs's `ConnectionLike` and knowing nothing of the world it is in.

use crate::client::Clock;
use redis::aio::ConnectionLike;
use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// What a lock works with: its nodes, its client's clock, and randomness for its tokens.
pub struct Io<C, K> {
    /// One connection a node, in the plan's order.
    pub nodes: Vec<C>,
    /// The client's clocks.
    pub clock: K,
    /// This client's own stream of randomness.
    pub rng: rand_chacha::ChaCha8Rng,
}

/// A future of a lock: not `Send`, since a simulation lives on one thread.
pub type Step<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A lock algorithm.
pub trait Lock<C: ConnectionLike, K: Clock> {
    /// Tries once to take the lock.
    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt>;

    /// Lengthens the lease of a grant to `ttl` from now.
    fn extend<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str, ttl: Duration) -> Step<'a, Done>;

    /// Gives a grant back.
    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done>;

    /// Asks the store whether a grant still holds.
    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held>;
}

/// How a try to take the lock ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Attempt {
    /// The lock says yes.
    Granted(Grant),
    /// The lock says no; `token` is what this attempt stored or would have stored.
    Refused {
        /// What identifies the attempt in the store.
        token: String,
        /// Why, in words.
        why: String,
    },
    /// A command was sent and its outcome is not known.
    Unknown {
        /// What identifies the attempt in the store.
        token: String,
        /// Why, in words.
        why: String,
    },
}

/// What a lock says when it grants.
#[derive(Debug, Clone, PartialEq)]
pub struct Grant {
    /// What identifies the grant in the store.
    pub token: String,
    /// Its fencing token, where the lock has one.
    pub fence: Option<u64>,
    /// The validity left in milliseconds, counted from the call, where the lock measures it.
    pub valid_for_ms: Option<i64>,
}

/// How a release or an extension ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// The store says that it took effect.
    Yes,
    /// It certainly had no effect: nothing was there, or it is another's.
    No(String),
    /// A command was sent and its outcome is not known.
    Unknown(String),
}

/// What a lock says of its own grant.
#[derive(Debug, Clone, PartialEq)]
pub enum Held {
    /// The store says that the grant holds.
    Yes,
    /// The store says that it does not.
    No,
    /// The store could not be asked.
    Unknown(String),
}
