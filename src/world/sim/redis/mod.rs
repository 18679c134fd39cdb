//! A simulated Redis node: synchronous, deterministic, and answering as Redis 7.0.15 does, to the text of its errors.
//!
//! A [`Node`] holds the data, a [`Session`] what a server knows of one connection. Time is given with every command, so that a
//! node's wall clock can jump. Scripts run in a real Lua 5.1. `tests/conformance.rs` holds it against a real server.
//!
//! ```
//! use fencepost::world::sim::redis::{Node, NodeConfig};
//! let mut node = Node::new(NodeConfig::default());
//! let mut c1 = node.open().unwrap();
//! let granted = node.execute(&mut c1, &[b"SET", b"lock", b"c1", b"NX", b"PX", b"500"], 1_000).unwrap();
//! assert_eq!(granted, redis::Value::Okay);
//! let late = node.execute(&mut c1, &[b"GET", b"lock"], 1_501).unwrap();
//! assert_eq!(late, redis::Value::Nil);
//! ```
//!
//! What it has not: databases other than 0, RESP3, SUBSCRIBE to patterns or to several channels at once, lists and streams, BYLEX ranges, and in scripts `cjson`, `cmsgpack`,
//! `struct` and `bit`. The elements of a large hash or of a set of words come in an order of its own.

mod args;
mod channels;
mod cluster;
mod command;
mod journal;
mod keyspace;
mod node;
mod number;
mod pattern;
mod replication;
mod reply;
mod script;
mod server;
mod session;
mod sorted_set;
mod value;
mod watch;

pub use cluster::{ClusterState, ClusterView, Shard};
pub use node::{Disconnected, Node, NodeConfig, Seen};
pub use replication::{Address, Effects, LinkState, Role};
pub use server::Imitates;
pub use session::{Blocked, Session};
