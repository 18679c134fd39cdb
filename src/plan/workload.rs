//! What the clients do.

use nemesis::Trigger;
use serde::{Deserialize, Serialize};

/// The workload of a plan: `[workload]`. Each client takes a lock, reads and writes the resource under it, and releases it, again and again.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Workload {
    /// How many clients, named `c1`, `c2`, …
    pub clients: u32,
    /// How many locks, each with a resource of its own; a client draws one a cycle.
    pub locks: u32,
    /// How many times each client takes a lock.
    pub cycles: u32,
    /// How long a client holds the lock between reading and writing, in milliseconds.
    pub hold_ms: Millis,
    /// How long a client thinks between two cycles, in milliseconds.
    pub think_ms: Millis,
    /// How long a refused client waits before it tries again, in milliseconds.
    pub retry_ms: Millis,
    /// How many times a client takes the lock before it releases it as often; more than once needs a reentrant one.
    pub depth: u32,
    /// How often a client extends its lease while it holds, in milliseconds from one extension to the next; absent: it does not. One that is
    /// refused has lost the lock: it writes and releases nothing more under that grant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extend_every_ms: Option<u64>,
    /// How long a client tries for one grant before it gives up the cycle, in milliseconds; absent: as long as the run lasts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    /// Whether a client asks the lock if it still holds before it writes.
    pub check: bool,
    /// Whether the run proves something only if a client really had to wait for the lock.
    pub contention: bool,
}

impl Default for Workload {
    fn default() -> Self {
        Workload {
            clients: 2,
            locks: 1,
            cycles: 1,
            hold_ms: Millis(0, 0),
            think_ms: Millis(0, 0),
            retry_ms: Millis(5, 15),
            depth: 1,
            extend_every_ms: None,
            patience_ms: None,
            check: false,
            contention: true,
        }
    }
}

/// A range of milliseconds, both ends included, from which a time is drawn: `[5, 15]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Millis(pub u64, pub u64);

/// What one client does differently: `[[client]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Which client.
    pub name: String,
    /// It does nothing until then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub starts: Option<Trigger>,
    /// It keeps its first grant until then, however long its hold time is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub releases: Option<Trigger>,
    /// After the hold time of its first grant, and before it writes, it waits for this and extends its lease.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extends: Option<Trigger>,
    /// After the hold time of its first grant it waits for this before it writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub writes: Option<Trigger>,
    /// How long it tries for one grant before it gives up the cycle, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub patience_ms: Option<u64>,
    /// How often it extends its lease while it holds, in milliseconds from one extension to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extend_every_ms: Option<u64>,
    /// How many times it takes a lock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles: Option<u32>,
    /// How long it holds the lock between reading and writing, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold_ms: Option<Millis>,
}
