//! Masters and their replicas: who is the master of each, as the service says that clients are led by.

use crate::plan::{Topology, TopologyKind};
use std::cell::RefCell;

/// The masters that clients are led to, each with the nodes that may take its place; none where clients find nodes by their own addresses, or by
/// themselves.
#[derive(Debug, Default)]
pub struct Masters(RefCell<Vec<Group>>);

#[derive(Debug)]
struct Group {
    master: String,
    nodes: Vec<String>,
}

impl Masters {
    /// As they are at first.
    pub fn of_topology(topology: &Topology) -> Masters {
        let led = topology.kind != TopologyKind::Cluster && topology.replica_count() > 0;
        let group = |nodes: Vec<String>| Some(Group { master: nodes.first()?.clone(), nodes });
        let groups = if led { topology.shards().into_iter().filter_map(group).collect() } else { vec![] };
        Masters(RefCell::new(groups))
    }

    /// All of them, in the plan's order.
    pub fn all(&self) -> Vec<String> {
        self.0.borrow().iter().map(|group| group.master.clone()).collect()
    }

    /// The master in whose place a node may come, or that it is.
    pub fn of(&self, node: &str) -> Option<String> {
        let groups = self.0.borrow();
        groups.iter().find(|group| group.has(node)).map(|group| group.master.clone())
    }

    /// The nodes of which one is the master of the others, among them this one.
    pub fn group(&self, node: &str) -> Vec<String> {
        let groups = self.0.borrow();
        groups.iter().find(|group| group.has(node)).map(|group| group.nodes.clone()).unwrap_or_default()
    }

    /// Which group a node is of.
    pub fn place(&self, node: &str) -> Option<usize> {
        self.0.borrow().iter().position(|group| group.has(node))
    }

    /// A node is the master of its group from now on.
    pub fn is_now(&self, node: &str) {
        if let Some(group) = self.0.borrow_mut().iter_mut().find(|group| group.has(node)) {
            node.clone_into(&mut group.master);
        }
    }
}

impl Group {
    fn has(&self, node: &str) -> bool {
        self.nodes.iter().any(|known| known == node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_master_has_replicas_of_its_own_to_take_its_place() {
        let topology = Topology { kind: TopologyKind::Independent, nodes: Some(3), replicas: Some(1), ..Topology::default() };
        let masters = Masters::of_topology(&topology);
        assert_eq!(masters.all(), ["n1", "n2", "n3"]);
        assert_eq!((masters.of("n5").as_deref(), masters.place("n5")), (Some("n2"), Some(1)));
        masters.is_now("n5");
        assert_eq!(masters.all(), ["n1", "n5", "n3"]);
        assert_eq!((masters.of("n2").as_deref(), masters.group("n2")), (Some("n5"), vec!["n2".into(), "n5".into()]));
    }

    #[test]
    fn nobody_is_led_where_no_service_is() {
        for kind in [TopologyKind::Single, TopologyKind::Independent, TopologyKind::Cluster] {
            assert!(Masters::of_topology(&Topology { kind, ..Topology::default() }).all().is_empty());
        }
    }
}
