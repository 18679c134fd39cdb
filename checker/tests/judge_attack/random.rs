//! On random histories the judge finds what the definitions find, and nothing else.

use crate::generate::history;
use crate::oracle::{Wrong, explainable, wrong_of, wrongs};
use crate::story::History;
use checker::finding::Kind;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use std::collections::{BTreeMap, BTreeSet};

/// Where the judge and the definitions differ.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Difference {
    /// Only the judge finds it.
    FalseAlarm(Wrong),
    /// Only the definition does.
    Miss(Wrong),
}

impl Difference {
    fn class(&self) -> (&'static str, Kind) {
        match self {
            Difference::FalseAlarm((kind, ..)) => ("false alarm", *kind),
            Difference::Miss((kind, ..)) => ("miss", *kind),
        }
    }
}

/// Every difference on a history.
pub fn differences(history: &History) -> BTreeSet<Difference> {
    let findings = history.judge().findings;
    let (lost, found): (Vec<_>, Vec<_>) = findings.iter().partition(|finding| finding.kind == Kind::LostUpdate);
    let found: BTreeSet<Wrong> = found.into_iter().map(wrong_of).collect();
    let wrong = wrongs(history);
    let false_alarms = found.difference(&wrong).cloned().map(Difference::FalseAlarm);
    let misses = wrong.difference(&found).cloned().map(Difference::Miss);
    // Of lost updates it is decided whether any order of the writes explains what was seen.
    let explained = lost.iter().filter(|finding| explainable(history, &finding.lock)).map(|finding| wrong_of(finding));
    false_alarms.chain(misses).chain(explained.map(Difference::FalseAlarm)).collect()
}

proptest! {
    #![proptest_config(crate::config(4_000, 300_000))]

    #[test]
    fn as_by_definition(history in history(30)) {
        let differences = differences(&history);
        prop_assert!(differences.is_empty(), "{differences:#?}\n{}", history.text());
    }
}

/// A test that compares nothing is worth nothing: the generator makes each of the wrongs, and histories without any.
#[test]
fn everything_is_generated() {
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<Option<Kind>, u32> = BTreeMap::new();
    for _ in 0..3_000 {
        let history = history(30).new_tree(&mut runner).expect("it generates").current();
        let wrongs = wrongs(&history);
        let kinds: BTreeSet<Option<Kind>> = wrongs.iter().map(|(kind, ..)| Some(*kind)).collect();
        let kinds = if kinds.is_empty() { BTreeSet::from([None]) } else { kinds };
        kinds.into_iter().for_each(|kind| *seen.entry(kind).or_default() += 1);
    }
    use Kind::*;
    let all = [
        TwoHolders,
        OverLimit,
        StaleHolder,
        StaleWrite,
        TokenReuse,
        TokenOrder,
        Ownership,
        Ghost,
        Phantom,
        Leak,
        Immortal,
        Stuck,
        LateNotice,
        DishonestValidity,
        Oversold,
    ];
    for kind in all.into_iter().map(Some).chain([None]) {
        assert!(seen.get(&kind).is_some_and(|times| *times >= 10), "{kind:?} is hardly ever generated: {seen:?}");
    }
}

/// Prints a smallest history of each class of difference: `cargo test --test judge_attack survey -- --ignored --nocapture`.
#[test]
#[ignore = "prints what is to be looked at by a person"]
fn survey() {
    let cases = if crate::long() { 100_000 } else { 20_000 };
    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<(&str, Kind), u32> = BTreeMap::new();
    let mut smallest: BTreeMap<(&str, Kind), History> = BTreeMap::new();
    for _ in 0..cases {
        let tree = history(30).new_tree(&mut runner).expect("it generates");
        let classes: BTreeSet<_> = differences(&tree.current()).iter().map(Difference::class).collect();
        classes.iter().for_each(|class| *seen.entry(*class).or_default() += 1);
        let Some(class) = classes.into_iter().min_by_key(|class| seen[class]).filter(|class| seen[class] <= 5) else { continue };
        let small = shrunk(tree, |history| differences(history).iter().any(|difference| difference.class() == class));
        if smallest.get(&class).is_none_or(|other| small.events.len() < other.events.len()) {
            smallest.insert(class, small);
        }
    }
    for (class, history) in smallest {
        println!("== {class:?}: {} of {cases}\n{:?}\n{}", seen[&class], differences(&history), history.text());
    }
}

/// The smallest that still has the property, as far as shrinking finds it.
fn shrunk(mut tree: impl ValueTree<Value = History>, has: impl Fn(&History) -> bool) -> History {
    let mut best = tree.current();
    let mut moved = tree.simplify();
    while moved {
        let now = tree.current();
        moved = if has(&now) {
            best = now;
            tree.simplify()
        } else {
            tree.complicate()
        };
    }
    best
}
