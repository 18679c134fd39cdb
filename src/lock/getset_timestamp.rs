//! L5 `getset-timestamp`: the key holds the time at which its lease ends, by its taker's wall clock. SETNX takes a free lock; a loser
//! reads the stamp, and if that looks expired by its own clock, takes the lock over by GETSET, provided that the stamp which GETSET
//! replaced was expired too. Source: the Redis documentation of SETNX, "Design pattern: Locking with SETNX".
//!
//! Where clients' clocks differ, a live lock is stolen; and a loser of the GETSET has overwritten the owner's stamp.

use super::{Attempt, Done, Extended, Held, Io, Lock, Step, command, outcome};
use crate::client::Clock;
use checker::Nanos;
use checker::history::KeySeen;
use rand::RngExt;
use redis::aio::ConnectionLike;
use redis::cmd;
use std::time::Duration;

/// SETNX of now + timeout; GETSET on what looks expired.
pub struct GetsetTimestamp;

/// Whether a lease with this stamp is over at `wall` nanoseconds since 1970. What is no stamp is over.
pub fn expired(stamp: &str, wall: Nanos) -> bool {
    stamp.parse::<Nanos>().ok().is_none_or(|end| end <= wall)
}

/// A key as the lock reads it: its time to live is in its stamp, and one whose stamp has expired is nobody's.
pub fn seen(key: KeySeen, wall: Nanos) -> Option<KeySeen> {
    let end: Nanos = key.token.parse().ok().filter(|end| *end > wall)?;
    Some(KeySeen { ttl_ms: Some((end - wall) / 1_000_000), ..key })
}

impl<C: ConnectionLike, K: Clock> Lock<C, K> for GetsetTimestamp {
    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(async move {
            let token = stamp(io, ttl);
            match command::setnx(io.node(), key, &token).await {
                Ok(true) => return Attempt::granted(token, None),
                Ok(false) => {}
                Err(error) => return Attempt::failed(token, "SETNX", &error),
            }
            match command::get(io.node(), key).await {
                Ok(Some(stored)) if expired(&stored, io.clock.wall()) => {}
                Ok(Some(_)) => return Attempt::taken(token),
                Ok(None) => return Attempt::Refused { token, why: "released just now".into() },
                Err(error) => return Attempt::Failed { token, error: outcome::words("GET", &error) },
            }
            // The recipe stamps anew: its own lease begins with the GETSET, not with the SETNX that failed.
            let token = stamp(io, ttl);
            match cmd("GETSET").arg(key).arg(&token).query_async::<Option<String>>(io.node()).await {
                // None: released between GET and GETSET, so nobody held it when our stamp went in.
                Ok(old) if old.as_deref().is_none_or(|old| expired(old, io.clock.wall())) => Attempt::granted(token, None),
                Ok(_) => Attempt::Refused { token, why: "another took it over first; its stamp is overwritten".into() },
                Err(error) => Attempt::failed(token, "GETSET", &error),
            }
        })
    }

    fn extend<'a>(&'a mut self, _io: &'a mut Io<C, K>, _key: &'a str, _token: &'a str, _ttl: Duration) -> Step<'a, Extended> {
        Box::pin(async { Extended::No("the stamp is what names the grant: another stamp would be another grant".into()) })
    }

    /// The recipe's own: DEL, blind, but only while the own stamp has not expired by the own clock.
    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move {
            if expired(token, io.clock.wall()) {
                return Done::No("expired by the own clock, and left to whoever takes it over".into());
            }
            match command::del(io.node(), key).await {
                Ok(deleted) => Done::deleted(deleted),
                Err(error) => Done::failed("DEL", &error),
            }
        })
    }

    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held> {
        Box::pin(async move {
            match command::get(io.node(), key).await {
                Ok(stored) if stored.as_deref() == Some(token) && !expired(token, io.clock.wall()) => Held::Yes,
                Ok(_) => Held::No,
                Err(error) => Held::Unknown(outcome::words("GET", &error)),
            }
        })
    }
}

/// When a lease of `ttl` from now ends, in nanoseconds since 1970. What is below a millisecond is drawn at random, so that two who ask at
/// one instant do not share a stamp, and with it a name.
fn stamp<C, K: Clock>(io: &mut Io<C, K>, ttl: Duration) -> String {
    const MILLI: Nanos = 1_000_000;
    let end = io.clock.wall().saturating_add(Nanos::try_from(ttl.as_nanos()).unwrap_or(Nanos::MAX));
    let whole = end - end % MILLI;
    whole.saturating_add(io.rng.random_range(0..MILLI)).to_string()
}
