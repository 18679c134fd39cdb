//! A valid history, and one violation of each kind planted in it at any place: it is found, and nothing that does not follow from it.

use crate::story::{History, STOCK, acquire, check, mutex, release};
use checker::finding::{Kind, Verdict};
use checker::history::{Completion, Event, LockTerms, Op, OpId, Outcome, ResourceKind, ResourceTerms, Value, What};

const ROUNDS: u64 = 12;
/// A round's length, and the stamps of its acquire, write and release, in milliseconds.
const ROUND: u64 = 100;
const TTL_MS: u64 = 50;
/// A round's last free id: planted operations have it and those after it.
const PLANTED: OpId = 50;

fn client(round: u64) -> String {
    format!("c{}", round % 4)
}

fn id(round: u64, n: OpId) -> OpId {
    round * 100 + n
}

fn write_op(round: u64, base: i64, value: i64, fence: u64) -> Op {
    let (value, base) = (Value::Int(value), Some(Value::Int(base)));
    Op::Write { resource: STOCK.into(), grant: Some(id(round, 1)), value, base, fence: Some(fence) }
}

/// Clients take the lock in turn, sell one piece each, and give it back; at last all is quiet and a fresh client gets it.
fn valid(terms: LockTerms) -> History {
    let mut history = History::of(terms);
    let stock = ResourceTerms { kind: ResourceKind::Stock, initial: Value::Int(100), ..register() };
    history.header.resources.insert(STOCK.into(), stock);
    for round in 0..ROUNDS {
        let (t, name) = (round * ROUND, client(round));
        let left = 100 - round as i64;
        let granted = Completion {
            token: Some(format!("t{round}")),
            fence: Some(10 + round),
            ..Completion::new(name.clone(), id(round, 1), Outcome::Ok)
        };
        history = history
            .invoke(t, &name, id(round, 1), acquire(Some(TTL_MS)))
            .done(t + 2, granted)
            .observe(t + 3, t + 4, Some(&format!("t{round}")), Some(40))
            .invoke(t + 6, &name, id(round, 2), write_op(round, left, left - 1, 10 + round))
            .ok(t + 8, &name, id(round, 2))
            .invoke(t + 20, &name, id(round, 3), release(id(round, 1)))
            .ok(t + 22, &name, id(round, 3));
    }
    let end = ROUNDS * ROUND;
    history
        .quiet(end)
        .observe(end + 1, end + 2, None, None)
        .granted(end + 3, end + 4, "probe", id(ROUNDS, 1), "tp", Some(TTL_MS))
        .invoke(end + 5, "probe", id(ROUNDS, 2), release(id(ROUNDS, 1)))
        .ok(end + 6, "probe", id(ROUNDS, 2))
}

fn register() -> ResourceTerms {
    ResourceTerms { kind: ResourceKind::Register, initial: Value::Int(100), fenced: false, group: None }
}

/// Changes the completion or the operation of this id.
fn changed(mut history: History, of: OpId, change: impl Fn(&mut What)) -> History {
    let is = |event: &Event| {
        matches!(&event.what, What::Invoke { id, .. } if *id == of) || matches!(&event.what, What::Done(done) if done.id == of)
    };
    history.events.iter_mut().filter(|event| is(event)).for_each(|event| change(&mut event.what));
    history
}

fn fence(history: History, round: u64, fence: u64) -> History {
    let history = changed(history, id(round, 1), |what| {
        if let What::Done(done) = what {
            done.fence = Some(fence);
        }
    });
    changed(history, id(round, 2), |what| {
        if let What::Invoke { op: Op::Write { fence: shown, .. }, .. } = what {
            *shown = Some(fence);
        }
    })
}

/// Without the release of a round, whose lease then ends with its TTL.
fn unreleased(mut history: History, round: u64) -> History {
    let of = id(round, 3);
    history.events.retain(|event| match &event.what {
        What::Invoke { id, .. } => *id != of,
        What::Done(done) => done.id != of,
        _ => true,
    });
    history
}

