//! Redis Cluster: how many masters it has, and through whom it is asked.

use super::Invalid;
use crate::plan::{Plan, Topology, TopologyKind};

/// The most nodes that a cluster can have.
const MOST_NODES: u32 = 15;

pub(super) fn check(plan: &Plan) -> Vec<Invalid> {
    let topology = &plan.topology;
    if topology.kind != TopologyKind::Cluster {
        let options = [
            ("topology.masters", topology.masters.is_some(), "only a cluster counts its masters"),
            ("lock.client", plan.lock.client.is_some(), "there is no cluster here that a client could find its way in"),
        ];
        let said = options.into_iter().filter(|(_, said, _)| *said);
        return said
            .map(|(path, _, sentence)| {
                Invalid::key(path, sentence).help("say `kind = \"cluster\"` under `[topology]`, or remove it")
            })
            .collect();
    }
    let mut found = Vec::new();
    if topology.nodes.is_some() {
        found.push(Invalid::key("topology.nodes", "a cluster counts its masters").help("say `masters = 3`"));
    }
    let (fewest, most) = (Topology::FEWEST_MASTERS, Topology::MOST_MASTERS);
    match topology.masters {
        Some(masters) if masters < fewest => found.push(
            Invalid::value("topology.masters", format!("a cluster of {masters} masters cannot agree that one of them is dead"))
                .help(format!("from {fewest} to {most}")),
        ),
        Some(masters) if masters > most => found.push(
            Invalid::value("topology.masters", format!("{masters} masters are more than one machine is asked to bear"))
                .help(format!("from {fewest} to {most}")),
        ),
        _ => {}
    }
    let nodes = topology.master_count() * (1 + topology.replica_count());
    if nodes > MOST_NODES {
        found.push(
            Invalid::value("topology.replicas", format!("{nodes} nodes in all are more than one machine is asked to bear"))
                .help(format!("at most {}", MOST_NODES / topology.master_count() - 1)),
        );
    }
    if plan.lock.waits.is_some() {
        found.push(
            Invalid::key("lock.waits", "a client hears what one node publishes, and a cluster may move the lock to another")
                .help("remove it, or take another topology"),
        );
    }
    found
}
