//! One grant and its certain lease.

use super::extending::Extending;
use crate::Nanos;
use crate::history::OpId;
use crate::judge::fact::Completed;
use crate::judge::names::Name;
use std::sync::Arc;

/// The end of a lease that nothing ends but a release, a loss or the death of its client.
pub const NEVER: Nanos = Nanos::MAX;

/// A grant: an acquire that was answered `ok`.
#[derive(Debug, Clone)]
pub struct Grant {
    /// The id of its acquire.
    pub id: OpId,
    /// Whose.
    pub client: Name,
    /// Of which lock.
    pub lock: Name,
    /// What identifies it in the store.
    pub token: Option<Arc<str>>,
    /// Its fencing token.
    pub fence: Option<u64>,
    /// When its acquire was invoked.
    pub invoked: Nanos,
    /// When its acquire completed.
    pub granted: Nanos,
    /// The holding that it is part of, by the acquire that began it: its own, unless the lock is reentrant and its client may
    /// have held it already.
    pub tenure: OpId,
    /// The start of its certain lease: of the latest stretch, where an extension came after the lease's end.
    pub start: Nanos,
    /// The end of its certain lease as far as is known now, or [`NEVER`]; not after `start` where there is none.
    pub end: Nanos,
    /// Whether its lease is over for good: its client has begun to release it, is gone, or was granted the lock anew when it
    /// was over.
    pub closed: bool,
    /// Whether a release of it was answered `ok`.
    pub(super) given_back: bool,
    /// Its extensions.
    pub(super) extending: Extending,
}

impl Grant {
    /// Whether the certain lease contains the instant.
    pub fn holds_at(&self, at: Nanos) -> bool {
        self.start <= at && at < self.end
    }

    /// Whether the certain lease contains the whole closed interval.
    pub fn holds_throughout(&self, from: Nanos, until: Nanos) -> bool {
        self.start <= from && until <= self.end && self.start < self.end
    }

    /// Whether an extension of it may have taken effect since then, or may yet.
    pub fn may_be_extended_since(&self, since: Nanos) -> bool {
        self.extending.since(since)
    }

    /// Ends the lease at this instant unless it has ended before.
    pub(super) fn cut(&mut self, at: Nanos) {
        self.end = self.end.min(at);
    }
}

/// What an `ok` of an acquire or an extension says about the time after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Promise {
    /// The lock is the client's until then.
    Until(Nanos),
    /// Nothing: its end was over when it was told, and the client could see it.
    Spent(Nanos),
    /// The end was over when it was told, and nobody had looked at the clock: the `ok` itself is a claim to hold, made at
    /// some time between the first instant and the completion. The second is the end.
    Claim(Nanos, Nanos),
}

/// What a completion promises.
///
/// The end is the deadline that the client announced; else the validity that the library reported, counted from the
/// invocation; else the TTL, counted from the invocation; and never where the lock renews it or has no TTL.
///
/// `told_at` matters only where that end is not after the completion: a client that was told before it and slept
/// afterwards was promised something true.
pub fn promise(done: &Completed, ttl_ms: Option<u64>, renewed: bool) -> Promise {
    if renewed {
        return Promise::Until(NEVER);
    }
    let from_invocation = |ms: u64| done.op.at.saturating_add(ms.saturating_mul(1_000_000));
    let told = done.told_at.map(|told| told.min(done.at));
    if let Some(until) = done.valid_until {
        return match told {
            _ if until > done.at => Promise::Until(until),
            Some(told) if until <= told => Promise::Claim(told, until),
            _ => Promise::Spent(until),
        };
    }
    if let Some(valid) = done.valid_for_ms {
        let end = from_invocation(valid.max(0) as u64);
        return match valid {
            _ if end > done.at => Promise::Until(end),
            1.. => Promise::Spent(end),
            _ => Promise::Claim(told.unwrap_or(done.at), end),
        };
    }
    let end = ttl_ms.map_or(NEVER, from_invocation);
    match told {
        _ if end > done.at => Promise::Until(end),
        Some(told) if told < end => Promise::Spent(end),
        told => Promise::Claim(told.unwrap_or(done.at), end),
    }
}
