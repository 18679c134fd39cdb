//! The Redis that a lock lives on.

use serde::{Deserialize, Serialize};

/// The nodes of a plan: `topology = { kind = "single", persistence = "aof-always" }`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    /// How the nodes hang together.
    #[serde(default)]
    pub kind: TopologyKind,
    /// What each of them writes to its disk.
    #[serde(default)]
    pub persistence: Persistence,
}

/// How the nodes of a topology hang together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TopologyKind {
    /// One node, `n1`.
    #[default]
    Single,
}

impl Topology {
    /// The names of the nodes that the lock uses, in order.
    pub fn nodes(&self) -> Vec<String> {
        match self.kind {
            TopologyKind::Single => vec!["n1".into()],
        }
    }
}

/// What a node writes to its disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Persistence {
    /// Nothing (`save ""`).
    #[default]
    None,
    /// The append-only file, synced every second. A kill loses nothing, a power loss up to a second.
    AofEverysec,
    /// The append-only file, synced before every reply.
    AofAlways,
}
