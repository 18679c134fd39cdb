//! The Redis that a lock lives on.

use serde::{Deserialize, Serialize};

/// The nodes of a plan: `topology = { kind = "independent", nodes = 5, persistence = "aof-always" }`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topology {
    /// How the nodes hang together.
    #[serde(default)]
    pub kind: TopologyKind,
    /// How many nodes there are, where that can be chosen; absent: [`Topology::USUAL_NODES`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
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
    /// Masters that know nothing of each other, `n1`, `n2`, …: what Redlock asks for.
    Independent,
}

impl Topology {
    /// The most independent nodes that a plan can have.
    pub const MOST_NODES: u32 = 16;
    /// How many independent nodes there are where a plan does not say: Redlock's own example.
    pub const USUAL_NODES: u32 = 5;

    /// The names of the nodes that the lock uses, in order.
    pub fn nodes(&self) -> Vec<String> {
        let count = match self.kind {
            TopologyKind::Single => 1,
            TopologyKind::Independent => self.nodes.unwrap_or(Self::USUAL_NODES).min(Self::MOST_NODES),
        };
        (1..=count).map(|n| format!("n{n}")).collect()
    }
}

/// What a node writes to its disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Persistence {
    /// Nothing (`save ""`).
    #[default]
    None,
    /// The append-only file, synced every second. A loss of power takes up to a second of writes; a kill takes nothing, unless a slow disk
    /// keeps a sync under way: then Redis answers before it has written.
    AofEverysec,
    /// The append-only file, synced before every reply.
    AofAlways,
}
