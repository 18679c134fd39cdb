//! `phantom`: failure was reported, and the client's own key blocks.
//!
//! **Definition.** An acquire was refused, which means that it certainly had no effect; an observation that began after that
//! finds its token as the holder; and no other attempt that may have left the same token there is pending, granted or of
//! unknown outcome.
//!
//! **Source.** redis-py 8.1 and go-redis 2985 (the client library re-sends `SET NX`, whose second reply says no);
//! redlock-py 1.0.8 (`lock()` raises after it took the quorum); node-redlock 5 (the own key of the first try blocks the rest).
//!
//! **Why exact.** A token identifies an attempt; tokens that attempts of several clients had tell nothing and are left alone.

use super::Property;
use crate::finding::Kind;
use crate::history::OpId;
use crate::judge::fact::{Fact, Facts, Instant, OpKind, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use crate::lease::{Attempt, Fate};
use std::sync::Arc;

/// The property.
#[derive(Debug, Default)]
pub struct Phantom {
    waiting: Vec<Waiting>,
    told: Recent<OpId, ()>,
}

/// A token that was seen, until every acquire is over that may have put it there.
#[derive(Debug)]
struct Waiting {
    lock: Name,
    token: Arc<str>,
    refused: OpId,
    others: Vec<(OpId, Name)>,
    draft: Draft,
}

impl Property for Phantom {
    fn wants(&self) -> Facts {
        facts::OBSERVED | if self.waiting.is_empty() { 0 } else { facts::done(OpKind::Acquire) }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for fact in now.facts {
            match fact {
                Fact::Done(done) if done.op.kind == OpKind::Acquire => {
                    self.waiting.iter_mut().for_each(|waiting| waiting.others.retain(|(id, _)| *id != done.op.id));
                }
                Fact::Observed(seen) => {
                    let Some(token) = &seen.holder else { continue };
                    let attempt = now.leases.attempts().with_token(seen.lock, token).copied();
                    let Some(attempt) = attempt.filter(|attempt| attempt.fate == Fate::Refused && attempt.since <= seen.from)
                    else {
                        continue;
                    };
                    if self.told.get(&attempt.id).is_none() {
                        self.told.insert(attempt.id, ());
                        self.waiting.push(Waiting {
                            lock: seen.lock,
                            token: token.clone(),
                            refused: attempt.id,
                            others: in_flight(now, seen.lock),
                            draft: draft(now, seen.lock, token, &attempt),
                        });
                    }
                }
                _ => {}
            }
        }
        self.waiting.retain(|waiting| {
            let over = waiting.others.is_empty();
            if over {
                waiting.tell(now, found);
            }
            !over
        });
    }

    fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        for waiting in self.waiting.drain(..) {
            // An acquire of its own that never ended may have put it there.
            if waiting.others.iter().all(|(_, client)| !waiting.draft.clients.contains(client)) {
                waiting.tell(now, found);
            }
        }
    }
}

/// The acquires of a lock that are in flight, and whose they are.
fn in_flight(now: &Instant<'_>, lock: Name) -> Vec<(OpId, Name)> {
    let acquires = now.leases.pending().filter(|op| op.kind == OpKind::Acquire && op.target == lock);
    acquires.map(|op| (op.id, op.client)).collect()
}

impl Waiting {
    fn tell(&self, now: &Instant<'_>, found: &mut Found) {
        let attempt = now.leases.attempts().with_token(self.lock, &self.token);
        if attempt.is_some_and(|attempt| attempt.id == self.refused && attempt.fate == Fate::Refused) {
            found.add(Kind::Phantom, self.lock, || self.draft.clone());
        }
    }
}

fn draft(now: &Instant<'_>, lock: Name, token: &str, attempt: &Attempt) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[attempt.since, now.at]);
    let client = now.name(attempt.client);
    let sentence = format!(
        "{client} was refused {} at {}; at {} the store still said that {client}'s own attempt (token {token}) holds it",
        now.name(lock),
        seconds.at(attempt.since),
        seconds.at(now.at)
    );
    Draft {
        clients: vec![attempt.client],
        events: vec![attempt.id],
        since: now.zero,
        ..Draft::new(Kind::Phantom, lock, now.at, sentence)
    }
}
