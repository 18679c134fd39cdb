//! Other people's histories, read as they are; the format is recognised from the content.
//!
//! * event JSONL: a run of ours, for the reader of [`crate::history`];
//! * [`operations`] JSONL: one finished operation a line, which anybody can print from their own logs;
//! * [`edn_history`]: Jepsen's and Knossos's EDN, which [`write_edn()`] writes too;
//! * [`console`]: Jepsen's console log.
//!
//! Any of them may be compressed with gzip or Zstandard.

mod briefs;
mod bytes;
pub mod console;
mod edn;
pub mod edn_history;
mod error;
mod excerpt;
mod first;
mod grants;
mod initial;
mod jepsen;
pub mod json;
mod locks;
mod mistake;
mod naming;
pub mod operations;
mod recognise;
mod record;
mod reorder;
mod write_edn;

pub use bytes::Input;
pub use error::{BadLines, ReadError};
pub use excerpt::Excerpt;
pub use locks::{Briefs, Events, Locks};
pub use mistake::Mistake;
pub use recognise::{Content, Objects, open, read};
pub use record::{Action, Answer, Record};
pub use write_edn::write_edn;
