//! `ghost`: success was reported and nothing was held.
//!
//! **Definition.** Of a mutex, either
//! * an observation lies wholly within the [certain lease](crate::lease) of a grant and finds no holder, or the token of a
//!   grant that was there before; while since the acquire was invoked no fault was verified and no other client's release or
//!   extension may have taken effect; or
//! * an observation finds that a grant's token is not in place, and the client is afterwards told, by a check that is invoked
//!   after it, that the grant holds; while in between nothing was done to the world and the client did not extend.
//!
//! **Source.** bsm/redislock (a TTL under 1 ms deletes the key, the grant is OK); redis-py 2624 (replies shifted by one);
//! redsync 72 and rslock (`valid()` is true though the key is gone).
//!
//! **Why exact.** Within the certain lease the store must hold the grant's token, unless something took it away; everything
//! that could is looked for. What is not there does not come back by itself, so a later yes is untrue.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Fact, Facts, Instant, OpKind, Seen, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use crate::lease::Grant;
use rustc_hash::FxHashMap;

/// The property.
#[derive(Debug, Default)]
pub struct Ghost {
    /// Grants that an observation did not find: when it began and ended.
    missing: FxHashMap<OpId, (Nanos, Nanos)>,
    /// When a release or extension of each lock last ended with an unknown outcome, and whose.
    unknown: FxHashMap<Name, (Nanos, Name)>,
    told: Recent<OpId, ()>,
}

impl Property for Ghost {
    fn wants(&self) -> Facts {
        let answers = facts::done(OpKind::Release) | facts::done(OpKind::Extend) | facts::done(OpKind::Check);
        let changes = facts::invoked(OpKind::Release) | facts::invoked(OpKind::Extend);
        facts::OBSERVED | answers | if self.missing.is_empty() { 0 } else { changes }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for fact in now.facts {
            match fact {
                Fact::Done(done) => {
                    if done.outcome == Outcome::Info && may_take_away(done.op.kind) {
                        self.unknown.insert(done.op.target, (now.at, done.op.client));
                    }
                    if done.op.kind == OpKind::Check && done.affirms_holding() && !self.missing.is_empty() {
                        self.checked(now, done.op.grant, done.op.at, done.op.id, found);
                    }
                }
                Fact::Invoked(op) if op.kind == OpKind::Extend => {
                    op.grant.map(|grant| self.missing.remove(&grant));
                }
                Fact::Invoked(op) if op.kind == OpKind::Release => {
                    op.grant.map(|grant| self.missing.remove(&grant));
                }
                Fact::Observed(seen) if now.terms(seen.lock).limit == 1 => self.seen(now, seen, found),
                _ => {}
            }
        }
    }
}

fn may_take_away(kind: OpKind) -> bool {
    matches!(kind, OpKind::Release | OpKind::Extend)
}

impl Ghost {
    fn seen(&mut self, now: &Instant<'_>, seen: &Seen, found: &mut Found) {
        for grant in now.leases.open(seen.lock).filter(|grant| grant.token.is_some()) {
            if grant.token == seen.holder {
                self.missing.remove(&grant.id);
                continue;
            }
            self.missing.entry(grant.id).or_insert((seen.from, now.at));
            let certain = grant.holds_throughout(seen.from, now.at) && displaced(now, seen, grant);
            if certain && self.told.get(&grant.id).is_none() && !self.explained(now, grant) {
                self.told.insert(grant.id, ());
                found.add(Kind::Ghost, seen.lock, || {
                    let seconds = Seconds::telling_apart(now.zero, &[grant.start, now.at, grant.end]);
                    let held = match &seen.holder {
                        None => "nobody".to_string(),
                        Some(token) => format!("token {token}"),
                    };
                    let sentence = format!(
                        "{} was granted {} at {}; at {} the store said that {held} holds it",
                        now.name(grant.client),
                        now.name(seen.lock),
                        seconds.at(grant.start),
                        seconds.at(now.at)
                    );
                    draft(now, grant, vec![grant.id], sentence)
                });
            }
        }
    }

    fn checked(&mut self, now: &Instant<'_>, grant: Option<OpId>, invoked: Nanos, check: OpId, found: &mut Found) {
        let Some(grant) = grant.and_then(|id| now.leases.grant(id)) else { return };
        let Some(&(from, until)) = self.missing.get(&grant.id) else { return };
        if until <= invoked && !now.faults.any_since(from) && self.told.get(&grant.id).is_none() {
            self.told.insert(grant.id, ());
            found.add(Kind::Ghost, grant.lock, || {
                let seconds = Seconds::telling_apart(now.zero, &[until, now.at]);
                let sentence = format!(
                    "at {} the store did not hold {}'s grant of {}; at {} {} was told that it holds it",
                    seconds.at(until),
                    now.name(grant.client),
                    now.name(grant.lock),
                    seconds.at(now.at),
                    now.name(grant.client)
                );
                draft(now, grant, vec![grant.id, check], sentence)
            });
        }
    }

    /// Whether something may have taken the lock away since it was asked for.
    fn explained(&self, now: &Instant<'_>, grant: &Grant) -> bool {
        let anothers = |client: Name| client != grant.client;
        now.faults.verified_since(grant.invoked)
            || now.faults.release_by_another(grant.lock, grant.client, grant.invoked).is_some()
            || self.unknown.get(&grant.lock).is_some_and(|&(at, client)| at >= grant.invoked && anothers(client))
            || now.leases.pending().any(|op| op.target == grant.lock && may_take_away(op.kind) && anothers(op.client))
    }
}

/// Whether nobody is seen to hold the lock, or one who was granted it before this grant was asked for.
fn displaced(now: &Instant<'_>, seen: &Seen, grant: &Grant) -> bool {
    let Some(token) = &seen.holder else { return true };
    let granted = now.leases.attempts().granted(seen.lock, token).filter(|attempt| attempt.since < grant.invoked);
    granted.is_some_and(|earlier| {
        let mut acquires = now.leases.pending().filter(|op| op.kind == OpKind::Acquire && op.target == seen.lock);
        acquires.all(|op| op.client != earlier.client)
    })
}

fn draft(now: &Instant<'_>, grant: &Grant, events: Vec<OpId>, sentence: String) -> Draft {
    Draft { clients: vec![grant.client], events, since: grant.invoked, ..Draft::new(Kind::Ghost, grant.lock, now.at, sentence) }
}
