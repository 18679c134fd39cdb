//! The Redis that a lock lives on.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

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
    /// How many replicas the master has; absent: [`Topology::USUAL_REPLICAS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// How many sentinels watch the master; absent: [`Topology::USUAL_SENTINELS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sentinels: Option<u32>,
    /// How many replicas must have acknowledged anything within the last second for a node to take a write (`min-replicas-to-write`, with
    /// `min-replicas-max-lag 1`); absent: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_replicas_to_write: Option<u32>,
    /// What each of them writes to its disk.
    #[serde(default)]
    pub persistence: Persistence,
    /// The image whose Redis server each of them is, in the docker world; absent: one that is made from this machine's own server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<String>,
    /// The image of some of them, by name: `{ n1 = "redis:6" }`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub images: BTreeMap<String, String>,
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
    /// A master, at first `n1`, and its replicas `n2`, `n3`, …. Clients know one address, which means whoever is the master, as far as they were
    /// told.
    Replicas,
    /// A master and its replicas, watched by sentinels `s1`, `s2`, …, which promote a replica by themselves where a majority of them misses the
    /// master. Clients ask them who it is.
    Sentinel,
}

impl Topology {
    /// The most independent nodes that a plan can have.
    pub const MOST_NODES: u32 = 16;
    /// How many independent nodes there are where a plan does not say: Redlock's own example.
    pub const USUAL_NODES: u32 = 5;

    /// The most replicas that a plan can have.
    pub const MOST_REPLICAS: u32 = 8;
    /// How many replicas there are where a plan does not say.
    pub const USUAL_REPLICAS: u32 = 2;

    /// The most sentinels that a plan can have.
    pub const MOST_SENTINELS: u32 = 7;
    /// How many sentinels there are where a plan does not say.
    pub const USUAL_SENTINELS: u32 = 3;

    /// The name of the node that is the master at first.
    pub const FIRST_MASTER: &str = "n1";

    /// The names of all nodes, in order.
    pub fn nodes(&self) -> Vec<String> {
        let count = match self.kind {
            TopologyKind::Single => 1,
            TopologyKind::Independent => self.nodes.unwrap_or(Self::USUAL_NODES).min(Self::MOST_NODES),
            TopologyKind::Replicas | TopologyKind::Sentinel => 1 + self.replica_count(),
        };
        (1..=count).map(|n| format!("n{n}")).collect()
    }

    /// The names of the sentinels, in order.
    pub fn sentinels(&self) -> Vec<String> {
        let count = match self.kind {
            TopologyKind::Sentinel => self.sentinels.unwrap_or(Self::USUAL_SENTINELS).min(Self::MOST_SENTINELS),
            TopologyKind::Single | TopologyKind::Independent | TopologyKind::Replicas => 0,
        };
        (1..=count).map(|n| format!("s{n}")).collect()
    }

    /// Whether any node is to be of an image that the plan names.
    pub fn names_images(&self) -> bool {
        self.image.is_some() || !self.images.is_empty()
    }

    /// How many replicas the master has.
    pub fn replica_count(&self) -> u32 {
        match self.kind {
            TopologyKind::Replicas | TopologyKind::Sentinel => {
                self.replicas.unwrap_or(Self::USUAL_REPLICAS).min(Self::MOST_REPLICAS)
            }
            TopologyKind::Single | TopologyKind::Independent => 0,
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
    /// The append-only file, synced every second. A loss of power takes up to a second of writes; a kill takes nothing, unless a slow disk
    /// keeps a sync under way: then Redis answers before it has written.
    AofEverysec,
    /// The append-only file, synced before every reply.
    AofAlways,
}
