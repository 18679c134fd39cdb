//! `token-reuse`: one token was issued to two grants.
//!
//! **Definition.** Two grants of one lock have the same fencing token, and are not of one [tenure](crate::lease::Grant::tenure);
//! or two grants of different clients have the same token in the store, so that each can release the other's lock. A client may
//! use one token for all its own grants (Redisson's does), and its nested holds of a reentrant lock may share a fencing token:
//! a grant nests unless, when it was asked for, every acquire that its client had invoked before was refused, or given back by a
//! release that was answered `ok`.
//!
//! **Source.** A token counter in Redis itself is rolled back by a failover (`INCR` lost with the master); Redisson's
//! `RFencedLock.getToken()` reads the counter as it is now; the constant values of laravel 26213 and twenty 25661.
//!
//! **Why exact.** It is equality of what was reported. Of a reentrant lock's one client, between two tenures there was a time at
//! which the client certainly did not hold the lock, whatever became of operations of unknown outcome: the later grant is a new
//! holding, and must have a new token. That is decided when an acquire is invoked. Only the last [`REMEMBERED`](crate::judge::recent::REMEMBERED) tokens
//! are compared.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;

/// The property.
#[derive(Debug, Default)]
pub struct TokenReuse {
    fences: Recent<(Name, u64), Issued>,
}

#[derive(Debug, Clone, Copy)]
struct Issued {
    to: Name,
    grant: OpId,
    /// The holding that the grant is part of.
    tenure: OpId,
    at: Nanos,
}

impl Property for TokenReuse {
    fn wants(&self) -> Facts {
        facts::done(OpKind::Acquire)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for done in now.done().filter(|done| done.op.kind == OpKind::Acquire && done.outcome == Outcome::Ok) {
            let (lock, client) = (done.op.target, done.op.client);
            let tenure = now.leases.grant(done.op.id).map_or(done.op.id, |grant| grant.tenure);
            let issued = Issued { to: client, grant: done.op.id, tenure, at: done.at };
            if let Some(fence) = done.fence {
                let earlier = self.fences.get(&(lock, fence)).copied();
                if let Some(earlier) = earlier.filter(|earlier| earlier.tenure != tenure) {
                    found.add(Kind::TokenReuse, lock, || draft(now, done, earlier, &format!("fencing token {fence}")));
                }
                self.fences.insert((lock, fence), issued);
            }
            if let (Some(token), Some(earlier)) = (&done.token, done.reissued) {
                let earlier = Issued { to: earlier.client, grant: earlier.id, tenure: earlier.id, at: earlier.since };
                found.add(Kind::TokenReuse, lock, || draft(now, done, earlier, &format!("token {token}")));
            }
        }
    }
}

fn draft(now: &Instant<'_>, done: &Completed, earlier: Issued, what: &str) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[earlier.at, done.at]);
    let sentence = format!(
        "the {what} of {} was issued to {} at {} and again to {} at {}",
        now.name(done.op.target),
        now.name(earlier.to),
        seconds.at(earlier.at),
        now.name(done.op.client),
        seconds.at(done.at)
    );
    Draft {
        clients: vec![done.op.client, earlier.to],
        events: vec![done.op.id, earlier.grant],
        since: earlier.at,
        ..Draft::new(Kind::TokenReuse, done.op.target, done.at, sentence)
    }
}
