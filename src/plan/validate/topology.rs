//! The nodes, and whether the lock can use them.

use super::Invalid;
use crate::lock::facts;
use crate::plan::{LockKind, Plan, Topology, TopologyKind};

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
    found
}
