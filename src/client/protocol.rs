//! What a client is asked and what it answers: in a real world one JSON object a line over stdin and stdout.
//!
//! | the runner says | the client says |
//! |---|---|
//! | | `{"ready":"c1"}`, once, or `{"impossible":"the server has no DELEX"}` |
//! | `{"id":7,"do":"acquire","lock":"order:42","ttl_ms":500}` | `{"id":7,"ok":true,"token":"33","valid_for_ms":489}` |
//! | `{"id":8,"do":"release","lock":"order:42","token":"33"}` | `{"id":8,"ok":false,"why":"expired"}` or `{"id":8,"unknown":"timeout"}` |
//! | `{"id":9,"do":"await","lock":"order:42","for_ms":500}` | `{"id":9,"ok":true}` once it may be worth another try; only where the plan's lock `waits` |
//! | | an error kept the lock from answering, and nothing was done: `{"id":7,"ok":false,"error":"connection refused"}` |
//! | `{"id":9,"do":"clock","jump_ms":10000}` | `{"id":9,"ok":true,"wall_ms":1700000010000}` |
//! | `{"id":9,"do":"clock","jump_ms":0}` | what its clock shows; a client that does not know the request may answer `{"id":9,"ok":false}` |
//! | | at any time `{"lost":"order:42"}`: it was told that it holds this lock no more |
//! | | at any time `{"extending":1,"lock":"order:42","ttl_ms":500}`: its library renews a lease by itself, before it asks the store |
//! | | `{"extended":1,"ok":true,"valid_until":…}`, `{"extended":1,"ok":false}` or `{"extended":1,"unknown":"timeout"}`: how that ended |
//!
//! Renewals are numbered by the client. Of one that worked it may say until when it holds, on CLOCK_MONOTONIC; else the TTL counts from when the
//! runner heard of its begin.
//!
//! Wall clocks are bent by a preloaded library. A client that it reaches is asked for a jump of 0, before and after, to say what its clock shows; one
//! that it does not reach (a Go program, a static binary) is asked to shift its clock by itself.
//!
//! [`request`] is the left column, [`said`] the right one.

use checker::Nanos;
use checker::history::Value;
use serde::{Deserialize, Serialize};

pub mod request;
pub mod said;
mod token;

pub use request::Request;
pub use said::Said;

/// One thing that a client is asked to do.
#[derive(Debug, Clone, PartialEq)]
pub struct Ask {
    /// Repeated in the answer.
    pub id: u64,
    /// What to do.
    pub what: Do,
}

/// What a client can be asked to do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Do {
    /// Try once to take a lock.
    Acquire {
        /// Which lock.
        lock: String,
        /// For how long, in milliseconds.
        ttl_ms: u64,
    },
    /// Lengthen a grant's lease.
    Extend {
        /// Which lock.
        lock: String,
        /// The grant's token.
        #[serde(deserialize_with = "token::required")]
        token: String,
        /// For how long from now, in milliseconds.
        ttl_ms: u64,
    },
    /// Give a grant back.
    Release {
        /// Which lock.
        lock: String,
        /// The grant's token.
        #[serde(deserialize_with = "token::required")]
        token: String,
    },
    /// Ask the lock whether a grant still holds.
    Check {
        /// Which lock.
        lock: String,
        /// The grant's token.
        #[serde(deserialize_with = "token::required")]
        token: String,
    },
    /// Wait until another try to take a lock may be worth it: until its release is heard, or the key is gone or may have expired.
    Await {
        /// Which lock.
        lock: String,
        /// For how long at most, in milliseconds.
        for_ms: u64,
    },
    /// Read a resource.
    Read {
        /// Which resource.
        resource: String,
    },
    /// Write a resource.
    Write {
        /// Which resource.
        resource: String,
        /// What to write.
        value: i64,
        /// The fencing token to show, where the lock gave one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        fence: Option<u64>,
    },
}

/// What a client says without being asked.
#[derive(Debug, Clone, PartialEq)]
pub enum Unasked {
    /// It was told that it no longer holds this lock.
    Lost(String),
    /// Its library is about to renew a lease by itself.
    Extending {
        /// Names the renewal among those of this client.
        number: u64,
        /// Which lock.
        lock: String,
        /// For how long from now, in milliseconds.
        ttl_ms: u64,
    },
    /// That ended so.
    Extended {
        /// Which renewal.
        number: u64,
        /// How.
        answer: Answer,
    },
}

/// How a client answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// It took effect.
    Ok(Told),
    /// It certainly had no effect: refused, not the owner, fenced off, never sent.
    No(Told),
    /// Nobody knows.
    Unknown(Told),
    /// The client is dead and never answered.
    Gone,
}

/// What an answer says beside yes, no and unknown.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Told {
    /// Of an acquire: what identifies the attempt in the store, granted or not.
    pub token: Option<String>,
    /// Of a granted acquire: its fencing token.
    pub fence: Option<u64>,
    /// Of a grant or an extension: the validity left, in milliseconds, counted from when it was asked.
    pub valid_for_ms: Option<i64>,
    /// Of a grant or an extension: the deadline by the client's own reckoning, on CLOCK_MONOTONIC.
    pub valid_until: Option<Nanos>,
    /// When the client had its answer, by its own CLOCK_MONOTONIC.
    pub told_at: Option<Nanos>,
    /// Of a read: the value. Of a check: whether it is held.
    pub value: Option<Value>,
    /// Of a refused write: the fencing token that outranked it.
    pub fenced_by: Option<u64>,
    /// Why not, or why unknown, in words.
    pub why: Option<String>,
    /// Of a no that was no refusal: the error, in words.
    pub error: Option<String>,
}
