//! The judge and the engine agree: on locks whose grants last until they are given back, two hold at once exactly if no order of the
//! operations makes the lock a mutex, lost replies included.

use crate::story::{History, LOCK, MS, acquire, mutex, release};
use checker::engine::{self, Limits, Operation};
use checker::finding::Kind;
use checker::history::{OpId, Value};
use checker::model::owner_mutex::{OwnerMutex, OwnerOp};
use proptest::prelude::*;

/// One attempt, by a client of its own: how long each part of its life takes, and how its two operations end.
#[derive(Debug, Clone)]
struct Attempt {
    called: u64,
    times: [u64; 3],
    acquire: End,
    release: Option<End>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Ok,
    Fail,
    Lost,
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![5 => Just(End::Ok), 1 => Just(End::Fail), 2 => Just(End::Lost)]
}

/// Some are given back at the stamp at which they are granted.
fn attempt() -> impl Strategy<Value = Attempt> {
    let release = prop_oneof![1 => Just(None), 5 => end().prop_map(Some)];
    (0..20u64, [0..6u64, 0..6, 0..6], end(), release).prop_map(|(called, times, acquire, release)| Attempt {
        called,
        times,
        acquire,
        release,
    })
}

/// The attempts as a history, and as operations of a mutex in which every attempt has a token of its own.
fn both(attempts: &[Attempt]) -> (History, Vec<Operation<OwnerOp>>) {
    let (mut history, mut operations) = (History::of(mutex()), Vec::new());
    for (n, attempt) in attempts.iter().enumerate() {
        let (client, id, token) = (format!("c{n}"), 2 * n as OpId + 1, Value::Int(n as i64));
        let granted = attempt.called + attempt.times[0];
        let given_back = granted + attempt.times[1];
        let answered = given_back + attempt.times[2];
        history = history.invoke(attempt.called, &client, id, acquire(None));
        history = match attempt.acquire {
            End::Ok => history.ok(granted, &client, id),
            End::Fail => history.fail(granted, &client, id),
            End::Lost => history.info(granted, &client, id),
        };
        let known = |op, from: u64, to: u64, end| match end {
            End::Ok => Some(Operation::known(op, from * MS, to * MS)),
            End::Lost => Some(Operation::unknown(op, from * MS)),
            End::Fail => None,
        };
        operations.extend(known(OwnerOp::Acquire(token.clone()), attempt.called, granted, attempt.acquire));
        // Whoever was refused has nothing to give back, and what was given back in vain was not held.
        let Some(end) = attempt.release.filter(|end| attempt.acquire != End::Fail && *end != End::Fail) else { continue };
        // Who does not know whether it holds may give back, too; a yes then says that it held.
        if attempt.acquire == End::Lost && end == End::Ok {
            continue;
        }
        history = history.invoke(given_back, &client, id + 1, release(id));
        history = if end == End::Ok { history.ok(answered, &client, id + 1) } else { history.info(answered, &client, id + 1) };
        operations.extend(known(OwnerOp::Release(token), given_back, answered, end));
    }
    (history.sorted(), operations)
}

proptest! {
    #![proptest_config(crate::config(5_000, 150_000))]

    #[test]
    fn two_hold_exactly_if_no_order_makes_a_mutex(attempts in prop::collection::vec(attempt(), 1..10)) {
        let (history, two_hold, is_mutex) = ask(&attempts);
        prop_assert_eq!(two_hold, !is_mutex, "{}", history.text());
    }
}

/// Whether the judge says that two hold, and whether the engine finds an order that makes a mutex.
fn ask(attempts: &[Attempt]) -> (History, bool, bool) {
    let (history, operations) = both(attempts);
    let parts = engine::check(&OwnerMutex, &operations, &Limits::default());
    let is_mutex = parts.iter().all(|part| part.outcome.is_linearizable());
    let two_hold = history.judge().findings.iter().any(|finding| finding.kind == Kind::TwoHolders && finding.lock == LOCK);
    (history, two_hold, is_mutex)
}
