//! A lock whose scripts are sent by EVALSHA and never anew: where the server has forgotten them it is answered NOSCRIPT, and gives up. The mistake of
//! redlock-rb 27 and 148 and resque-scheduler 298.

use super::command::millis;
use super::script::{COMPARE_AND_DELETE, COMPARE_AND_PEXPIRE};
use super::{Attempt, Done, Extended, Held, Impossible, Io, Lock, Step};
use crate::client::Clock;
use redis::aio::ConnectionLike;
use redis::{Script, cmd};
use std::time::Duration;

/// The lock inside, which takes by commands, and releases and extends by the scripts that compare.
pub struct EvalshaOnly<C, K>(pub Box<dyn Lock<C, K>>);

impl<C: ConnectionLike, K: Clock> Lock<C, K> for EvalshaOnly<C, K> {
    fn scripts(&self) -> Vec<&'static Script> {
        self.0.scripts()
    }

    fn prepare<'a>(&'a mut self, io: &'a mut Io<C, K>) -> Step<'a, Result<(), Impossible>> {
        self.0.prepare(io)
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        self.0.acquire(io, key, ttl)
    }

    fn extend<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str, ttl: Duration) -> Step<'a, Extended> {
        Box::pin(async move {
            let mut extend = cmd("EVALSHA");
            extend.arg(COMPARE_AND_PEXPIRE.get_hash()).arg(1).arg(key).arg(token).arg(millis(ttl));
            match extend.query_async(io.node()).await {
                Ok(true) => Extended::Yes(None),
                Ok(false) => Extended::No("the key is gone or another's".into()),
                Err(error) => Extended::failed("EVALSHA", &error),
            }
        })
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move {
            let mut release = cmd("EVALSHA");
            release.arg(COMPARE_AND_DELETE.get_hash()).arg(1).arg(key).arg(token);
            match release.query_async(io.node()).await {
                Ok(deleted) => Done::deleted(deleted),
                Err(error) => Done::failed("EVALSHA", &error),
            }
        })
    }

    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held> {
        self.0.check(io, key, token)
    }
}
