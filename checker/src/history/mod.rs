//! Histories of runs: what they are, and how they are written and read.

pub mod event;
pub mod header;
pub mod jsonl;
pub mod kind;
pub mod value;

pub use event::{Completion, Event, FaultEvent, KeySeen, Moment, Observation, Op, OpId, Outcome, Phase, What};
pub use header::{Header, LockTerms, ResourceKind, ResourceTerms, VERSION};
pub use kind::OpKind;
pub use value::Value;
