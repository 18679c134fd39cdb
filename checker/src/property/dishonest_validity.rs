//! `dishonest-validity`: the library promised a validity that it did not have.
//!
//! **Definition.** A granted acquire or extension reports a validity of zero or less; or a deadline that had passed when its
//! client, by its own stamp, was told; or a validity longer than the TTL; or a deadline later than the TTL allows even if it
//! began to run only when the client was told.
//!
//! **Source.** node-redlock 5 (the grant is never checked against the validity: yes, with -312 ms left); Redlock's own rule
//! that the validity is the TTL less the time that the grant took, less the drift.
//!
//! **Why exact.** It is said in the answer itself. Without the client's own stamp a deadline that has passed proves nothing: the
//! client may have been told in time, and slept.

use super::Property;
use crate::finding::Kind;
use crate::history::Outcome;
use crate::judge::fact::{Completed, Facts, Instant, OpKind, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::seconds::Seconds;

/// The property.
#[derive(Debug, Default)]
pub struct DishonestValidity;

impl Property for DishonestValidity {
    fn wants(&self) -> Facts {
        facts::done(OpKind::Acquire) | facts::done(OpKind::Extend)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for done in now.done() {
            if done.outcome == Outcome::Ok
                && matches!(done.op.kind, OpKind::Acquire | OpKind::Extend)
                && let Some(lie) = lie(now, done)
            {
                found.add(Kind::DishonestValidity, done.op.target, || draft(now, done, &lie));
            }
        }
    }
}

/// What is untrue in the answer.
fn lie(now: &Instant<'_>, done: &Completed) -> Option<String> {
    let ttl_ms = done.op.ttl_ms.or(now.terms(done.op.target).ttl_ms);
    let seconds = |times: &[u64]| Seconds::telling_apart(now.zero, times);
    if let Some(valid) = done.valid_for_ms {
        match ttl_ms {
            _ if valid <= 0 => return Some(format!("with {valid} ms left")),
            Some(ttl_ms) if valid.unsigned_abs() > ttl_ms => return Some(format!("for {valid} ms, of a TTL of {ttl_ms} ms")),
            _ => {}
        }
    }
    let until = done.valid_until?;
    if let Some(told) = done.told_at.filter(|told| until <= *told) {
        return Some(format!(
            "until {}, when it was {} already",
            seconds(&[until, told]).at(until),
            seconds(&[until, told]).at(told)
        ));
    }
    let ttl_ms = ttl_ms?;
    let latest = done.at.saturating_add(ttl_ms.saturating_mul(1_000_000));
    (until > latest).then(|| format!("until {}, longer than its TTL of {ttl_ms} ms allows", seconds(&[until, latest]).at(until)))
}

fn draft(now: &Instant<'_>, done: &Completed, lie: &str) -> Draft {
    let what = if done.op.kind == OpKind::Acquire { "was granted" } else { "was granted an extension of" };
    let sentence = format!(
        "{} {what} {} at {} {lie}",
        now.name(done.op.client),
        now.name(done.op.target),
        Seconds::telling_apart(now.zero, &[]).at(done.at)
    );
    Draft {
        clients: vec![done.op.client],
        events: vec![done.op.id],
        since: done.op.at,
        flights: vec![(done.op.client, done.op.at, done.at)],
        ..Draft::new(Kind::DishonestValidity, done.op.target, done.at, sentence)
    }
}
