//! Who cannot reach whom.

use crate::wire_fault::one_or_many;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A partition, as a plan says it: `{ partition = { from = ["n1"], to = ["n2", "n3"], way = "both" } }`.
///
/// What is sent is lost, connections cannot be made, and none ends: nobody hears of anybody. When it is over, connections that lost
/// something are reset. It counts as injected only once something was lost between each two that it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Partition {
    /// Clients or nodes on the one side.
    #[serde(deserialize_with = "one_or_many")]
    pub from: Vec<String>,
    /// Clients or nodes on the other side.
    #[serde(deserialize_with = "one_or_many")]
    pub to: Vec<String>,
    /// Which way nothing passes.
    #[serde(default)]
    pub way: Way,
}

/// Which way nothing passes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Neither there nor back.
    #[default]
    Both,
    /// Not from `from` to `to`.
    There,
    /// Not from `to` back to `from`.
    Back,
}

impl Partition {
    /// For each two that are cut off from each other, the directed links that carry nothing.
    pub fn severed(&self) -> Vec<Vec<(String, String)>> {
        let pairs = self.from.iter().flat_map(|from| self.to.iter().map(move |to| (from.clone(), to.clone())));
        pairs
            .map(|(from, to)| match self.way {
                Way::Both => vec![(from.clone(), to.clone()), (to, from)],
                Way::There => vec![(from, to)],
                Way::Back => vec![(to, from)],
            })
            .collect()
    }
}

impl fmt::Display for Partition {
    /// In words, in the past tense: `n1 was cut off from n2, n3`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from.join(", "), self.to.join(", "));
        match self.way {
            Way::Both => write!(f, "{from} was cut off from {to}"),
            Way::There => write!(f, "nothing from {from} reached {to}"),
            Way::Back => write!(f, "nothing from {to} reached {from}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_pair_has_its_links() {
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        let of = |way| Partition { from: names(&["n1"]), to: names(&["n2", "c1"]), way };
        assert_eq!(
            of(Way::Both).severed(),
            [[pair("n1", "n2"), pair("n2", "n1")], [pair("n1", "c1"), pair("c1", "n1")]].map(Vec::from)
        );
        assert_eq!(of(Way::Back).severed(), [vec![pair("n2", "n1")], vec![pair("c1", "n1")]]);
        assert_eq!(of(Way::There).to_string(), "nothing from n1 reached n2, c1");
    }
}
