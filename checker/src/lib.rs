//! Judges histories of distributed locks: who held a lock twice, which stale write got through, and why.
//!
//! A *history* is what was seen from outside: invocations and completions of operations, faults that were injected,
//! and observations of the store. The checker knows no network, no clock and no async: it reads events and says what
//! they prove.
//!
//! * [`history`]: the events, their reader and their writer.
//! * [`mod@format`]: other people's histories, read as they are.
//! * [`judge`]: reads events one by one and says what they prove.
//! * [`lease`]: the certain leases, from which most properties follow.
//! * [`property`]: what can be wrong, one property a file.
//! * [`cause`]: to which fault a finding is traced.
//! * [`assumption`]: what a run needed for its green verdict to mean something.
//! * [`engine`]: decides linearizability for any [`model`], and cuts a violation down to what proves it.
//! * [`register`]: decides registers whose written values are all distinct, in O(n log n).
//! * [`finding`]: what the checker says.
//! * [`ahead`]: reads a history while what was read is judged.
//! * [`suggest`]: what a misspelt name was probably meant to be.
#![warn(missing_docs)]

pub mod ahead;
pub mod assumption;
pub mod cause;
pub mod engine;
pub mod finding;
mod flat;
pub mod format;
pub mod history;
pub mod judge;
pub mod lease;
pub mod model;
pub mod property;
pub mod register;
pub mod suggest;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Nanoseconds on one monotonic clock of one machine (`CLOCK_MONOTONIC`, or a simulation's virtual clock).
pub type Nanos = u64;
