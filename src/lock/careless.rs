//! Any lock of one node, whose extension has a known mistake: it takes a lost key anew, or extends whatever is there.

use super::watchdog::Watched;
use super::{Attempt, Done, Extended, Held, Impossible, Io, Lock, Step, command, script};
use crate::client::Clock;
use crate::plan::Extend;
use redis::Script;
use redis::aio::ConnectionLike;
use std::rc::Rc;
use std::time::Duration;

/// The lock inside, extended carelessly.
pub struct Careless<C, K> {
    /// The lock.
    pub lock: Box<dyn Lock<C, K>>,
    /// Its mistake.
    pub how: Extend,
}

impl<C: ConnectionLike, K: Clock> Lock<C, K> for Careless<C, K> {
    fn scripts(&self) -> Vec<&'static Script> {
        self.lock.scripts()
    }

    fn prepare<'a>(&'a mut self, io: &'a mut Io<C, K>) -> Step<'a, Result<(), Impossible>> {
        Box::pin(async move {
            self.lock.prepare(io).await?;
            script::load(&mut io.nodes, &[&script::PEXPIRE_OR_SET]).await
        })
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        self.lock.acquire(io, key, ttl)
    }

    fn extend<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str, ttl: Duration) -> Step<'a, Extended> {
        Box::pin(async move {
            let (name, extended) = match self.how {
                Extend::Blind => ("PEXPIRE", command::pexpire(io.node(), key, ttl).await),
                _ => ("pexpire-or-set", script::pexpire_or_set(io.node(), key, token, ttl).await),
            };
            match extended {
                Ok(true) => Extended::Yes(None),
                Ok(false) => Extended::No("the key is gone or another's".into()),
                Err(error) => Extended::failed(name, &error),
            }
        })
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        self.lock.release(io, key, token)
    }

    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held> {
        self.lock.check(io, key, token)
    }

    fn wait<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, limit: Duration) -> Step<'a, ()> {
        self.lock.wait(io, key, limit)
    }

    fn watched(&self) -> Option<Rc<Watched>> {
        self.lock.watched()
    }
}
