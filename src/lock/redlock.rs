//! Q1 `redlock`: L4 on a quorum of independent nodes. Source: Salvatore Sanfilippo, the Redis documentation, "Distributed locks with Redis".
//!
//! All nodes are asked at once, as the document advises: the shorter the time in which a client takes its votes, the fewer votes are split,
//! and a node that hangs costs its timeout once. Every answer is awaited, or its timeout, so that no vote is left uncounted. A grant is one
//! if a quorum said yes and something is left of TTL − elapsed − drift; else what was taken is released on all nodes, those included that
//! said no. The random delay before the next try is the workload's.
//!
//! Its known mistakes are options of the plan's `[lock]`.

use super::deadline::validity;
use super::node_timeout::within;
use super::votes::{Vote, Votes};
use super::{Attempt, Done, Extended, Grant, Held, Io, Lock, Step, Validity, command, script};
use crate::client::Clock;
use crate::plan::{Elapsed, Extend, LockSpec, OnError, OnFailure};
use checker::Nanos;
use futures_util::future::join_all;
use redis::aio::ConnectionLike;
use redis::{RedisResult, Script};
use std::time::Duration;

/// SET NX PX on a quorum.
pub struct Redlock {
    spec: LockSpec,
}

/// When an attempt began, on both clocks of its client.
struct Begun {
    monotonic: Nanos,
    wall: Nanos,
}

impl Begun {
    fn now(clock: &impl Clock) -> Self {
        Begun { monotonic: clock.monotonic(), wall: clock.wall() }
    }
}

impl Redlock {
    /// With the options of a plan.
    pub fn new(spec: &LockSpec) -> Self {
        Redlock { spec: spec.clone() }
    }

    /// Asks every node at once, each for no longer than the node timeout.
    async fn everywhere<C: ConnectionLike, K: Clock>(
        &self,
        io: &mut Io<C, K>,
        ask: impl AsyncFn(&mut C) -> RedisResult<bool>,
    ) -> Votes {
        let limit = Duration::from_millis(self.spec.node_timeout_ms.unwrap_or(LockSpec::NODE_TIMEOUT_MS));
        let Io { nodes, clock, .. } = io;
        let said = join_all(nodes.iter_mut().map(|node| within(clock, limit, ask(node)))).await;
        Votes(said.into_iter().map(Vote::from).collect())
    }

    /// What is left of a lease that was asked for at `begun`: nothing is known where nobody measures, and in words that nothing is.
    fn left(&self, begun: &Begun, clock: &impl Clock, ttl: Duration) -> Result<Option<Validity>, String> {
        let now = clock.monotonic();
        match self.spec.elapsed.unwrap_or_default() {
            Elapsed::Monotonic => validity(begun.monotonic, now, ttl).map(Some),
            Elapsed::Wall => {
                // A wall clock that was set back makes this the future, and the validity longer than the TTL.
                let elapsed = clock.wall() as i64 - begun.wall as i64;
                validity(now.saturating_add_signed(-elapsed), now, ttl).map(Some)
            }
            Elapsed::Unchecked => Ok(None),
        }
    }

    fn granted(&self, votes: &Votes, begun: &Begun, clock: &impl Clock, ttl: Duration) -> Result<Option<Validity>, String> {
        let quorum = self.spec.quorum_of(votes.asked());
        if votes.yes() < quorum {
            return Err(format!("granted by {}, and {quorum} are needed", votes.words()));
        }
        if self.spec.on_error == Some(OnError::GiveUp) && votes.silent() > 0 {
            return Err(format!("granted by {}, and one that gives no answer is one too many", votes.words()));
        }
        self.left(begun, clock, ttl).map_err(|late| format!("granted too late: {late}"))
    }