/// A violation of this kind in this round, and what must follow from it.
fn planted(kind: Kind, round: u64) -> (History, &'static [Kind]) {
    let (t, next, name) = (round * ROUND, (round + 1) * ROUND, client(round));
    let history = valid(LockTerms { limit: if kind == Kind::OverLimit { 2 } else { 1 }, margin_ms: 5, ..mutex() });
    let (own, new) = (id(round, 1), id(round, PLANTED));
    let yes = |id| Completion { value: Some(Value::Bool(true)), ..Completion::new(name.clone(), id, Outcome::Ok) };
    let left = 100 - round as i64;
    let end = ROUNDS * ROUND;
    match kind {
        Kind::TwoHolders => (history.granted(t + 10, t + 11, "x", new, "tx", Some(5)), &[]),
        Kind::OverLimit => {
            let history = history.granted(t + 10, t + 12, "x", new, "tx", Some(6));
            (history.granted(t + 10, t + 13, "y", new + 1, "ty", Some(6)), &[])
        }
        Kind::StaleHolder => {
            let read = Op::Read { resource: STOCK.into(), grant: Some(own) };
            (history.invoke(next + 10, &name, new, read).ok(next + 11, &name, new), &[])
        }
        Kind::StaleWrite => {
            // Computed from what the newer holder left, and put back one: nothing is lost but the order.
            let late = write_op(round, left - 2, 1_000 + round as i64, 10 + round);
            let next_but_one = changed(history, id(round + 2, 2), |what| {
                if let What::Invoke { op: Op::Write { base, .. }, .. } = what {
                    *base = Some(Value::Int(1_000 + round as i64));
                }
            });
            (next_but_one.invoke(next + 10, &name, new, late).ok(next + 11, &name, new), &[Kind::StaleHolder])
        }
        Kind::TokenReuse => (fence(history, round + 1, 10 + round), &[]),
        Kind::TokenOrder => (fence(history, round + 1, 5), &[Kind::StaleWrite]),
        Kind::Ownership => (history.invoke(next + 10, &name, new, release(own)).ok(next + 11, &name, new), &[]),
        Kind::Ghost => (history.observe(t + 14, t + 15, None, None), &[]),
        Kind::Phantom => {
            let refused = Completion { token: Some("tx".into()), ..Completion::new("x", new, Outcome::Fail) };
            let history = history.invoke(t + 10, "x", new, acquire(Some(TTL_MS))).done(t + 11, refused);
            (history.observe(t + 30, t + 31, Some("tx"), Some(20)), &[])
        }
        Kind::Leak => (history.observe(end + 1, end + 2, Some(&format!("t{round}")), Some(20)), &[]),
        Kind::Immortal => {
            let lost = Completion { token: Some("tx".into()), ..Completion::new("x", new, Outcome::Info) };
            let history = history.invoke(t + 30, "x", new, acquire(Some(TTL_MS))).done(t + 40, lost);
            (history.observe(end + 1, end + 2, Some("tx"), None), &[])
        }
        Kind::Stuck => {
            let history = changed(history, id(ROUNDS, 1), |what| {
                if let What::Done(done) = what {
                    done.outcome = Outcome::Fail;
                }
            });
            let late = end + TTL_MS + 6;
            (
                history.invoke(late, "probe", id(ROUNDS, PLANTED), acquire(Some(TTL_MS))).fail(
                    late + 1,
                    "probe",
                    id(ROUNDS, PLANTED),
                ),
                &[],
            )
        }
        // In the next round the store is seen to hold another's token: the check says yes to what is not there.
        Kind::LateNotice => {
            let history = unreleased(history, round).invoke(next + 10, &name, new, check(own)).done(next + 11, yes(new));
            (history, &[Kind::Ghost])
        }
        Kind::DishonestValidity => {
            let promise = |what: &mut What| {
                if let What::Done(done) = what {
                    done.valid_for_ms = Some(TTL_MS as i64 + 1);
                }
            };
            (changed(history, own, promise), &[])
        }
        Kind::LostUpdate => {
            let from_the_same = |what: &mut What| {
                if let What::Invoke { op: Op::Write { base, .. }, .. } = what {
                    *base = Some(Value::Int(left));
                }
            };
            (changed(history, id(round + 1, 2), from_the_same), &[])
        }
        Kind::Oversold => {
            let too_much = |what: &mut What| {
                if let What::Invoke { op: Op::Write { value, .. }, .. } = what {
                    *value = Value::Int(-1 - left);
                }
            };
            (changed(history, id(round, 2), too_much), &[])
        }
        Kind::NotConserved => {
            let mut history = history;
            let accounts = [("a", 7), ("b", 3)];
            for (name, initial) in accounts {
                let terms = ResourceTerms { initial: Value::Int(initial), group: Some("money".into()), ..register() };
                history.header.resources.insert(name.into(), terms);
            }
            for (n, (name, initial)) in (0..).zip(accounts) {
                let (id, at) = (id(ROUNDS, PLANTED + n), end + 10 + 2 * n);
                let read = Op::Read { resource: name.into(), grant: None };
                let value = Some(Value::Int(initial + round as i64 + 1));
                let done = Completion { value, ..Completion::new("probe", id, Outcome::Ok) };
                history = history.invoke(at, "probe", id, read).done(at + 1, done);
            }
            // Nobody had written what was read.
            (history, &[Kind::NotLinearizable])
        }
        Kind::NotLinearizable => {
            // What was sold before is there again.
            let read = Op::Read { resource: STOCK.into(), grant: Some(own) };
            let value = Some(Value::Int(left));
            let done = Completion { value, ..Completion::new(name.clone(), new, Outcome::Ok) };
            (history.invoke(t + 10, &name, new, read).done(t + 12, done), &[])
        }
    }
}

const KINDS: [Kind; 18] = [
    Kind::TwoHolders,
    Kind::OverLimit,
    Kind::StaleHolder,
    Kind::StaleWrite,
    Kind::TokenReuse,
    Kind::TokenOrder,
    Kind::Ownership,
    Kind::Ghost,
    Kind::Phantom,
    Kind::Leak,
    Kind::Immortal,
    Kind::Stuck,
    Kind::LateNotice,
    Kind::DishonestValidity,
    Kind::LostUpdate,
    Kind::Oversold,
    Kind::NotConserved,
    Kind::NotLinearizable,
];

#[test]
fn what_it_is_planted_in_is_valid() {
    for limit in [1, 2] {
        let judgement = valid(LockTerms { limit, ..mutex() }).judge();
        assert_eq!((judgement.verdict, judgement.findings), (Verdict::Valid, vec![]));
    }
}

#[test]
fn each_kind_is_found_wherever_it_is_planted_and_nothing_else() {
    for kind in KINDS {
        for round in 0..ROUNDS - 2 {
            let (history, follow) = planted(kind, round);
            let history = history.sorted();
            let kinds = history.kinds();
            let expected = [kind].iter().chain(follow).copied().collect();
            assert_eq!(kinds, expected, "{kind} planted in round {round}: {:#?}\n{}", history.judge().findings, history.text());
        }
    }
}
