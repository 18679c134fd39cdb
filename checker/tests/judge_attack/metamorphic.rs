//! What must not change a verdict, and what may change it in one direction only.

use crate::generate::history;
use crate::story::{History, essence};
use checker::finding::{Judgement, Kind};
use checker::history::{Event, Op, OpId, Outcome, What};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Changes every client's name.
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

/// Moves every stamp by so much, those inside of events too.
fn shifted(history: &History, by: u64) -> History {
    let mut history = history.clone();
    for event in &mut history.events {
        event.at += by;
        match &mut event.what {
            What::Done(done) => {
                done.valid_until = done.valid_until.map(|at| at + by);
                done.told_at = done.told_at.map(|at| at + by);
            }
            What::Observe(seen) => seen.from += by,
            _ => {}
        }
    }
    history
}

/// The same life again on other locks and resources, of other clients, with other ids.
fn beside(history: &History, other: &History) -> History {
    let (far, mut both) = (1_000_000, history.clone());
    let lock = |lock: &mut String| lock.insert_str(0, "other-");
    let grant = |grant: &mut Option<OpId>| *grant = grant.map(|id| id + far);
    both.header.locks.extend(other.header.locks.iter().map(|(name, terms)| (format!("other-{name}"), terms.clone())));
    both.header.resources.extend(other.header.resources.iter().map(|(name, terms)| (format!("other-{name}"), terms.clone())));
    let last = history.events.last().map_or(0, |event| event.at);
    // Whether something never ended is seen at the history's end only: that must not move.
    for event in renamed(other, |client| format!("other-{client}")).events.iter().filter(|event| event.at <= last) {
        let mut event = event.clone();
        match &mut event.what {
            What::Invoke { id, op, .. } => {
                *id += far;
                match op {
                    Op::Acquire { lock: on, .. } => lock(on),
                    Op::Extend { lock: on, grant: of, .. }
                    | Op::Release { lock: on, grant: of }
                    | Op::Check { lock: on, grant: of } => {
                        lock(on);
                        grant(of);
                    }
                    Op::Read { resource, grant: of } | Op::Write { resource, grant: of, .. } => {
                        lock(resource);
                        grant(of);
                    }
                }
            }
            What::Done(done) => done.id += far,
            What::Lost { lock: on, .. } => lock(on),
            What::Observe(seen) => lock(&mut seen.lock),
            // These are of the run, not of a lock.
            What::Fault(_) | What::Phase(_) => continue,
            What::Gone { .. } => {}
        }
        both.events.push(event);
    }
    both.sorted()
}

/// Reorders lines of equal time by these numbers; those of one thread stay in their order.
fn reordered(history: &History, numbers: &[u32], thread: impl Fn(&Event) -> String) -> History {
    let mut left: Vec<Event> = history.events.clone();
    let mut events = Vec::new();
    let mut numbers = numbers.iter().cycle();
    while let Some(first) = left.first() {
        let mut seen = BTreeSet::new();
        // Of each thread the next line of this stamp.
        let equal = (0..left.len()).take_while(|n| left[*n].at == first.at);
        let next: Vec<usize> = equal.filter(|n| seen.insert(thread(&left[*n]))).collect();
        let choice = numbers.next().map_or(0, |number| *number as usize % next.len());
        events.push(left.remove(next[choice]));
    }
    History { header: history.header.clone(), events }
}

fn whose(event: &Event) -> Option<&str> {
    match &event.what {
        What::Invoke { client, .. } | What::Lost { client, .. } | What::Gone { client } => Some(client),
        What::Done(done) => Some(&done.client),
        What::Fault(_) | What::Observe(_) | What::Phase(_) => None,
    }
}

/// Lets one granted acquire have been answered later, without passing what its client does next.
fn widened(history: &History, nth: usize, by: u64) -> Option<History> {
    let is_granted = |event: &Event| matches!(&event.what, What::Done(done) if done.outcome == Outcome::Ok);
    let acquires: BTreeSet<OpId> = history
        .events
        .iter()
        .filter_map(|event| match &event.what {
            What::Invoke { id, op: Op::Acquire { .. }, .. } => Some(*id),
            _ => None,
        })
        .collect();
    let of_acquire = |event: &Event| matches!(&event.what, What::Done(done) if acquires.contains(&done.id));
    let grants: Vec<usize> =
        (0..history.events.len()).filter(|n| is_granted(&history.events[*n]) && of_acquire(&history.events[*n])).collect();
    let at = *grants.get(nth.checked_rem(grants.len())?)?;
    let client = whose(&history.events[at])?;
    let next = history.events[at + 1..].iter().find(|event| whose(event) == Some(client)).map(|event| event.at);
    let mut wide = history.clone();
    let later = wide.events[at].at + by;
    wide.events[at].at = next.map_or(later, |next| later.min(next));
    let event = wide.events.remove(at);
    // After everything that was stamped before, and before what the same client does at that stamp.
    let place = wide.events[at..].iter().position(|other| other.at >= event.at).map_or(wide.events.len(), |n| at + n);
    wide.events.insert(place, event);
    Some(wide)
}

