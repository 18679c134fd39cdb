//! Whether a replica has become a master, whoever made it one.

use super::RealWorld;
use super::replicas::role;
use crate::plan::TopologyKind;
use nemesis::NotInjected;
use std::time::Duration;

const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// Resolves when a node says that it is a master, and in a cluster every node that can be asked says that the cluster is well: until then some of them
/// refuse what they are asked.
///
/// # Errors
/// There is no such node.
pub async fn promoted(world: &RealWorld, node: &str) -> Result<(), NotInjected> {
    let new = world.node(node)?;
    while !role(new).await.is_some_and(|role| role.is_master()) {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    while world.plan.topology.kind == TopologyKind::Cluster && !world.cluster_is_well().await {
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    Ok(())
}
