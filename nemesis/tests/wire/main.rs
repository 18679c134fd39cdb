//! The wire before a real redis-server.

mod bench;
mod bytes;
mod ends;
mod gates;
mod severed;
mod verdicts;
