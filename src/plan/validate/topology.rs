//! The nodes, and whether the lock can use them.

use super::{Invalid, strs};
use crate::lock::facts;
use crate::plan::{LockKind, Plan, Topology, TopologyKind};
use crate::suggest::advice;

pub(super) fn check(plan: &Plan) -> Vec<Invalid> {
    let mut found = Vec::new();
    let topology = &plan.topology;
    match (topology.kind, topology.nodes) {
        (TopologyKind::Single, Some(_)) => found.push(
            Invalid::key("topology.nodes", "a single node is one")
                .help("remove it, or take `kind = \"independent\"`, which `redlock` needs"),
        ),
        (TopologyKind::Independent, Some(0)) => {
            found.push(Invalid::value("topology.nodes", "with no node there is nothing to lock on").help("at least 1"));
        }
        (TopologyKind::Independent, Some(nodes)) if nodes > Topology::MOST_NODES => found.push(
            Invalid::value("topology.nodes", format!("{nodes} nodes are more than one machine is asked to bear"))
                .help(format!("at most {}", Topology::MOST_NODES)),
        ),
        _ => {}
    }
    if topology.kind == TopologyKind::Independent && plan.lock.kind != LockKind::Redlock {
        let name = facts::of(plan.lock.kind).name;
        found.push(
            Invalid::value("topology.kind", format!("`{name}` lives on one node, and these know nothing of each other"))
                .help("take `kind = \"redlock\"` under `[lock]`, or leave the topology away"),
        );
    }
    let nodes = topology.nodes();
    found.extend(topology.persistences.keys().filter(|node| !nodes.contains(node)).map(|node| {
        Invalid::key(format!("topology.persistences.{node}"), format!("there is no node `{node}`"))
            .help(advice(node, strs(&nodes)))
    }));
    found.extend(images(plan));
    found
}

/// Sees that images are named, and for nodes that there are.
pub fn images(plan: &Plan) -> Vec<Invalid> {
    let topology = &plan.topology;
    let members: Vec<String> = topology.nodes().into_iter().chain(topology.sentinels()).collect();
    let mut found = Vec::new();
    if topology.image.as_ref().is_some_and(String::is_empty) {
        found.push(Invalid::value("topology.image", "an image has a name").help("such as `redis:8`"));
    }
    for (node, image) in &topology.images {
        let path = format!("topology.images.{node}");
        if !members.contains(node) {
            found.push(Invalid::key(path, format!("there is no node `{node}`")).help(advice(node, strs(&members))));
        } else if image.is_empty() {
            found.push(Invalid::value(path, "an image has a name").help("such as `redis:8`"));
        }
    }
    found
}
