//! `immortal`: a key has no time to live, or is renewed with no holder.
//!
//! **Definition.** An observation that began after the run went quiet finds a key of a lock that
//! * has no time to live, or
//! * has a longer one than such an observation found that began before it and ended by its beginning,
//!
//! and its token is not that of a grant which a living client still holds.
//!
//! **Source.** redis-py 554, laravel 31166 and jedis 321 (`SETNX`, then a crash before `EXPIRE`); redisson 1602 (the renewal
//! goes on after a failed unlock).
//!
//! **Why exact.** When all is quiet nobody is left who would give the key back, and nothing will take it away. A time to live
//! only falls unless somebody renews it. Of observations that overlap nobody knows which saw the earlier time. Of each key the last few are
//! remembered, so that more than these at one time, all overlapping, hide an earlier one.

use super::Property;
use super::quiet::Quiet;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{KeySeen, OpId};
use crate::judge::fact::{Facts, Instant, OpKind, Seen, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use std::collections::VecDeque;
use std::sync::Arc;

/// The property.
#[derive(Debug, Default)]
pub struct Immortal {
    quiet: Quiet,
    /// The last looks at each key (lock, node, key, token).
    looks: Recent<(Name, String, String, String), VecDeque<Look>>,
    told: Recent<(Name, Arc<str>), ()>,
}

/// When a key was looked at, and its time to live.
#[derive(Debug, Clone, Copy)]
struct Look {
    from: Nanos,
    until: Nanos,
    ttl_ms: u64,
}

/// How many looks at a key are remembered.
const LOOKS: usize = 4;

impl Look {
    fn is_certainly_before(&self, other: &Look) -> bool {
        self.until <= other.from && self.from < other.from
    }
}

impl Property for Immortal {
    fn wants(&self) -> Facts {
        self.quiet.wants(facts::OBSERVED)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for seen in self.quiet.seen(now) {
            seen.keys.iter().for_each(|key| self.seen(now, seen, key, found));
        }
    }
}

impl Immortal {
    fn seen(&mut self, now: &Instant<'_>, seen: &Seen, key: &KeySeen, found: &mut Found) {
        let how = match key.ttl_ms {
            None => "has no time to live",
            Some(ttl_ms) => {
                let look = Look { from: seen.from, until: now.at, ttl_ms };
                let name = (seen.lock, key.node.clone(), key.key.clone(), key.token.clone());
                let looks = self.looks.renew(name, VecDeque::new);
                let is_renewed = looks.iter().any(|before| before.ttl_ms < ttl_ms && before.is_certainly_before(&look));
                if looks.len() == LOOKS {
                    looks.pop_front();
                }
                looks.push_back(look);
                if !is_renewed {
                    return;
                }
                "is renewed"
            }
        };
        let token: Arc<str> = key.token.as_str().into();
        let owner = match owner(now, seen.lock, &token) {
            Owner::Alive => return,
            Owner::Over(client, id) => Some((client, id)),
            Owner::Nobody => None,
        };
        let name = (seen.lock, token);
        if self.told.get(&name).is_some() {
            return;
        }
        self.told.insert(name, ());
        found.add(Kind::Immortal, seen.lock, || {
            let whose = match owner {
                Some((client, _)) if now.leases.is_gone(client) => format!("its client {} is gone", now.name(client)),
                Some((client, _)) => format!("its client {} holds it no more", now.name(client)),
                None => "no client that lives holds it".to_string(),
            };
            let sentence = format!(
                "when all was quiet, at {}, the key {} on {} {how}, and {whose}",
                Seconds::telling_apart(now.zero, &[]).at(now.at),
                key.key,
                key.node
            );
            Draft {
                clients: owner.iter().map(|(client, _)| *client).collect(),
                events: owner.iter().map(|(_, id)| *id).collect(),
                since: now.zero,
                ..Draft::new(Kind::Immortal, seen.lock, now.at, sentence)
            }
        });
    }
}

/// Whose key it is.
enum Owner {
    /// A client's that lives and holds it, or may.
    Alive,
    /// A client's that is gone or holds it no more.
    Over(Name, OpId),
    /// Nobody's that is known: the attempt never ended.
    Nobody,
}

fn owner(now: &Instant<'_>, lock: Name, token: &Arc<str>) -> Owner {
    if now.leases.open(lock).any(|grant| grant.token.as_ref() == Some(token) && !now.leases.is_gone(grant.client)) {
        return Owner::Alive;
    }
    if let Some(attempt) = now.leases.attempts().with_token(lock, token) {
        return Owner::Over(attempt.client, attempt.id);
    }
    let mut in_flight = now.leases.pending().filter(|op| op.kind == OpKind::Acquire && op.target == lock);
    if in_flight.any(|op| !now.leases.is_gone(op.client)) { Owner::Alive } else { Owner::Nobody }
}
