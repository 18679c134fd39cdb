//! Plans: pure data that says who does what under which lock, and what is done to them.

pub mod locate;
pub mod lock;
pub mod read;
pub mod resource;
pub mod topology;
pub mod validate;
pub mod workload;

use crate::lock::facts::{self, Expiry};
use crate::slot;
use checker::finding::Kind;
use checker::history::OpKind;
use nemesis::{Step, Trigger};
use serde::{Deserialize, Serialize};

pub use lock::{
    ClusterClient, Deadline, Elapsed, Extend, Fencing, LockKind, LockSpec, OnError, OnFailure, Repair, Scripts, Wait, WaitReply,
    Waits, Watchdog,
};
pub use read::{BadPlan, read};
pub use resource::{ResourceSpec, ResourceType};
pub use topology::{Persistence, Topology, TopologyKind};
pub use workload::{Client, Millis, Workload};

/// A plan, as its TOML file says it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Whose failure it is and what is expected, in a sentence or two.
    pub about: String,
    /// Where the failure was described or reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// The seed of everything drawn at random.
    #[serde(default)]
    pub seed: u64,
    /// What must come out; absent: nothing is wrong.
    #[serde(default)]
    pub expect: Expectation,
    /// The subject.
    pub lock: LockSpec,
    /// What the lock protects; absent: nothing is read or written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<ResourceSpec>,
    /// The Redis that the lock lives on.
    #[serde(default)]
    pub topology: Topology,
    /// What the clients do.
    #[serde(default)]
    pub workload: Workload,
    /// What single clients do differently.
    #[serde(default, rename = "client", skip_serializing_if = "Vec::is_empty")]
    pub clients: Vec<Client>,
    /// What the nemesis does.
    #[serde(default, rename = "step", skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// How long the clients may work, and then how long it may be looked at what is left, in milliseconds. Past it the run is cut short and its
    /// assumptions are broken.
    #[serde(default = "time_limit_ms")]
    pub time_limit_ms: u64,
}

fn time_limit_ms() -> u64 {
    30_000
}

/// What must come out of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// Kinds that must be found; every other kind must not.
    #[serde(default)]
    pub find: Vec<Kind>,
    /// Kinds that may be found or not, since they follow from the others by the luck of timing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<Kind>,
    /// How many stale writes the resource must at least have refused.
    #[serde(default)]
    pub rejected_stale_writes: u64,
}

impl Plan {
    /// How long beyond the longest TTL a fresh client is given to acquire once all is healed, in milliseconds.
    pub const MARGIN_MS: u64 = 1000;

    /// How long a grant lasts that nobody releases, in milliseconds; none where it never ends.
    pub fn lease_ms(&self) -> Option<u64> {
        (facts::of(self.lock.kind).expiry != Expiry::Never).then_some(self.lock.ttl_ms)
    }

    /// On how many nodes a grant must be, to be one.
    pub fn quorum(&self) -> usize {
        self.lock.quorum_of(self.topology.master_count() as usize)
    }

    /// What the votes of a quorum lock are prefixed with in a cluster, so that each lies on another of its masters; nothing elsewhere.
    pub fn prefixes(&self) -> Vec<String> {
        match (self.topology.kind, self.lock.kind) {
            (TopologyKind::Cluster, LockKind::Redlock) => {
                slot::shares(self.topology.master_count() as usize).into_iter().map(slot::tag_within).collect()
            }
            _ => vec![],
        }
    }

    /// The keys that a cluster keeps a lock under.
    pub fn keys_in_cluster(&self, lock: &str) -> Vec<String> {
        let prefixes = self.prefixes();
        if prefixes.is_empty() {
            vec![lock.to_owned()]
        } else {
            prefixes.iter().map(|prefix| format!("{prefix}{lock}")).collect()
        }
    }

    /// The clients, in order: `c1`, `c2`, …
    pub fn client_names(&self) -> Vec<String> {
        (1..=self.workload.clients).map(|n| format!("c{n}")).collect()
    }

    /// Everything that a client or a step waits for.
    pub fn triggers(&self) -> impl Iterator<Item = &Trigger> {
        let of_clients = self
            .clients
            .iter()
            .flat_map(|client| [&client.starts, &client.extends, &client.writes, &client.releases].into_iter().flatten());
        let of_steps = self.steps.iter().flat_map(|step| [Some(&step.when), step.until.as_ref()].into_iter().flatten());
        of_clients.chain(of_steps)
    }

    /// Whether something waits for an extension of a client, or for a message, which may be one.
    pub fn awaits_extensions_of(&self, client: &str) -> bool {
        self.triggers().any(|trigger| match trigger {
            Trigger::Invoked(pattern) | Trigger::Completed(pattern) => pattern.client == client && pattern.op == OpKind::Extend,
            Trigger::Wire(pattern) => pattern.client == client,
            Trigger::Step(_) | Trigger::Synced(_) | Trigger::Promoted(_) | Trigger::AtMs(_) => false,
        })
    }

    /// What a client does differently, if anything.
    pub fn client(&self, name: &str) -> Option<&Client> {
        self.clients.iter().find(|client| client.name == name)
    }

    /// The name of the n-th lock, counted from 1.
    pub fn lock_name(n: u32) -> String {
        format!("order:{n}")
    }

    /// The name of the resource that the n-th lock protects.
    pub fn resource_name(n: u32) -> String {
        format!("row:{n}")
    }
}
