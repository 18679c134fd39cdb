//! L1 `setnx`: SETNX, no TTL, owner-checked release. A holder that dies keeps it for ever.

use super::{Attempt, Done, Extended, Io, Lock, Step, command, script};
use crate::client::Clock;
use redis::Script;
use redis::aio::ConnectionLike;
use std::time::Duration;

/// SETNX of a random token.
pub struct Setnx;

impl<C: ConnectionLike, K: Clock> Lock<C, K> for Setnx {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&script::COMPARE_AND_DELETE]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, _ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(async move {
            let token = io.token();
            match command::setnx(io.node(), key, &token).await {
                Ok(true) => Attempt::granted(token, None),
                Ok(false) => Attempt::taken(token),
                Err(error) => Attempt::failed(token, "SETNX", &error),
            }
        })
    }

    fn extend<'a>(&'a mut self, _io: &'a mut Io<C, K>, _key: &'a str, _token: &'a str, _ttl: Duration) -> Step<'a, Extended> {
        Box::pin(async { Extended::No("a lock without a TTL has nothing to extend".into()) })
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move { script::compare_and_delete(io.node(), key, token).await })
    }
}
