//! What is looked at before the first fault and after the last.

use super::SimWorld;
use super::redis::Role;
use crate::lock;
use crate::world::{Look, World, look};
use checker::Nanos;
use checker::history::KeySeen;
use nemesis::NotInjected;

/// How long replicas may take to have what their master has, when a world begins.
const HEALTHY_WITHIN: Nanos = 5_000_000_000;
const LOOK_AGAIN: Nanos = 100_000;
/// How often the role of a node is looked at that is to become a master.
const ROLES_AGAIN: Nanos = 10_000_000;

impl SimWorld {
    /// Waits until every replica has what its master has.
    pub(super) async fn replicated(&self) -> Result<(), String> {
        let until = self.now() + HEALTHY_WITHIN;
        while !self.network.is_replicated() {
            if self.now() > until {
                return Err("a replica has not what its master wrote".into());
            }
            self.sleep_until(self.now() + LOOK_AGAIN).await;
        }
        Ok(())
    }

    /// Waits until a node is a master and, in a cluster, no slot is without one.
    pub(super) async fn becomes_master(&self, node: &str) -> Result<(), NotInjected> {
        if !self.nodes.iter().any(|known| known == node) {
            return Err(NotInjected(format!("there is no node {node}")));
        }
        let is_master = || matches!(self.network.role(node), Some((Role::Master, _)));
        while !is_master() || self.cluster.as_ref().is_some_and(|cluster| !cluster.is_well()) {
            self.sleep_until(self.now() + ROLES_AGAIN).await;
        }
        Ok(())
    }

    /// The key of a lock, as the nodes that can be asked have it.
    pub(super) fn key_of(&self, name: &str) -> Option<Look> {
        let wall = self.universe.wall() as Nanos;
        let by_rule =
            |key: Option<KeySeen>| key.and_then(|key| lock::by_its_rule(self.plan.lock.kind, key, wall)).into_iter().collect();
        let seen = |node: Option<&str>, key: &str| self.network.look(node?, key).ok().map(by_rule);
        let quorum = self.plan.quorum();
        if let Some(cluster) = &self.cluster {
            let keys = self.plan.keys_in_cluster(name).into_iter();
            return look::look(keys.map(|key| seen(cluster.owner(&key).as_deref(), &key)), quorum);
        }
        let (nodes, _) = self.ways_in();
        look::look(nodes.iter().map(|node| seen(Some(node), name)), quorum)
    }
}
