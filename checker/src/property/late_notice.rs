//! `late-notice`: a holder was told too late, or never, that it had lost the lock.
//!
//! **Definition.** Of a mutex, either
//! * a client is told that it lost its grant (it is sent word, or, where the lock promises to renew the lease, an extension, a
//!   check or the release is refused) after another client's [certain lease](crate::lease) began within the grant's own: the
//!   lock let another in first; or
//! * a client is told that it holds on (an extension is granted, a check says yes), in an operation that it invoked after
//!   another client's certain lease had begun, which began after the grant's own was over: the lock was another's in between,
//!   and nobody says so.
//!
//! A lock that neither renews nor sends word promises to tell nothing, and a client that is refused after its own validity is
//! over is told nothing that it could not know: that is no late notice.
//!
//! **Source.** redis-semaphore 175 (a refresh quietly re-acquires), RedLock.net 48 (the extension sets the key when it is
//! missing), python-redis-lock 85 (one connection error ends the renewal, the holder is never told), curator 727.
//!
//! **Why exact.** Where the leases overlap, the other's grant had taken effect while the lock still promised itself to this
//! client, so any word after it is late. Where they do not, the other held the lock certainly after this grant's promise was
//! over, so that it cannot be the same holding that goes on.

use super::Property;
use crate::finding::Kind;
use crate::history::OpId;
use crate::judge::fact::{Fact, Facts, Instant, OpKind, Word, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use crate::lease::Grant;

/// The property.
#[derive(Debug, Default)]
pub struct LateNotice {
    /// The first other grant whose lease began within this one's.
    overlapped: Recent<OpId, Began>,
    /// The first other grant whose lease began after this one's was over.
    followed: Recent<OpId, Began>,
}

#[derive(Debug, Clone, Copy)]
struct Began {
    other: OpId,
    at: u64,
}

impl Property for LateNotice {
    fn wants(&self) -> Facts {
        facts::LEASED | facts::TOLD | facts::done(OpKind::Extend) | facts::done(OpKind::Check)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for fact in now.facts {
            match fact {
                Fact::Told(id, word) => {
                    if let (Some(grant), Some(began)) = (now.leases.grant(*id), self.overlapped.remove(id))
                        && began.at < now.at
                        && (*word == Word::Sent || now.terms(grant.lock).renewed)
                    {
                        found.add(Kind::LateNotice, grant.lock, || late(now, grant, began));
                    }
                }
                Fact::Done(done) if done.affirms_holding() => {
                    let Some(grant) = done.op.grant.and_then(|id| now.leases.grant(id)) else { continue };
                    if grant.client == done.op.client
                        && self.followed.get(&grant.id).is_some_and(|began| began.at <= done.op.at)
                        && let Some(began) = self.followed.remove(&grant.id)
                    {
                        found.add(Kind::LateNotice, grant.lock, || never(now, grant, began, done.op.id));
                    }
                }
                _ => {}
            }
        }
        for fact in now.facts {
            if let Fact::Leased(id) = fact
                && let Some(other) = now.leases.grant(*id)
                && now.terms(other.lock).limit == 1
                && other.holds_at(now.at)
            {
                self.began(now, other);
            }
        }
    }
}

impl LateNotice {
    fn began(&mut self, now: &Instant<'_>, other: &Grant) {
        let began = Began { other: other.id, at: now.at };
        for grant in now.leases.open(other.lock).filter(|grant| grant.client != other.client) {
            if grant.holds_at(now.at) {
                self.overlapped.insert_first(grant.id, began);
            } else if grant.granted <= now.at {
                self.followed.insert_first(grant.id, began);
            }
        }
    }
}

fn late(now: &Instant<'_>, grant: &Grant, began: Began) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[grant.start, began.at, now.at]);
    let (one, two) = names(now, grant, began);
    let sentence = format!(
        "{one} held {} from {}; {two} was granted it at {}, and {one} was told that it had lost it at {}",
        now.name(grant.lock),
        seconds.at(grant.start),
        seconds.at(began.at),
        seconds.at(now.at)
    );
    draft(now, grant, began, None, sentence)
}

fn never(now: &Instant<'_>, grant: &Grant, began: Began, told: OpId) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[grant.granted, began.at, now.at]);
    let (one, two) = names(now, grant, began);
    let sentence = format!(
        "{one} was granted {} at {} and {two} after it, at {}; yet at {} {one} was told that it holds it still",
        now.name(grant.lock),
        seconds.at(grant.granted),
        seconds.at(began.at),
        seconds.at(now.at)
    );
    draft(now, grant, began, Some(told), sentence)
}

fn names<'a>(now: &Instant<'a>, grant: &Grant, began: Began) -> (&'a str, &'a str) {
    let other = now.leases.grant(began.other).map_or("another", |other| now.name(other.client));
    (now.name(grant.client), other)
}

fn draft(now: &Instant<'_>, grant: &Grant, began: Began, told: Option<OpId>, sentence: String) -> Draft {
    let other = now.leases.grant(began.other).map(|other| other.client);
    Draft {
        clients: [Some(grant.client), other].into_iter().flatten().collect(),
        events: [Some(grant.id), Some(began.other), told].into_iter().flatten().collect(),
        since: grant.invoked,
        from: began.at,
        until: now.at,
        ..Draft::new(Kind::LateNotice, grant.lock, now.at, sentence)
    }
}
