//! The locks, one a file, each written once over redis-rs's `ConnectionLike` and knowing nothing of the world it is in.
//!
//! A lock of one Redis uses its first node, a quorum lock all of them. [`facts`] says of each in words what it does and what it lacks.

use crate::client::{Clock, Subscriber};
use crate::plan::{Deadline, Extend, LockKind, LockSpec, Scripts};
use checker::Nanos;
use checker::history::KeySeen;
use redis::Script;
use redis::aio::ConnectionLike;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

mod careless;
mod command;
mod deadline;
mod evalsha_only;
pub mod facts;
mod fenced;
pub mod getset_timestamp;
mod give_back;
mod node_timeout;
pub mod outcome;
mod redlock;
mod reentrant_watchdog;
mod script;
mod set_nx_px;
mod set_nx_px_del;
mod set_nx_px_delex;
mod set_nx_px_get_del;
mod set_nx_px_watch;
mod setnx;
mod setnx_expire;
mod verdict;
mod votes;
mod waited;
pub mod watchdog;

use watchdog::Watched;

pub use give_back::give_back;
pub use verdict::{Attempt, Done, Extended, Grant, Held, Impossible, Validity};

/// What a lock works with: its nodes, its client's clock, and randomness for its tokens.
pub struct Io<C, K> {
    /// One connection a node, in the plan's order; at least one.
    pub nodes: Vec<C>,
    /// The client's clocks.
    pub clock: K,
    /// This client's own stream of randomness.
    pub rng: rand_chacha::ChaCha8Rng,
    /// Over which it hears what is published by the first node.
    pub subscriber: Option<Box<dyn Subscriber>>,
}

/// A future of a lock: not `Send`, since a simulation lives on one thread.
pub type Step<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A lock algorithm.
pub trait Lock<C: ConnectionLike, K: Clock> {
    /// The scripts that it sends to take and release, to be loaded beforehand: so each is one message on the wire from its first use.
    fn scripts(&self) -> Vec<&'static Script> {
        Vec::new()
    }

    /// Sees to it that the server has what this lock needs.
    fn prepare<'a>(&'a mut self, io: &'a mut Io<C, K>) -> Step<'a, Result<(), Impossible>> {
        let scripts = self.scripts();
        Box::pin(async move { script::load(&mut io.nodes, &scripts).await })
    }

    /// Tries once to take the lock.
    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt>;

    /// Lengthens the lease of a grant to `ttl` from now: by a compare-and-pexpire script, unless the lock has a way of its own.
    fn extend<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str, ttl: Duration) -> Step<'a, Extended> {
        Box::pin(async move { script::compare_and_pexpire(io.node(), key, token, ttl).await })
    }

    /// Gives a grant back.
    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done>;

    /// Asks the store whether a grant still holds: whether its token is in the key, unless the lock has a rule of its own.
    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held> {
        Box::pin(async move {
            match command::get(io.node(), key).await {
                Ok(stored) if stored.as_deref() == Some(token) => Held::Yes,
                Ok(_) => Held::No,
                Err(error) => Held::Unknown(outcome::words("GET", &error)),
            }
        })
    }

    /// Waits until another try may be worth it, and no longer than this: for no time, unless the lock hears of releases.
    fn wait<'a>(&'a mut self, _io: &'a mut Io<C, K>, _key: &'a str, _limit: Duration) -> Step<'a, ()> {
        Box::pin(async {})
    }

    /// The leases that a watchdog is to renew, where the lock has one.
    fn watched(&self) -> Option<Rc<Watched>> {
        None
    }
}

/// The lock that a plan names.
pub fn of<C: ConnectionLike + 'static, K: Clock + 'static>(spec: &LockSpec) -> Box<dyn Lock<C, K>> {
    let lock: Box<dyn Lock<C, K>> = match spec.kind {
        LockKind::Setnx => Box::new(setnx::Setnx),
        LockKind::SetnxExpire => Box::new(setnx_expire::SetnxExpire { repair: spec.repair }),
        LockKind::SetNxPxDel => Box::new(set_nx_px_del::SetNxPxDel),
        LockKind::SetNxPxGetDel => Box::new(set_nx_px_get_del::SetNxPxGetDel),
        LockKind::SetNxPx => Box::new(set_nx_px::SetNxPx),
        LockKind::SetNxPxWatch => Box::new(set_nx_px_watch::SetNxPxWatch),
        LockKind::SetNxPxDelex => Box::new(set_nx_px_delex::SetNxPxDelex::default()),
        LockKind::GetsetTimestamp => Box::new(getset_timestamp::GetsetTimestamp),
        LockKind::Fenced => Box::new(fenced::Fenced),
        LockKind::Redlock => Box::new(redlock::Redlock::new(spec)),
        LockKind::ReentrantWatchdog => Box::new(reentrant_watchdog::ReentrantWatchdog::new(spec)),
    };
    let lock = match spec.extend {
        Some(how @ (Extend::Retake | Extend::Blind)) if facts::of(spec.kind).extension == facts::Extension::Atomic => {
            Box::new(careless::Careless { lock, how })
        }
        _ => lock,
    };
    let lock = match spec.scripts {
        Some(Scripts::EvalshaOnly) => Box::new(evalsha_only::EvalshaOnly(lock)),
        Some(Scripts::Reloaded) | None => lock,
    };
    let lock = match spec.wait {
        Some(wait) => Box::new(waited::Waited { lock, wait }),
        None => lock,
    };
    match spec.deadline {
        Deadline::Checked if facts::of(spec.kind).expiry != facts::Expiry::Never => Box::new(deadline::Checked(lock)),
        Deadline::Checked | Deadline::Unchecked => lock,
    }
}

/// What a key of a lock says by the lock's own rule when the wall clock shows `wall`, in nanoseconds since 1970; none where it says that nobody has
/// the lock.
pub fn by_its_rule(kind: LockKind, key: KeySeen, wall: Nanos) -> Option<KeySeen> {
    match kind {
        LockKind::GetsetTimestamp => getset_timestamp::seen(key, wall),
        _ => Some(key),
    }
}

impl<C, K> Io<C, K> {
    /// The node of a lock that lives on one.
    fn node(&mut self) -> &mut C {
        &mut self.nodes[0]
    }

    /// A token that no other attempt has: 20 random bytes in hex, as the Redis documentation advises.
    fn token(&mut self) -> String {
        use rand::Rng;
        let mut bytes = [0; 20];
        self.rng.fill_bytes(&mut bytes);
        let digit = |half: u8| char::from_digit(u32::from(half), 16).expect("half a byte is one digit");
        bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
    }
}
