//! Judges histories of distributed locks: who held a lock twice, which stale write got through, and why.
//!
//! A *history* is what was seen from outside: invocations and completions of operations, faults that were injected,
//! and observations of the store. The checker knows no network, no clock and no async: it reads events and says what
//! they prove.
//!
//! * [`history`]: the events, their reader and their writer.
//! * [`finding`]: what the checker says.
#![warn(missing_docs)]

pub mod finding;
pub mod history;

/// Nanoseconds on one monotonic clock of one machine (`CLOCK_MONOTONIC`, or a simulation's virtual clock).
pub type Nanos = u64;
