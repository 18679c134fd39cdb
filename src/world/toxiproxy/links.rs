//! Which links a plan poisons: each is one caller's connections to one node.

use super::Stream;
use crate::plan::Plan;
use nemesis::{Fault, Way};
use std::collections::BTreeSet;

/// One caller's connections to one node.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// Who dials.
    pub caller: String,
    /// Who listens.
    pub node: String,
    /// What the one who dials is.
    pub by: Dialler,
}

/// Whose calls they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Dialler {
    /// A client's: each is a question that waits for its answer.
    Client,
    /// A node's own: nobody waits.
    Node,
}

/// The links that a plan's toxics name. Two nodes have two: either may dial.
pub fn of(plan: &Plan) -> Vec<Link> {
    let clients = plan.client_names();
    let toxics = plan.steps.iter().filter_map(|step| match &step.fault {
        Fault::Toxic(toxic) => Some(toxic),
        _ => None,
    });
    let dials = |caller: &str, node: &str| {
        let is_client = |party: &str| clients.iter().any(|client| client == party);
        let by = if is_client(caller) { Dialler::Client } else { Dialler::Node };
        (!is_client(node)).then(|| Link { caller: caller.into(), node: node.into(), by })
    };
    let both = toxics.flat_map(|toxic| toxic.pairs()).flat_map(|(one, other)| [dials(one, other), dials(other, one)]);
    both.flatten().collect::<BTreeSet<_>>().into_iter().collect()
}

impl Link {
    /// The name of its proxy.
    pub fn proxy(&self) -> String {
        format!("{}-{}", self.caller, self.node)
    }

    /// In words.
    pub fn words(&self) -> String {
        format!("{} to {}", self.caller, self.node)
    }

    /// Whether it joins these two.
    pub fn joins(&self, one: &str, other: &str) -> bool {
        [(one, other), (other, one)].contains(&(self.caller.as_str(), self.node.as_str()))
    }

    /// The directions on it that are a way as seen from one of its ends.
    pub fn streams(&self, from: &str, way: Way) -> Vec<Stream> {
        let (there, back) = match self.caller == from {
            true => (Stream::Upstream, Stream::Downstream),
            false => (Stream::Downstream, Stream::Upstream),
        };
        way.there().then_some(there).into_iter().chain(way.back().then_some(back)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(caller: &str, node: &str) -> Link {
        let by = if caller.starts_with('c') { Dialler::Client } else { Dialler::Node };
        Link { caller: caller.into(), node: node.into(), by }
    }

    #[test]
    fn a_client_dials_and_two_nodes_may_both() {
        let plan = crate::scenario::find("gc-pause").expect("it is there").plan();
        let toxic = |from: &str, to: &str| {
            let text = format!("from = [\"{from}\"]\nto = [\"{to}\"]\nkind = \"down\"");
            let fault = Fault::Toxic(toml::from_str(&text).expect("a toxic"));
            nemesis::Step { fault, ..plan.steps[0].clone() }
        };
        let steps = vec![toxic("c1", "n1"), toxic("n1", "c2"), toxic("n1", "n2")];
        let links = [link("c1", "n1"), link("c2", "n1"), link("n1", "n2"), link("n2", "n1")];
        assert_eq!(of(&Plan { steps, ..plan.clone() }), links);
        assert_eq!(of(&plan), []);
    }

    #[test]
    fn a_way_is_upstream_for_whoever_dials() {
        let dialled = link("n2", "n1");
        assert_eq!(dialled.streams("n2", Way::There), [Stream::Upstream]);
        assert_eq!(dialled.streams("n1", Way::There), [Stream::Downstream]);
        assert_eq!(dialled.streams("n1", Way::Both), [Stream::Downstream, Stream::Upstream]);
    }
}
