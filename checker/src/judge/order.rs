//! The order of the facts of one instant, which the order of their lines says nothing about.
//!
//! What the runner says and sees comes first: the run is in the phase that it enters at a stamp from that stamp on, and what was
//! seen by a stamp was seen before anything that is done at it. Then come the clients' operations, of each client in the order
//! of its own lines, since a client does one thing after another; the clients come in the order of their operations' ids. What
//! is told to clients comes last. Observations of one interval come in the order of what they saw: nobody before somebody, and a
//! longer time to live before a shorter one, so that none of them shows what only another order would.

use super::fact::{Fact, Seen, Word};
use super::names::Name;
use crate::history::{KeySeen, OpId};
use rustc_hash::FxHashMap;
use std::cmp::{Ordering, Reverse};

/// Puts the facts of one instant in their order.
pub(super) fn set(facts: &mut [Fact]) {
    if facts.len() < 2 {
        return;
    }
    let mut clients = facts.iter().filter_map(of_client);
    let alone = clients.next().is_none_or(|(one, _)| clients.all(|(other, _)| other == one));
    // What comes of one client's own lines alone is in their order.
    if alone && facts.iter().all(|fact| of_client(fact).is_some() || matches!(fact, Fact::Leased(_) | Fact::Claimed { .. })) {
        return;
    }
    let mut first: FxHashMap<Name, OpId> = FxHashMap::default();
    if !alone {
        for (client, id) in facts.iter().filter_map(of_client) {
            first.entry(client).and_modify(|first| *first = id.min(*first)).or_insert(id);
        }
    }
    let place = |fact: &Fact| match fact {
        Fact::Phase(_) => (0, 0),
        Fact::Fault(_) => (1, 0),
        Fact::Observed(seen) => (2, seen.from),
        Fact::Invoked(_) | Fact::Done(_) => (3, of_client(fact).and_then(|(client, _)| first.get(&client)).map_or(0, |id| *id)),
        Fact::Gone(_) | Fact::Lost(..) => (4, 0),
        Fact::Leased(id) | Fact::Claimed { grant: id, .. } => (5, *id),
        Fact::Told(id, Word::Asked) => (6, *id),
        Fact::Told(id, Word::Sent) => (7, *id),
    };
    facts.sort_by(|one, other| match (one, other) {
        (Fact::Observed(one), Fact::Observed(other)) => one.from.cmp(&other.from).then_with(|| as_seen(one, other)),
        _ => place(one).cmp(&place(other)),
    });
}

fn as_seen(one: &Seen, other: &Seen) -> Ordering {
    let what = |key: &KeySeen| Reverse(key.ttl_ms.unwrap_or(u64::MAX));
    let names = |one: &KeySeen, other: &KeySeen| (&one.node, &one.key, &one.token).cmp(&(&other.node, &other.key, &other.token));
    let keys = one.keys.iter().zip(&other.keys).map(|(one, other)| names(one, other).then_with(|| what(one).cmp(&what(other))));
    (one.lock, &one.holder, one.keys.len())
        .cmp(&(other.lock, &other.holder, other.keys.len()))
        .then_with(|| keys.fold(Ordering::Equal, Ordering::then))
}

/// Whose operation it is about, and which.
fn of_client(fact: &Fact) -> Option<(Name, OpId)> {
    match fact {
        Fact::Invoked(op) => Some((op.client, op.id)),
        Fact::Done(done) => Some((done.op.client, done.op.id)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Phase;
    use crate::judge::names::Names;

    #[test]
    fn the_order_is_the_same_whatever_it_was() {
        let lock = Names::default().of("lock");
        let seen = |from, ttl_ms| {
            let key = KeySeen { node: "n".into(), key: "k".into(), token: "t".into(), ttl_ms };
            Fact::Observed(Seen { lock, from, holder: None, keys: vec![key] })
        };
        let all = || {
            let told = [Fact::Told(2, Word::Sent), Fact::Told(2, Word::Asked), Fact::Told(1, Word::Sent)];
            let facts =
                [Fact::Leased(4), Fact::Leased(3), seen(7, None), seen(5, Some(1)), seen(5, Some(2)), Fact::Phase(Phase::Quiet)];
            told.into_iter().chain(facts).collect::<Vec<_>>()
        };
        let texts = |mut facts: Vec<Fact>| {
            set(&mut facts);
            facts.iter().map(|fact| format!("{fact:?}")).collect::<Vec<_>>()
        };
        let expected = texts(all());
        assert!(expected[0].contains("Quiet") && expected[1].contains("Some(2)") && expected[8].contains("Sent"), "{expected:?}");
        for n in 0..all().len() {
            let mut turned = all();
            turned.rotate_left(n);
            assert_eq!(texts(turned), expected);
        }
    }
}
