//! What can be done to a client or to a node.

use crate::{Partition, Toxic, WireFault};
use serde::{Deserialize, Serialize};

/// A fault, as a plan names it: `fault = { pause = "c1" }`.
///
/// A lasting fault ends when its step says so, at the latest when the run heals everything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Fault {
    /// A client or node stops (SIGSTOP) until the step ends; nothing is lost.
    Pause(String),
    /// A client is killed (SIGKILL) and does not come back.
    Crash(String),
    /// A node is killed (SIGKILL) and stays away until the step ends; then it is started again.
    Kill {
        /// Which node.
        node: String,
        /// What it finds on its disk when it is started again.
        data: Data,
    },
    /// A node is killed (SIGKILL), or stopped cleanly, and started again at once.
    Restart {
        /// Which node.
        node: String,
        /// What it finds on its disk.
        data: Data,
        /// How it ends before.
        #[serde(default, skip_serializing_if = "Stop::is_kill")]
        stop: Stop,
    },
    /// The wall clock of a client or node jumps, and stays shifted until the step ends.
    Clock {
        /// Whose clock.
        of: String,
        /// By how many milliseconds; negative is back.
        jump_ms: i64,
    },
    /// The wall clock of a client or node goes too fast or too slowly until the step ends; then it is right again.
    Drift {
        /// Whose clock.
        of: String,
        /// How many seconds pass by it in one; 2.0 is twice as fast.
        rate: f64,
    },
    /// A node loses its power (SIGKILL) and with it what its disk had not synced; it is started again when the step ends.
    Power {
        /// Which node.
        node: String,
    },
    /// A node runs out of memory and evicts the keys of the plan's locks.
    Evict {
        /// Which node.
        node: String,
    },
    /// A node forgets every script that it was sent.
    ScriptFlush {
        /// Which node.
        node: String,
    },
    /// A node's event loop is blocked for a while, as by a long script: what is sent to it meanwhile is done afterwards, and no clock stands
    /// still.
    Block {
        /// Which node.
        node: String,
        /// For how long, in milliseconds.
        for_ms: u64,
    },
    /// Every connection of a client or node is reset, with what is under way on it.
    Reset(String),
    /// Messages between clients and nodes are lost, late, or held until the step ends.
    Wire(WireFault),
    /// Some clients and nodes are cut off from others until the step ends.
    Partition(Partition),
    /// A link is poisoned, as Toxiproxy does it, until the step ends.
    Toxic(Toxic),
    /// What its master sends to a replica is under way until the step ends, and lost if the master dies before.
    FreezeReplication {
        /// Which replica.
        node: String,
    },
    /// A replica is made the master (REPLICAOF NO ONE, in a cluster CLUSTER FAILOVER TAKEOVER), whatever its old master does; the other replicas that
    /// are alive follow it.
    Promote {
        /// Which replica.
        node: String,
        /// The clients that are told, and reach the new master from now on; the others stay where they are. Everybody when absent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<Vec<String>>,
    },
    /// The master hands over to a replica that has everything (FAILOVER, in a cluster CLUSTER FAILOVER), and every client is told.
    Failover {
        /// Which replica.
        to: String,
    },
}

/// What a node that is started again finds on its disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Data {
    /// What its persistence wrote.
    Kept,
    /// Nothing: the disk is gone.
    Lost,
}

/// How a node that is started again ended before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// At once (SIGKILL).
    #[default]
    Kill,
    /// As an operator stops it (SIGTERM): it writes to its disk what its persistence wants written.
    Clean,
}

impl Stop {
    fn is_kill(&self) -> bool {
        *self == Stop::Kill
    }
}

