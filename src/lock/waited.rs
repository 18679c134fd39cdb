//! Any lock that SETs on one node, with `WAIT` for its replicas after the SET. Source: the Redis documentation of WAIT.
//!
//! WAIT says how many replicas have acknowledged what its connection wrote, and takes nothing back where they are too few: only whoever looks
//! at its reply is protected, and must clean up. Nor does it choose which replica is promoted.

use super::give_back::give_back;
use super::outcome::words;
use super::{Attempt, Done, Extended, Held, Impossible, Io, Lock, Step};
use crate::client::Clock;
use crate::plan::{Wait, WaitReply};
use redis::aio::ConnectionLike;
use redis::{Script, cmd};
use std::time::Duration;

/// The lock inside, whose grants are waited for.
pub struct Waited<C, K> {
    /// The lock.
    pub lock: Box<dyn Lock<C, K>>,
    /// How.
    pub wait: Wait,
}

impl<C: ConnectionLike, K: Clock> Lock<C, K> for Waited<C, K> {
    fn scripts(&self) -> Vec<&'static Script> {
        self.lock.scripts()
    }

    fn prepare<'a>(&'a mut self, io: &'a mut Io<C, K>) -> Step<'a, Result<(), Impossible>> {
        self.lock.prepare(io)
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(async move {
            let grant = match self.lock.acquire(io, key, ttl).await {
                Attempt::Granted(grant) => grant,
                other => return other,
            };
            let Wait { replicas, timeout_ms, reply } = self.wait;
            let mut wait = cmd("WAIT");
            wait.arg(replicas).arg(timeout_ms);
            let acknowledged = wait.query_async::<u32>(io.node()).await;
            let why = match acknowledged {
                _ if reply == WaitReply::Ignored => return Attempt::Granted(grant),
                Ok(acknowledged) if acknowledged >= replicas => return Attempt::Granted(grant),
                Ok(acknowledged) => format!("acknowledged by {acknowledged} of {replicas} replicas within {timeout_ms} ms"),
                Err(error) => words("WAIT", &error),
            };
            let token = grant.token;
            match give_back(&mut *self.lock, io, key, &token).await {
                Ok(()) => Attempt::Failed { token, error: why },
                Err(left) => Attempt::Unknown { token, why: format!("{why}; given back: {left}") },
            }
        })
    }

    fn extend<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str, ttl: Duration) -> Step<'a, Extended> {
        self.lock.extend(io, key, token, ttl)
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        self.lock.release(io, key, token)
    }

    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held> {
        self.lock.check(io, key, token)
    }
}
