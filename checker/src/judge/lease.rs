//! The certain lease of a grant: the time in which its holder certainly holds, by what it was promised.

use crate::Nanos;
use crate::history::{Completion, LockTerms};

/// The part of time in which a grant, or one extension of it, certainly holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lease {
    /// None: the validity that the library itself reported was over before the client was told, and the client can see that.
    Empty,
    /// The instant at which the client was told yes. The lock had looked at no clock, or admitted that nothing was left; the yes
    /// is a claim to hold then, and no more than then.
    Point(Nanos),
    /// From the completion until this time; until the release where there is none.
    Span {
        /// When the client was told.
        from: Nanos,
        /// When the promise ends.
        until: Option<Nanos>,
    },
}

/// The lease that an `ok` of an acquire or an extension gives. It begins at the completion, since only then is it certain. The
/// promise ends at the deadline that the client announced; else the validity that the library reported after the invocation; else the TTL after
/// the invocation; never where the library promises renewal or there is no TTL.
pub fn granted(invoked: Nanos, completed: Nanos, ttl_ms: Option<u64>, terms: &LockTerms, told: &Completion) -> Lease {
    let reported = match (told.valid_until, told.valid_for_ms) {
        (Some(until), _) => Some(until),
        (None, Some(ms)) => Some(invoked.saturating_add_signed(ms.saturating_mul(1_000_000))),
        (None, None) => None,
    };
    let until = match reported {
        Some(until) => Some(until),
        None if terms.renewed => None,
        None => ttl_ms.or(terms.ttl_ms).map(|ms| invoked.saturating_add(ms.saturating_mul(1_000_000))),
    };
    match until {
        Some(until) if until <= completed => {
            let told_in_time = told.told_at.is_some_and(|at| at < until);
            let admits_nothing = told.valid_for_ms.is_some_and(|ms| ms <= 0);
            let told_too_late = told.valid_until.is_some() && told.told_at.is_some() && !told_in_time;
            if told_in_time || (reported.is_some() && !admits_nothing && !told_too_late) {
                Lease::Empty
            } else {
                Lease::Point(completed)
            }
        }
        until => Lease::Span { from: completed, until },
    }
}