impl Fault {
    /// The fault's public name: `pause`, `crash`, `kill`, `restart`, `clock`, `drift`, `power`, `evict`, `script-flush`, `block`, `reset`,
    /// `wire`, `partition`, `toxic`, `freeze-replication`, `promote`, `failover`.
    pub fn kind(&self) -> &'static str {
        match self {
            Fault::Pause(_) => "pause",
            Fault::Crash(_) => "crash",
            Fault::Kill { .. } => "kill",
            Fault::Restart { .. } => "restart",
            Fault::Clock { .. } => "clock",
            Fault::Drift { .. } => "drift",
            Fault::Power { .. } => "power",
            Fault::Evict { .. } => "evict",
            Fault::ScriptFlush { .. } => "script-flush",
            Fault::Block { .. } => "block",
            Fault::Reset(_) => "reset",
            Fault::Wire(_) => "wire",
            Fault::Partition(_) => "partition",
            Fault::Toxic(_) => "toxic",
            Fault::FreezeReplication { .. } => "freeze-replication",
            Fault::Promote { .. } => "promote",
            Fault::Failover { .. } => "failover",
        }
    }

    /// The clients and nodes that it hits.
    pub fn targets(&self) -> Vec<&str> {
        match self {
            Fault::Pause(member) | Fault::Crash(member) | Fault::Reset(member) => vec![member],
            Fault::Kill { node, .. } | Fault::Restart { node, .. } | Fault::Power { node } => vec![node],
            Fault::Evict { node } | Fault::ScriptFlush { node } | Fault::Block { node, .. } => vec![node],
            Fault::Clock { of, .. } | Fault::Drift { of, .. } => vec![of],
            Fault::Wire(wire) => wire.from.iter().chain(&wire.to).map(String::as_str).collect(),
            Fault::Partition(partition) => partition.from.iter().chain(&partition.to).map(String::as_str).collect(),
            Fault::Toxic(toxic) => toxic.from.iter().chain(&toxic.to).map(String::as_str).collect(),
            Fault::FreezeReplication { node } | Fault::Promote { node, .. } | Fault::Failover { to: node } => vec![node],
        }
    }

    /// Whether it works only when something comes by: that it is in force shows only that it can hit, and not that it has.
    pub fn needs_traffic(&self) -> bool {
        matches!(self, Fault::Wire(_) | Fault::Partition(_) | Fault::Toxic(_) | Fault::FreezeReplication { .. })
    }

    /// Whether it lasts until its step ends, or is over as soon as it is done.
    pub fn lasts(&self) -> bool {
        !matches!(
            self,
            Fault::Crash(_)
                | Fault::Restart { .. }
                | Fault::Evict { .. }
                | Fault::ScriptFlush { .. }
                | Fault::Reset(_)
                | Fault::Promote { .. }
                | Fault::Failover { .. }
        )
    }
}

impl std::fmt::Display for Fault {
    /// In words, in the past tense, as a report says it: `n1 was restarted without its data`.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let with = |data: &Data| match data {
            Data::Kept => "with what was on its disk",
            Data::Lost => "without its data",
        };
        match self {
            Fault::Pause(member) => write!(f, "{member} was paused"),
            Fault::Crash(member) => write!(f, "{member} crashed"),
            Fault::Kill { node, data: Data::Kept } => write!(f, "{node} was killed"),
            Fault::Kill { node, data: Data::Lost } => write!(f, "{node} was killed and its data lost"),
            Fault::Restart { node, data, stop: Stop::Kill } => write!(f, "{node} was restarted {}", with(data)),
            Fault::Restart { node, data, stop: Stop::Clean } => {
                write!(f, "{node} was stopped cleanly and started {}", with(data))
            }
            Fault::Clock { of, jump_ms } => write!(f, "the clock of {of} jumped {:+} s", *jump_ms as f64 / 1000.0),
            Fault::Drift { of, rate } => write!(f, "the clock of {of} went {rate} times as fast as true time"),
            Fault::Power { node } => write!(f, "{node} lost its power"),
            Fault::Evict { node } => write!(f, "{node} ran out of memory and evicted the key"),
            Fault::ScriptFlush { node } => write!(f, "{node} forgot its scripts"),
            Fault::Block { node, for_ms } => write!(f, "the event loop of {node} was blocked for {for_ms} ms"),
            Fault::Reset(member) => write!(f, "the connections of {member} were reset"),
            Fault::Wire(wire) => wire.fmt(f),
            Fault::Partition(partition) => partition.fmt(f),
            Fault::Toxic(toxic) => toxic.fmt(f),
            Fault::FreezeReplication { node } => write!(f, "replication to {node} was held back"),
            Fault::Promote { node, told: None } => write!(f, "{node} was promoted"),
            Fault::Promote { node, told: Some(told) } if told.is_empty() => write!(f, "{node} was promoted, and nobody was told"),
            Fault::Promote { node, told: Some(told) } => write!(f, "{node} was promoted, and only {} was told", told.join(", ")),
            Fault::Failover { to } => write!(f, "the master handed over to {to}"),
        }
    }
}

/// What was seen that shows that an injection worked, in words: `state T in /proc/4711/stat`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence(pub String);

/// Why a fault was not injected, or could not be verified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotInjected(pub String);
