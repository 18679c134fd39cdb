//! token-reuse, token-order.

use super::{Facts, Wrong};
use checker::finding::Kind;
use std::collections::BTreeSet;

pub fn wrongs(facts: &Facts<'_>, all: &mut BTreeSet<Wrong>) {
    for one in &facts.grants {
        for two in facts.grants.iter().filter(|two| two.lock == one.lock && two.id != one.id) {
            let same_client = one.client == two.client;
            let nested = same_client && facts.tenure(one) == facts.tenure(two);
            let fence = one.fence.is_some() && one.fence == two.fence && !nested;
            let token = one.token.is_some() && one.token == two.token && !same_client;
            if fence || token {
                all.insert((Kind::TokenReuse, one.lock.clone(), String::new()));
            }
            let op = |id| facts.ops.iter().find(|op| op.id == id).expect("a grant is an operation");
            let falls = one.fence.zip(two.fence).is_some_and(|(earlier, later)| earlier > later);
            if falls && op(one.id).before(op(two.id)) {
                all.insert((Kind::TokenOrder, two.lock.clone(), two.id.to_string()));
            }
        }
    }
}
