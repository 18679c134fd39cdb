//! What a node of a cluster knows of it, and whom it sends elsewhere.
//!
//! What scripts do is judged by the keys that are declared, and not by those that they touch. There are no slots on the move, so nobody is told to
//! ASK, and no reads from replicas (READONLY).

use super::replication::Address;
use super::reply::{ErrorReply, Outcome, Reply};
use crate::slot;

const DOWN: ErrorReply = ErrorReply::fixed("CLUSTERDOWN The cluster is down");
const UNSERVED: ErrorReply = ErrorReply::fixed("CLUSTERDOWN Hash slot not served");
const CROSS_SLOT: ErrorReply = ErrorReply::fixed("CROSSSLOT Keys in request don't hash to the same slot");
pub(super) const DISABLED: ErrorReply = ErrorReply::fixed("ERR This instance has cluster support disabled");

/// What a node knows of its cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClusterView {
    /// Where it is found itself.
    pub me: Address,
    /// What it takes the cluster for.
    pub state: ClusterState,
    /// Who serves which slots, as far as it was told.
    pub shards: Vec<Shard>,
}

/// What a node takes its cluster for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClusterState {
    /// Every slot is served, and it reaches a majority of the masters.
    Ok,
    /// It answers no command that has a key.
    Fail,
}

/// Slots, and who serves them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shard {
    /// The first and the last.
    pub slots: (u16, u16),
    /// The master, and then its replicas that are not known to be dead.
    pub nodes: Vec<Address>,
}

impl ClusterView {
    /// Why this node does not execute commands with these keys, if so.
    pub(super) fn refusal<'a>(&self, mut keys: impl Iterator<Item = &'a [u8]>) -> Option<ErrorReply> {
        let slot = slot::of(keys.next()?);
        let Some(shard) = self.shards.iter().find(|shard| (shard.slots.0..=shard.slots.1).contains(&slot)) else {
            return Some(UNSERVED);
        };
        if keys.any(|key| slot::of(key) != slot) {
            return Some(CROSS_SLOT);
        }
        if self.state == ClusterState::Fail {
            return Some(DOWN);
        }
        let master = shard.nodes.first()?;
        (*master != self.me).then(|| ErrorReply::quoting(format!("MOVED {slot} {}:{}", master.host, master.port)))
    }

    /// What CLUSTER SLOTS answers. A node's id is its host here.
    pub(super) fn slots(&self) -> Outcome {
        let node = |at: &Address| {
            let parts = [Reply::bulk(at.host.as_str()), Reply::Int(at.port.into()), Reply::bulk(at.host.as_str())];
            Reply::Array(parts.into_iter().chain([Reply::Array(Vec::new())]).collect())
        };
        let shard = |shard: &Shard| {
            let (first, last) = shard.slots;
            let slots = [first, last].map(|slot| Reply::Int(slot.into()));
            Reply::Array(slots.into_iter().chain(shard.nodes.iter().map(node)).collect())
        };
        Ok(Reply::Array(self.shards.iter().map(shard).collect()))
    }
}