    /// The end of an attempt that is no grant.
    async fn failed<C: ConnectionLike, K: Clock>(
        &self,
        io: &mut Io<C, K>,
        key: &str,
        token: String,
        set: Votes,
        why: String,
    ) -> Attempt {
        // Whoever is on a node that said no has the lock, or is taking it.
        let taken = set.no() > 0 && set.yes() < self.spec.quorum_of(set.asked());
        let no = |token, why| if taken { Attempt::Refused { token, why } } else { Attempt::Failed { token, error: why } };
        if self.spec.on_failure == Some(OnFailure::Keep) {
            return no(token, why);
        }
        let deleted = self.everywhere(io, async |node: &mut C| script::delete_own(node, key, &token).await).await;
        let left = set.0.iter().zip(&deleted.0).enumerate().filter(|(_, (set, deleted))| may_be_left(set, deleted));
        let left: Vec<String> = left.map(|(node, _)| format!("n{}", node + 1)).collect();
        match left.is_empty() {
            true => no(token, why),
            false => Attempt::Unknown { token, why: format!("{why}; its key may be on {}, or come there yet", left.join(", ")) },
        }
    }
}

/// Whether a node may hold the key after all, or get it yet, after it was asked to set it and then to delete it.
fn may_be_left(set: &Vote, deleted: &Vote) -> bool {
    match (set, deleted) {
        (Vote::No, _) | (_, Vote::Yes) | (Vote::Yes, Vote::No) => false,
        (Vote::Yes, Vote::Silent(_)) => true,
        // That there was nothing to delete says nothing of a SET that is still on its way.
        (Vote::Silent(_), _) => set.may_be_yes(),
    }
}

impl<C: ConnectionLike, K: Clock> Lock<C, K> for Redlock {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&script::COMPARE_AND_DELETE, &script::COMPARE_AND_PEXPIRE]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(async move {
            let token = io.token();
            let begun = Begun::now(&io.clock);
            let votes = self.everywhere(io, async |node: &mut C| command::set_nx_px(node, key, &token, ttl).await).await;
            match self.granted(&votes, &begun, &io.clock, ttl) {
                Ok(validity) => Attempt::Granted(Grant { token, fence: None, validity }),
                Err(why) => self.failed(io, key, token, votes, why).await,
            }
        })
    }

    /// Extends on all nodes. One that is refused may have taken effect on fewer than are needed, which makes it no extension.
    fn extend<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str, ttl: Duration) -> Step<'a, Extended> {
        Box::pin(async move {
            let begun = Begun::now(&io.clock);
            let how = self.spec.extend.unwrap_or_default();
            let votes = match how {
                Extend::Quorum | Extend::Any => {
                    self.everywhere(io, async |node: &mut C| script::pexpire_own(node, key, token, ttl).await).await
                }
                Extend::Retake => {
                    self.everywhere(io, async |node: &mut C| script::pexpire_or_set(node, key, token, ttl).await).await
                }
                Extend::Blind => self.everywhere(io, async |node: &mut C| command::pexpire(node, key, ttl).await).await,
            };
            let needed = if how == Extend::Any { 1 } else { self.spec.quorum_of(votes.asked()) };
            let why = || format!("extended on {}, and {needed} are needed", votes.words());
            match () {
                () if votes.yes() >= needed => match self.left(&begun, &io.clock, ttl) {
                    Ok(validity) => Extended::Yes(validity),
                    Err(late) => Extended::Unknown(format!("extended too late: {late}")),
                },
                () if votes.at_most() >= needed => Extended::Unknown(why()),
                () => Extended::No(why()),
            }
        })
    }

    /// Releases on all nodes. It took effect if it ended the grant: if a quorum had it, and has it no more.
    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move {
            let votes = self.everywhere(io, async |node: &mut C| script::delete_own(node, key, token).await).await;
            let quorum = self.spec.quorum_of(votes.asked());
            match () {
                () if votes.yes() >= quorum => Done::Yes,
                () if votes.at_most() == 0 => Done::No(format!("released on {}", votes.words())),
                () if votes.yes() + votes.silent() >= quorum => Done::Unknown(format!("released on {}", votes.words())),
                () => Done::No(format!("it was still on {}, which is no quorum", votes.words())),
            }
        })
    }

    fn check<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Held> {
        Box::pin(async move {
            let stored = async |node: &mut C| Ok(command::get(node, key).await?.as_deref() == Some(token));
            let votes = self.everywhere(io, stored).await;
            let quorum = self.spec.quorum_of(votes.asked());
            match () {
                () if votes.yes() >= quorum => Held::Yes,
                () if votes.yes() + votes.silent() >= quorum => Held::Unknown(format!("it is on {}", votes.words())),
                () => Held::No,
            }
        })
    }
}
