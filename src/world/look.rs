//! Who holds a lock, by the lock's own rule, put together from what each node says.

use checker::history::KeySeen;
use std::collections::BTreeMap;

/// What the nodes hold of a lock.
#[derive(Debug, Clone, PartialEq)]
pub struct Look {
    /// The token that is on a quorum of the nodes; of a lock that lives on one node, the token there.
    pub holder: Option<String>,
    /// Every key of the lock on the nodes that could be asked.
    pub keys: Vec<KeySeen>,
}

/// Puts together what each node holds; `None` for a node that could not be asked. There is nothing to say where those nodes may hide a holder.
pub fn look(nodes: impl IntoIterator<Item = Option<Vec<KeySeen>>>, quorum: usize) -> Option<Look> {
    let (mut keys, mut unseen) = (Vec::new(), 0);
    for node in nodes {
        match node {
            Some(seen) => keys.extend(seen),
            None => unseen += 1,
        }
    }
    let mut votes = BTreeMap::<&str, usize>::new();
    for KeySeen { token, .. } in &keys {
        *votes.entry(token).or_default() += 1;
    }
    let most = votes.into_iter().max_by_key(|(_, votes)| *votes);
    let holder = most.filter(|(_, votes)| *votes >= quorum).map(|(token, _)| token.to_owned());
    let hidden = most.map_or(0, |(_, votes)| votes) + unseen >= quorum;
    (holder.is_some() || !hidden).then_some(Look { holder, keys })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes that hold these tokens: `-` is none, `?` cannot be asked.
    fn holder(nodes: &str, quorum: usize) -> Option<Option<String>> {
        let seen = nodes.chars().map(|token| match token {
            '?' => None,
            '-' => Some(vec![]),
            token => Some(vec![KeySeen { node: "n".into(), key: "l".into(), token: token.into(), ttl_ms: None }]),
        });
        look(seen, quorum).map(|look| look.holder)
    }

    #[test]
    fn the_holder_is_whose_token_is_on_a_quorum() {
        for (nodes, quorum, token) in [("a", 1, "a"), ("aab", 2, "a"), ("bb?a?", 2, "b"), ("?aaa?", 3, "a")] {
            assert_eq!(holder(nodes, quorum), Some(Some(token.into())), "{nodes}");
        }
    }

    #[test]
    fn nobody_holds_what_is_on_too_few_nodes() {
        for (nodes, quorum) in [("-", 1), ("ab-", 2), ("aabbc", 3), ("?--", 2), ("a?---", 3)] {
            assert_eq!(holder(nodes, quorum), Some(None), "{nodes}");
        }
    }

    #[test]
    fn nodes_that_cannot_be_asked_may_hide_a_holder() {
        for (nodes, quorum) in [("?", 1), ("a?-", 2), ("??-", 2), ("a?b?-", 3)] {
            assert_eq!(holder(nodes, quorum), None, "{nodes}");
        }
    }
}
