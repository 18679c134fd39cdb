//! What the lock protects.

use serde::{Deserialize, Serialize};

/// The resource of a plan: `[resource]`. It has a store of its own, which no fault of the lock's Redis touches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceSpec {
    /// Where it is kept.
    pub kind: ResourceType,
    /// Whether it refuses a fencing token lower than the last one it took.
    #[serde(default)]
    pub fenced: bool,
    /// Whether clients add one to it instead of writing a value of their own.
    #[serde(default)]
    pub counter: bool,
}

/// Where a resource is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResourceType {
    /// P1: a register in a Redis of its own.
    Redis,
    /// P2: a row in SQLite.
    Sqlite,
}
