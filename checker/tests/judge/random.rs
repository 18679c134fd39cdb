//! The judge finds what the definitions find, and nothing else, on random histories.

use super::brute::{Wrongs, wrongs};
use super::generate::{History, history};
use checker::finding::{Judgement, Kind};
use checker::judge::judge;
use proptest::prelude::*;
use proptest::strategy::ValueTree;

/// The findings of the kinds that the definitions speak of.
pub fn found(judgement: &Judgement) -> Wrongs {
    let name = |finding: &checker::finding::Finding| match finding.kind {
        Kind::TwoHolders => {
            let mut clients = finding.clients.clone();
            clients.sort();
            Some(clients)
        }
        Kind::OverLimit | Kind::TokenReuse => Some(Vec::new()),
        Kind::StaleHolder | Kind::TokenOrder | Kind::StaleWrite | Kind::LostUpdate => Some(vec![finding.events[0].to_string()]),
        _ => None,
    };
    judgement.findings.iter().filter_map(|finding| Some((finding.kind.name(), finding.lock.clone(), name(finding)?))).collect()
}

/// The judge's findings and the definitions' are the same.
pub fn agree(history: &History) -> Result<(), String> {
    let (found, wrong) = (found(&judge(&history.header, &history.events)), wrongs(history));
    if found == wrong {
        return Ok(());
    }
    let only = |a: &Wrongs, b: &Wrongs| a.difference(b).cloned().collect::<Vec<_>>();
    Err(format!("only the judge: {:?}, only the definitions: {:?}", only(&found, &wrong), only(&wrong, &found)))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if super::long() { 200_000 } else { 3_000 }, max_shrink_iters: 20_000, ..ProptestConfig::default() })]

    #[test]
    fn as_by_definition(history in history(40)) {
        if let Err(why) = agree(&history) {
            let lines: Vec<String> = history.events.iter().map(|event| format!("{event:?}")).collect();
            prop_assert!(false, "{why}\n{:?}\n{}", history.header.locks, lines.join("\n"));
        }
    }
}

/// The generator does make each of the wrongs, and histories without any: a test that compares nothing is worth nothing.
#[test]
fn everything_is_generated() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..1_000 {
        let history = history(40).new_tree(&mut runner).unwrap().current();
        let wrongs = wrongs(&history);
        if wrongs.is_empty() {
            *seen.entry("none").or_insert(0) += 1;
        }
        wrongs.into_iter().for_each(|(kind, ..)| *seen.entry(kind).or_insert(0) += 1);
    }
    for kind in ["none", "two-holders", "over-limit", "stale-holder", "token-reuse", "token-order", "stale-write", "lost-update"]
    {
        assert!(seen.get(kind).is_some_and(|times| *times >= 10), "{kind} is hardly ever generated: {seen:?}");
    }
}
