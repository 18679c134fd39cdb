//! Fencepost's own format: one JSON object a line, the [`Header`](super::Header) first.
//!
//! A line is flat: `{"at":100,"type":"invoke","client":"c1","id":1,"op":"acquire","lock":"order:42","ttl_ms":500}`.
//! What is absent is none, and so is a `null`; but in `value` and `base` a `null` is [`Value::Nil`](super::Value::Nil), and
//! where a name must stand (`type`, `op`, `moment`, `phase`) it is a mistake.
//! A file ends wherever its run was killed: a torn last line is reported and skipped, and is no error.

mod error;
mod line;
mod names;
mod reader;
mod writer;

#[cfg(test)]
mod tests;

pub use error::{Problem, ReadError};
pub use reader::{MAX_LINE, Reader, Torn, line_by_serde};
pub use writer::Writer;
