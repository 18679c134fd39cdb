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
    /// How many masters a cluster has; absent: [`Topology::USUAL_MASTERS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub masters: Option<u32>,
    /// How many replicas each master has; absent: [`Topology::USUAL_REPLICAS`], in a cluster one, and none where masters are independent.
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
    /// What some of them write to theirs, by name: `{ n1 = "aof-always" }`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub persistences: BTreeMap<String, Persistence>,
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
    /// Masters that know nothing of each other, `n1`, `n2`, …: what Redlock asks for. Each may have replicas, which come after the masters in
    /// the order of their masters, and is then found as in `replicas`.
    Independent,
    /// A master, at first `n1`, and its replicas `n2`, `n3`, …. Clients know one address, which means whoever is the master, as far as they were
    /// told.
    Replicas,
    /// A master and its replicas, watched by sentinels `s1`, `s2`, …, which promote a replica by themselves where a majority of them misses the
    /// master. Clients ask them who it is.
    Sentinel,
    /// Redis Cluster: masters `n1`, `n2`, `n3`, … with an equal share of the slots each, then their first replicas in the same order, then their
    /// second. It promotes replicas by itself; clients are redirected.
    Cluster,
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

    /// The fewest masters that a cluster can have: a majority of them must outlive one.
    pub const FEWEST_MASTERS: u32 = 3;
    /// The most masters that a cluster can have.
    pub const MOST_MASTERS: u32 = 5;
    /// How many masters a cluster has where a plan does not say.
    pub const USUAL_MASTERS: u32 = 3;

    /// The name of the node that is the master at first.
    pub const FIRST_MASTER: &str = "n1";

    /// How many masters there are at first.
    pub fn master_count(&self) -> u32 {
        match self.kind {
            TopologyKind::Single | TopologyKind::Replicas | TopologyKind::Sentinel => 1,
            TopologyKind::Independent => self.nodes.unwrap_or(Self::USUAL_NODES).min(Self::MOST_NODES),
            TopologyKind::Cluster => self.masters.unwrap_or(Self::USUAL_MASTERS).min(Self::MOST_MASTERS),
        }
    }

    /// How many replicas each master has.
    pub fn replica_count(&self) -> u32 {
        let usual = match self.kind {
            TopologyKind::Single => return 0,
            TopologyKind::Independent => 0,
            TopologyKind::Replicas | TopologyKind::Sentinel => Self::USUAL_REPLICAS,
            TopologyKind::Cluster => 1,
        };
        self.replicas.unwrap_or(usual).min(Self::MOST_REPLICAS)
    }

    /// The names of all nodes, in order: the masters, then their replicas.
    pub fn nodes(&self) -> Vec<String> {
        named("n", self.master_count() * (1 + self.replica_count()))
    }

    /// The names of those that are masters at first, in order.
    pub fn masters(&self) -> Vec<String> {
        named("n", self.master_count())
    }

    /// Each master with its replicas after it, as they are at first.
    pub fn shards(&self) -> Vec<Vec<String>> {
        let (masters, replicas) = (self.master_count(), self.replica_count());
        let shard = |master| (0..=replicas).map(|nth| format!("n{}", master + nth * masters)).collect();
        (1..=masters).map(shard).collect()
    }

    /// What a node writes to its disk.
    pub fn persistence_of(&self, node: &str) -> Persistence {
        self.persistences.get(node).copied().unwrap_or(self.persistence)
    }

    /// Whether any node is to be of an image that the plan names.
    pub fn names_images(&self) -> bool {
        self.image.is_some() || !self.images.is_empty()
    }

    /// The names of the sentinels, in order.
    pub fn sentinels(&self) -> Vec<String> {
        match self.kind {
            TopologyKind::Sentinel => named("s", self.sentinels.unwrap_or(Self::USUAL_SENTINELS).min(Self::MOST_SENTINELS)),
            _ => vec![],
        }
    }
}

fn named(prefix: &str, count: u32) -> Vec<String> {
    (1..=count).map(|n| format!("{prefix}{n}")).collect()
}

/// What a node writes to its disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Persistence {
    /// Nothing (`save ""`).
    #[default]
    None,
    /// A snapshot, at the default save points (3600 s and 1 change, 300 s and 100, 60 s and 10,000) and at a clean stop. A kill takes what was
    /// changed since.
    Rdb,
    /// The append-only file, synced every second. A loss of power takes up to a second of writes; a kill takes nothing, unless a slow disk
    /// keeps a sync under way: then Redis answers before it has written.
    AofEverysec,
    /// The append-only file, synced before every reply.
    AofAlways,
}
