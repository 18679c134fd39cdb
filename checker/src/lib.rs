//! Judges histories of distributed locks: who held a lock twice, which stale write got through, and why.
//!
//! A *history* is what was seen from outside: invocations and completions of operations, faults that were injected,
//! and observations of the store. The checker knows no network, no clock and no async: it reads events and says what
//! they prove.
//!
//! * [`history`]: the events, their reader and their writer.
//! * [`finding`]: what the checker says.
//! * [`format`]: other people's histories, read as they are.
//! * [`engine`]: decides linearizability for any [`model`], and cuts a violation down to what proves it.
//! * [`register`]: decides registers whose written values are all distinct, in O(n log n).
#![warn(missing_docs)]

pub mod engine;
pub mod finding;
pub mod format;
pub mod history;
pub mod model;
pub mod register;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Nanoseconds on one monotonic clock of one machine (`CLOCK_MONOTONIC`, or a simulation's virtual clock).
pub type Nanos = u64;
