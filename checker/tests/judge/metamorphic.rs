//! Changes of a history that must not change what is found, or may only remove something.

use super::generate::{History, history};
use super::random::found;
use checker::finding::{Judgement, Kind};
use checker::history::{Completion, Event, Header, LockTerms, Op, Outcome, What};
use checker::judge::judge;
use proptest::prelude::*;

fn judged(history: &History) -> Judgement {
    judge(&history.header, &history.events)
}

/// Every finding without its times and sentence.
fn kinds(judgement: &Judgement) -> Vec<(Kind, String, Vec<String>, Vec<u64>)> {
    let mut kinds: Vec<_> =
        judgement.findings.iter().map(|f| (f.kind, f.lock.clone(), f.clients.clone(), f.events.clone())).collect();
    kinds.sort();
    kinds
}

fn shifted(history: &History, by: u64) -> History {
    let mut history = history.clone();
    for event in &mut history.events {
        event.at += by;
        if let What::Done(done) = &mut event.what {
            done.valid_until = done.valid_until.map(|at| at + by);
            done.told_at = done.told_at.map(|at| at + by);
        }
    }
    history
}

fn renamed(history: &History, name: impl Fn(&str) -> String) -> History {
    let mut history = history.clone();
    for event in &mut history.events {
        match &mut event.what {
            What::Invoke { client, .. } | What::Lost { client, .. } | What::Gone { client } => *client = name(client),
            What::Done(done) => done.client = name(&done.client),
            _ => {}
        }
    }
    history
}

/// Each second line of an equal time changes places with the one before, where they are of different clients.
fn reordered(history: &History) -> History {
    let mut history = history.clone();
    let client = |event: &Event| match &event.what {
        What::Invoke { client, .. } | What::Lost { client, .. } | What::Gone { client } => client.clone(),
        What::Done(done) => done.client.clone(),
        _ => String::new(),
    };
    for _ in 0..3 {
        for i in 1..history.events.len() {
            let (a, b) = (&history.events[i - 1], &history.events[i]);
            if a.at == b.at && client(a) < client(b) {
                history.events.swap(i - 1, i);
            }
        }
    }
    history
}

/// An unrelated client takes and gives back unrelated locks all the time.
fn with_unrelated(history: &History) -> History {
    let mut history = history.clone();
    let times: Vec<u64> = history.events.iter().map(|event| event.at).collect();
    history.header.locks.insert("other".into(), LockTerms::default());
    for (n, at) in times.into_iter().enumerate() {
        let (id, grant) = (1_000 + 2 * n as u64, 1_000 + 2 * n as u64);
        let lock = || format!("other{}", n % 3);
        let client = || "stranger".to_string();
        let op = Op::Acquire { lock: lock(), ttl_ms: Some(3) };
        history.events.push(Event { at, what: What::Invoke { client: client(), id, op } });
        history.events.push(Event { at, what: What::Done(Completion::new(client(), id, Outcome::Ok)) });
        let op = Op::Release { lock: lock(), grant: Some(grant) };
        history.events.push(Event { at: at + 1, what: What::Invoke { client: client(), id: id + 1, op } });
        history.events.push(Event { at: at + 1, what: What::Done(Completion::new(client(), id + 1, Outcome::Ok)) });
    }
    history.events.sort_by_key(|event| event.at);
    history
}

/// The completion of the n-th operation comes later, as if its stamp had been taken late; what its client does afterwards is
/// moved along.
fn widened(history: &History, nth: usize, by: u64) -> Option<History> {
    let mut history = history.clone();
    let ends: Vec<(u64, String)> = history
        .events
        .iter()
        .filter_map(|event| match &event.what {
            What::Done(done) => Some((done.id, done.client.clone())),
            _ => None,
        })
        .collect();
    let (id, client) = ends.get(nth % ends.len().max(1))?.clone();
    // Only the last operation of its client can be widened without moving another.
    let last = history.events.iter().rev().find(|event| match &event.what {
        What::Invoke { client: other, .. } | What::Lost { client: other, .. } | What::Gone { client: other } => *other == client,
        What::Done(done) => done.client == client,
        _ => false,
    })?;
    if !matches!(&last.what, What::Done(done) if done.id == id) {
        return None;
    }
    for event in &mut history.events {
        if matches!(&event.what, What::Done(done) if done.id == id) {
            event.at += by;
        }
    }
    history.events.sort_by_key(|event| event.at);
    Some(history)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if super::long() { 50_000 } else { 500 }, ..ProptestConfig::default() })]

    #[test]
    fn shifting_all_stamps(history in history(40), by in 1..1_000_000_000_000u64) {
        let (before, after) = (judged(&history), judged(&shifted(&history, by)));
        prop_assert_eq!(kinds(&before), kinds(&after));
        let sentences = |judgement: &Judgement| judgement.findings.iter().map(|f| f.sentence.clone()).collect::<Vec<_>>();
        prop_assert_eq!(sentences(&before), sentences(&after));
        prop_assert_eq!(before.counts, after.counts);
    }

    #[test]
    fn renaming_clients(history in history(40)) {
        let name = |client: &str| format!("worker-{}", 9 - client[1..].parse::<u32>().unwrap());
        let mut before: Vec<_> = kinds(&judged(&history)).into_iter().map(|(kind, lock, clients, events)| {
            (kind, lock, clients.iter().map(|client| name(client)).collect::<Vec<_>>(), events)
        }).collect();
        before.sort();
        prop_assert_eq!(before, kinds(&judged(&renamed(&history, name))));
    }

    #[test]
    fn reordering_lines_of_equal_time(history in history(40)) {
        let other = reordered(&history);
        // Of several writes that end at once, which is the one too many is told by line.
        let told = |history: &History| found(&judged(history)).into_iter().map(|(kind, lock, who)| {
            (kind, lock, if kind == "lost-update" { Vec::new() } else { who })
        }).collect::<std::collections::BTreeSet<_>>();
        prop_assert_eq!(told(&history), told(&other));
        prop_assert_eq!(judged(&history).counts, judged(&other).counts);
    }

    #[test]
    fn adding_unrelated_locks(history in history(40)) {
        prop_assert_eq!(kinds(&judged(&history)), kinds(&judged(&with_unrelated(&history))));
    }

    #[test]
    fn judging_twice(history in history(40)) {
        prop_assert_eq!(judged(&history), judged(&history));
    }

    /// An interval is only as good as its stamps: a later completion proves less.
    #[test]
    fn widening_the_last_operation_of_a_client(history in history(40), nth in 0..40usize, by in 1..4_000_000u64) {
        let Some(wide) = widened(&history, nth, by) else { return Ok(()) };
        // Of locks that are renewed: elsewhere a completion that comes later may turn a promise into a claim.
        let renewed = |terms: &LockTerms| LockTerms { renewed: true, ..terms.clone() };
        let locks = history.header.locks.iter().map(|(lock, terms)| (lock.clone(), renewed(terms))).collect();
        let header = Header { locks, ..history.header.clone() };
        let promised = History { header: header.clone(), ..history };
        let wide = History { header, ..wide };
        let (before, after) = (found(&judged(&promised)), found(&judged(&wide)));
        let new: Vec<_> = after.difference(&before).filter(|(kind, ..)| *kind != "lost-update").collect();
        prop_assert!(new.is_empty(), "{new:?}");
    }
}
