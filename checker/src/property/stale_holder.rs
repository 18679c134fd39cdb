//! `stale-holder`: a client acted under a grant that was over, while another held the lock.
//!
//! **Definition.** A client invokes a read or a write of a resource, or an extension that is not refused, under a grant whose
//! [certain lease](crate::lease) ended before that instant, at which certain leases of other clients run, as many as the
//! lock allows. A refused extension is how a client finds out that it lost the lock, and no act. Of each grant the first act
//! is told.
//!
//! **Source.** Kleppmann, *How to do distributed locking* (2016): the client that is paused by its garbage collector and
//! wakes as if no time had passed. The lock kept its promise, the client could not.
//!
//! **Why exact.** Everything that is compared is known at the invocation: leases end only by events stamped no later than
//! their end, or by a promise that was made before. Leases are looked at where they begin included: the other's grant took
//! effect before its completion. An end at the very instant of the act says nothing, and is not told.

use super::Property;
use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Fact, Facts, Instant, OpKind, Operation, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use crate::lease::Grant;
use rustc_hash::FxHashMap;

/// The property.
#[derive(Debug, Default)]
pub struct StaleHolder {
    /// Extensions that are acts if they are not refused.
    extending: FxHashMap<OpId, (OpId, Draft)>,
    told: Recent<OpId, ()>,
}

impl Property for StaleHolder {
    fn wants(&self) -> Facts {
        facts::invoked(OpKind::Read)
            | facts::invoked(OpKind::Write)
            | facts::invoked(OpKind::Extend)
            | if self.extending.is_empty() { 0 } else { facts::done(OpKind::Extend) }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for fact in now.facts {
            match fact {
                Fact::Invoked(op) => {
                    if let Some((grant, draft)) = stale(now, op) {
                        if op.kind == OpKind::Extend {
                            self.extending.insert(op.id, (grant, draft));
                        } else {
                            self.tell(grant, draft, found);
                        }
                    }
                }
                Fact::Done(done) => {
                    if let Some((grant, draft)) = self.extending.remove(&done.op.id)
                        && done.outcome != Outcome::Fail
                    {
                        self.tell(grant, draft, found);
                    }
                }
                _ => {}
            }
        }
    }
}

impl StaleHolder {
    fn tell(&mut self, grant: OpId, draft: Draft, found: &mut Found) {
        if self.told.get(&grant).is_none() {
            self.told.insert(grant, ());
            found.add(draft.kind, draft.lock, || draft);
        }
    }
}

/// The grant under which the operation is stale, and the finding.
fn stale(now: &Instant<'_>, op: &Operation) -> Option<(OpId, Draft)> {
    if !matches!(op.kind, OpKind::Read | OpKind::Write | OpKind::Extend) {
        return None;
    }
    let grant = now.leases.grant(op.grant?).filter(|grant| grant.client == op.client && grant.end < op.at)?;
    let others = super::overlap::others(now, grant);
    // The holder that came last is the one that a person looks for.
    let other = *others.last()?;
    (others.len() >= now.terms(grant.lock).limit as usize).then(|| (grant.id, draft(now, op, grant, other)))
}

fn draft(now: &Instant<'_>, op: &Operation, grant: &Grant, other: &Grant) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[grant.end, other.start, op.at]);
    let (one, two, lock) = (now.name(grant.client), now.name(other.client), now.name(grant.lock));
    let act = match op.kind {
        OpKind::Extend => "extended it".to_string(),
        OpKind::Read => format!("read {}", now.name(op.target)),
        _ => format!("wrote {}", now.name(op.target)),
    };
    let sentence = format!(
        "{one}'s time on {lock} was over at {}, and {two} was granted it at {}; {one} still {act} at {}",
        seconds.at(grant.end),
        seconds.at(other.start),
        seconds.at(op.at)
    );
    Draft {
        clients: vec![grant.client, other.client],
        events: vec![grant.id, other.id, op.id],
        since: grant.invoked,
        ..Draft::new(Kind::StaleHolder, grant.lock, op.at, sentence)
    }
}
