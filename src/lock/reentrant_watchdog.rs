//! L6 `reentrant-watchdog`: a HASH of owner and how often it holds, PEXPIRE, and a watchdog that renews the lease at every third of it until the
//! release; whoever gives back the last hold publishes it, and with `waits = "subscribed"` whoever waits hears it. With `fence = "counter"` L7: the first hold takes the next fencing token from a counter,
//! `{<key>}:fence` (in a cluster the slot of the key), in the same script, and holds within it share it. Source: Redisson's `RLock` and `RFencedLock`, after their documentation.
//!
//! The owner is the client, so one token names all its grants. A release gives back one hold.

use super::command::millis;
use super::watchdog::Watched;
use super::{Attempt, Done, Extended, Held, Io, Lock, Step, outcome};
use crate::client::Clock;
use crate::plan::{Fencing, LockSpec, Watchdog};
use futures_util::future::{Either, select};
use redis::aio::ConnectionLike;
use redis::{RedisResult, Script, cmd};
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;
use std::sync::LazyLock;
use std::time::Duration;

/// Takes the key, or holds it once more: the fencing token, or 0 where there is no counter; nil if another holds it. INCR comes first: if it fails,
/// nothing is taken.
static TAKE: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "local held = redis.call('EXISTS', KEYS[1]) == 1\n\
         if held and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return false end\n\
         local fence = 0\n\
         if KEYS[2] then fence = tonumber(held and redis.call('GET', KEYS[2]) or redis.call('INCR', KEYS[2])) end\n\
         redis.call('HINCRBY', KEYS[1], ARGV[1], 1)\n\
         redis.call('PEXPIRE', KEYS[1], ARGV[2])\n\
         return fence",
    )
});

/// Gives back one hold: how many are left, or -1 if there was none. The last one is published.
static GIVE_BACK: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return -1 end\n\
         local left = redis.call('HINCRBY', KEYS[1], ARGV[1], -1)\n\
         if left > 0 then return left end\n\
         redis.call('DEL', KEYS[1])\n\
         redis.call('PUBLISH', KEYS[1] .. ':released', ARGV[1])\n\
         return 0",
    )
});

/// Sets the key's time to live if the owner holds it.
static RENEW: LazyLock<Script> = LazyLock::new(|| {
    Script::new(
        "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 1 then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) else return 0 end",
    )
});

/// Sets in one step the time to live of what the owner holds, and of nothing else: whether there was something.
pub(super) async fn renew(node: &mut impl ConnectionLike, key: &str, owner: &str, ttl: Duration) -> RedisResult<bool> {
    RENEW.key(key).arg(owner).arg(millis(ttl)).invoke_async(node).await
}

/// How long is waited for where nothing can be heard.
const UNHEARD: Duration = Duration::from_millis(50);

/// A lock that its owner can take again, and that is renewed while it is held.
pub struct ReentrantWatchdog {
    /// Whether it counts fencing tokens.
    counts: bool,
    watchdog: Watchdog,
    /// Drawn at the first attempt.
    owner: Option<String>,
    /// How often each key is held, as far as the client knows.
    holds: BTreeMap<String, u32>,
    watched: Rc<Watched>,
}

impl ReentrantWatchdog {
    /// With the options of a plan.
    pub fn new(spec: &LockSpec) -> Self {
        let watchdog = spec.watchdog.unwrap_or_default();
        let (owner, holds, watched) = (None, BTreeMap::new(), Rc::new(Watched::new(watchdog)));
        ReentrantWatchdog { counts: spec.fence == Some(Fencing::Counter), watchdog, owner, holds, watched }
    }
}

impl<C: ConnectionLike, K: Clock> Lock<C, K> for ReentrantWatchdog {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&TAKE, &GIVE_BACK, &RENEW]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(async move {
            let token = self.owner.get_or_insert_with(|| io.token()).clone();
            let mut take = TAKE.key(key);
            if self.counts {
                take.key(format!("{{{key}}}:fence"));
            }
            let asked = io.clock.monotonic();
            match take.arg(&token).arg(millis(ttl)).invoke_async::<Option<u64>>(io.node()).await {
                Ok(Some(fence)) => {
                    *self.holds.entry(key.to_owned()).or_default() += 1;
                    self.watched.begin(key, &token, ttl, asked);
                    Attempt::granted(token, self.counts.then_some(fence))
                }
                Ok(None) => Attempt::taken(token),
                Err(error) => Attempt::failed(token, "take", &error),
            }
        })
    }

    fn extend<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str, ttl: Duration) -> Step<'a, Extended> {
        Box::pin(async move {
            match renew(io.node(), key, token, ttl).await {
                Ok(true) => Extended::Yes(None),
                Ok(false) => Extended::No("the key is gone or another's".into()),
                Err(error) => Extended::failed("renew", &error),
            }
        })
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move {
            let left = self.holds.get(key).map_or(0, |holds| holds.saturating_sub(1));
            let last = left == 0;
            if last {
                self.holds.remove(key);
            } else {
                self.holds.insert(key.to_owned(), left);
            }
            if last && self.watchdog != Watchdog::OutlivesUnlock {
                self.watched.end(key);
            }
            match GIVE_BACK.key(key).arg(token).invoke_async::<i64>(io.node()).await {
                Ok(left) => {
                    if last {
                        self.watched.end(key);
                    }
                    Done::deleted(left >= 0)
                }
                Err(error) => Done::failed("give-back", &error),
            }
        })
    }

    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held> {
        Box::pin(async move {
            match cmd("HEXISTS").arg(key).arg(token).query_async(io.node()).await {
                Ok(true) => Held::Yes,
                Ok(false) => Held::No,
                Err(error) => Held::Unknown(outcome::words("HEXISTS", &error)),
            }
        })
    }

    fn wait<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, limit: Duration) -> Step<'a, ()> {
        Box::pin(async move {
            let Io { nodes, clock, subscriber: Some(subscriber), .. } = io else { return };
            if subscriber.subscribe(&format!("{key}:released")).await.is_err() {
                return clock.sleep(limit.min(UNHEARD)).await;
            }
            // What was released before the subscription is not heard.
            let limit = match cmd("PTTL").arg(key).query_async::<i64>(&mut nodes[0]).await {
                Ok(-2) => return,
                Ok(left) => u64::try_from(left).map_or(limit, |left| limit.min(Duration::from_millis(left))),
                Err(_) => limit.min(UNHEARD),
            };
            if let Either::Left((Err(_), _)) = select(subscriber.message(), pin!(clock.sleep(limit))).await {
                clock.sleep(limit.min(UNHEARD)).await;
            }
        })
    }

    fn watched(&self) -> Option<Rc<Watched>> {
        (self.watchdog != Watchdog::None).then(|| self.watched.clone())
    }
}
