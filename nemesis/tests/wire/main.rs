//! The wire before a real redis-server.

mod bench;
mod bytes;
mod ends;
mod severed;
mod verdicts;