fn of(judgement: &Judgement, kinds: &[Kind]) -> BTreeSet<(Kind, String, BTreeSet<String>)> {
    essence(judgement).into_iter().filter(|(kind, ..)| kinds.contains(kind)).collect()
}

proptest! {
    #![proptest_config(crate::config(1_500, 100_000))]

    #[test]
    fn only_the_distance_of_stamps_counts(history in history(30), by in 1..u64::MAX / 2) {
        let (here, there) = (history.judge(), shifted(&history, by).judge());
        prop_assert_eq!(essence(&here), essence(&there));
        prop_assert_eq!((here.verdict, here.counts, here.broken), (there.verdict, there.counts, there.broken));
        let sentences = |findings: &[checker::finding::Finding]| findings.iter().map(|f| f.sentence.clone()).collect::<Vec<_>>();
        prop_assert_eq!(sentences(&here.findings), sentences(&there.findings));
    }

    #[test]
    fn names_are_only_names(history in history(30)) {
        let names = BTreeMap::from([("c0", "zoe"), ("c1", "c0"), ("c2", "ann"), ("probe", "probe")]);
        let name = |client: &str| names[client].to_string();
        let expected: BTreeSet<_> = essence(&history.judge())
            .into_iter()
            .map(|(kind, lock, clients)| (kind, lock, clients.iter().map(|client| name(client)).collect::<BTreeSet<_>>()))
            .collect();
        prop_assert_eq!(essence(&renamed(&history, name).judge()), expected);
    }

    #[test]
    fn locks_are_independent(history in history(25), other in history(25)) {
        let of_other = |name: &str| name.starts_with("other-");
        let alone = essence(&history.judge());
        let together = essence(&beside(&history, &other).judge());
        let rest: BTreeSet<_> = together.into_iter().filter(|(_, lock, _)| !of_other(lock)).collect();
        prop_assert_eq!(rest, alone);
    }

    #[test]
    fn a_later_answer_only_takes_back(history in history(30), nth in any::<usize>(), by in 1..5_000_000u64) {
        let Some(wide) = widened(&history, nth, by) else { return Ok(()) };
        let kinds = [Kind::TwoHolders, Kind::OverLimit];
        let (before, after) = (of(&history.judge(), &kinds), of(&wide.judge(), &kinds));
        let pairs = |all: &BTreeSet<(Kind, String, BTreeSet<String>)>| {
            all.iter().filter(|(kind, ..)| *kind == Kind::TwoHolders).cloned().collect::<BTreeSet<_>>()
        };
        // A claim to hold after the validity was over is made by being late: a grant without one cannot become worse.
        let claims = wide.events.len() != history.events.len() || has_promises(&history);
        prop_assert!(claims || pairs(&after).is_subset(&pairs(&before)), "{before:?}\n{after:?}\n{}\n{}", history.text(), wide.text());
    }
}

/// Whether any grant ends by itself, so that its answer may come after its end.
fn has_promises(history: &History) -> bool {
    let timed = history.header.locks.values().any(|terms| terms.ttl_ms.is_some());
    timed
        || history.events.iter().any(|event| match &event.what {
            What::Invoke { op: Op::Acquire { ttl_ms, .. } | Op::Extend { ttl_ms, .. }, .. } => ttl_ms.is_some(),
            What::Done(done) => done.valid_for_ms.is_some() || done.valid_until.is_some(),
            _ => false,
        })
}

proptest! {
    #![proptest_config(crate::config(1_500, 100_000))]

    /// What one client does stays in its order, and so does what the runner does.
    #[test]
    fn the_order_of_clients_at_one_stamp_says_nothing(
        history in history(30), numbers in prop::collection::vec(any::<u32>(), 1..40)
    ) {
        let other = reordered(&history, &numbers, |event| whose(event).unwrap_or("the runner").to_string());
        let (here, there) = (essence(&history.judge()), essence(&other.judge()));
        prop_assert_eq!(here, there, "\n{}\n{}", history.text(), other.text());
    }

    /// What is told to a client without its asking, and what the runner does, may stand anywhere within its stamp.
    #[test]
    fn the_order_of_lines_of_one_stamp_says_nothing(
        history in history(30), numbers in prop::collection::vec(any::<u32>(), 1..40)
    ) {
        let other = reordered(&history, &numbers, |event| match &event.what {
            What::Lost { .. } | What::Observe(_) | What::Phase(_) => format!("{event:?}"),
            _ => whose(event).unwrap_or("the runner").to_string(),
        });
        let (here, there) = (essence(&history.judge()), essence(&other.judge()));
        prop_assert_eq!(here, there, "\n{}\n{}", history.text(), other.text());
    }
}
