//! Any lock, with a deadline: it measures by the monotonic clock how long a grant took, and does not say yes to one that is over.
//!
//! The validity is Redlock's: TTL − elapsed − drift, where drift = 1 % of the TTL + 2 ms. Source: the Redis documentation, "Distributed
//! locks with Redis".

use super::give_back::give_back;
use super::watchdog::Watched;
use super::{Attempt, Done, Extended, Held, Impossible, Io, Lock, Step, Validity};
use crate::client::Clock;
use checker::Nanos;
use redis::Script;
use redis::aio::ConnectionLike;
use std::rc::Rc;
use std::time::Duration;

/// The lock inside, whose grants and extensions are measured.
pub struct Checked<C, K>(pub Box<dyn Lock<C, K>>);

impl<C: ConnectionLike, K: Clock> Lock<C, K> for Checked<C, K> {
    fn scripts(&self) -> Vec<&'static Script> {
        self.0.scripts()
    }

    fn prepare<'a>(&'a mut self, io: &'a mut Io<C, K>) -> Step<'a, Result<(), Impossible>> {
        self.0.prepare(io)
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(async move {
            let asked = io.clock.monotonic();
            let mut grant = match self.0.acquire(io, key, ttl).await {
                Attempt::Granted(grant) => grant,
                other => return other,
            };
            match validity(asked, io.clock.monotonic(), ttl) {
                Ok(validity) => {
                    grant.validity = Some(validity);
                    Attempt::Granted(grant)
                }
                Err(late) => {
                    let token = grant.token;
                    match give_back(&mut *self.0, io, key, &token).await {
                        Ok(()) => Attempt::Failed { token, error: format!("granted too late: {late}") },
                        Err(why) => Attempt::Unknown { token, why: format!("granted too late: {late}; given back: {why}") },
                    }
                }
            }
        })
    }

    fn extend<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str, ttl: Duration) -> Step<'a, Extended> {
        Box::pin(async move {
            let asked = io.clock.monotonic();
            match self.0.extend(io, key, token, ttl).await {
                Extended::Yes(_) => match validity(asked, io.clock.monotonic(), ttl) {
                    Ok(validity) => Extended::Yes(Some(validity)),
                    // It took effect; nothing that the holder could still rely on.
                    Err(late) => Extended::Unknown(format!("extended too late: {late}")),
                },
                other => other,
            }
        })
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        self.0.release(io, key, token)
    }

    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held> {
        self.0.check(io, key, token)
    }

    fn wait<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, limit: Duration) -> Step<'a, ()> {
        self.0.wait(io, key, limit)
    }

    fn watched(&self) -> Option<Rc<Watched>> {
        self.0.watched()
    }
}

/// What is left at `now` of a lease asked for at `asked`, or in words that nothing is.
pub(super) fn validity(asked: Nanos, now: Nanos, ttl: Duration) -> Result<Validity, String> {
    const MILLI: Nanos = 1_000_000;
    let ttl_ns = Nanos::try_from(ttl.as_nanos()).unwrap_or(Nanos::MAX);
    let drift = ttl_ns / 100 + 2 * MILLI;
    let until = asked.saturating_add(ttl_ns.saturating_sub(drift));
    if let Some(left) = Validity::until(until, now) {
        return Ok(left);
    }
    let ms = |nanos| nanos as f64 / MILLI as f64;
    Err(format!("it took {:.1} ms of a TTL of {:.1} ms, of which {:.1} ms are drift", ms(now - asked), ms(ttl_ns), ms(drift)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLI: Nanos = 1_000_000;

    #[test]
    fn what_is_left_is_the_ttl_less_what_it_took_and_drift() {
        let left = validity(100 * MILLI, 110 * MILLI, Duration::from_millis(500)).unwrap();
        assert_eq!(left, Validity { left_ms: 500 - 10 - 5 - 2, until: (100 + 500 - 5 - 2) * MILLI });
    }

    #[test]
    fn a_grant_that_took_its_ttl_less_drift_is_none() {
        let ttl = Duration::from_millis(500);
        assert_eq!(validity(0, 492 * MILLI, ttl).unwrap().left_ms, 1);
        let late = validity(0, 493 * MILLI, ttl).unwrap_err();
        assert_eq!(late, "it took 493.0 ms of a TTL of 500.0 ms, of which 7.0 ms are drift");
        assert!(validity(0, 0, Duration::from_millis(2)).is_err(), "a TTL of no more than the drift leaves nothing");
    }

    #[test]
    fn the_longest_ttl_does_not_overflow() {
        assert!(validity(Nanos::MAX - 1, Nanos::MAX - 1, Duration::MAX).is_ok());
    }
}
