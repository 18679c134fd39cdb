//! The first line of a history: what was run, on what, and what was promised.

use super::Value;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the event format that this crate writes and reads.
pub const VERSION: u32 = 1;

/// The first line of a history.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of the format: [`VERSION`].
    pub fencepost: u32,
    /// Name of the scenario or plan.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// `sim`, `process` or `docker`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub world: String,
    /// The seed of everything drawn at random.
    #[serde(default)]
    pub seed: u64,
    /// When the run began, RFC 3339; absent in simulation, where equal plans give equal bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started: Option<String>,
    /// Versions of everything that took part, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub versions: BTreeMap<String, String>,
    /// The whole plan, as TOML.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan: Option<String>,
    /// What each lock promises; a lock that is not named here is a mutex with the TTL of its acquires.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub locks: BTreeMap<String, LockTerms>,
    /// What each resource is.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub resources: BTreeMap<String, ResourceTerms>,
    /// Names of the nemesis's steps, each of which must be injected and verified, or the run proves nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<String>,
    /// Whether the run proves something only if somebody really had to wait for a lock.
    #[serde(default)]
    pub contention: bool,
}

/// What one lock promises.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockTerms {
    /// How many may hold it at once: 1 for a mutex.
    #[serde(default = "one")]
    pub limit: u32,
    /// Time to live of a grant in milliseconds; absent where a grant never expires.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
    /// Whether the same client may take it again while it holds it.
    #[serde(default)]
    pub reentrant: bool,
    /// Whether the library promises to renew the lease until the release.
    #[serde(default)]
    pub renewed: bool,
    /// Margin in milliseconds beyond the longest TTL within which a fresh client must get the lock.
    #[serde(default = "margin_ms")]
    pub margin_ms: u64,
}

fn one() -> u32 {
    1
}

fn margin_ms() -> u64 {
    1000
}

impl Default for LockTerms {
    fn default() -> Self {
        LockTerms { limit: 1, ttl_ms: None, reentrant: false, renewed: false, margin_ms: margin_ms() }
    }
}

/// What one resource is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResourceTerms {
    /// Register, counter or stock.
    pub kind: ResourceKind,
    /// Its value before the first write.
    #[serde(default)]
    pub initial: Value,
    /// Whether it refuses a write whose fencing token is lower than one it has taken.
    #[serde(default)]
    pub fenced: bool,
    /// The group of resources whose values together must neither grow nor shrink, if it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<String>,
}

/// The kinds of resource that a lock protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResourceKind {
    /// Holds the last value written.
    Register,
    /// Read, add one, write.
    Counter,
    /// Read, take some away, write; never below zero.
    Stock,
}
