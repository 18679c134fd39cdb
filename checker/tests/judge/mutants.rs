//! A healthy run in which one thing of each kind is made wrong at a random place: it is found, and nothing else is.

use super::generate::MS;
use checker::finding::{Judgement, Kind, Verdict};
use checker::history::{
    Completion, Event, Header, KeySeen, LockTerms, Observation, Op, OpId, Outcome, Phase, ResourceKind, ResourceTerms, Value,
    What,
};
use checker::judge::judge;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const ALL: [Kind; 18] = [
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

const LOCK: &str = "order:42";
const CYCLE: u64 = 100;
const TTL: u64 = 50;

/// A run under construction: times in milliseconds.
struct Run {
    events: Vec<Event>,
    next: OpId,
}

impl Run {
    fn put(&mut self, at: u64, what: What) {
        self.events.push(Event { at: at * MS, what });
    }

    fn op(&mut self, client: &str, from: u64, until: u64, op: Op, done: Completion) -> OpId {
        self.next += 1;
        let id = self.next;
        self.put(from, What::Invoke { client: client.into(), id, op });
        self.put(until, What::Done(Completion { client: client.into(), id, ..done }));
        id
    }

    fn acquire(&mut self, client: &str, from: u64, lock: &str, done: Completion) -> OpId {
        self.op(client, from, from + 2, Op::Acquire { lock: lock.into(), ttl_ms: Some(TTL) }, done)
    }

    fn release(&mut self, client: &str, from: u64, lock: &str, grant: OpId) {
        self.op(client, from, from + 2, Op::Release { lock: lock.into(), grant: Some(grant) }, ok());
    }

    fn write(&mut self, client: &str, from: u64, resource: &str, grant: OpId, (base, value): (i64, i64), fence: Option<u64>) {
        let (value, base) = (Value::Int(value), Some(Value::Int(base)));
        let op = Op::Write { resource: resource.into(), grant: Some(grant), value, base, fence };
        self.op(client, from, from + 1, op, ok());
    }

    fn observe(&mut self, at: u64, holder: Option<&str>, keys: Vec<KeySeen>) {
        let seen = Observation { lock: LOCK.into(), from: (at - 1) * MS, holder: holder.map(String::from), keys };
        self.put(at, What::Observe(seen));
    }
}

fn ok() -> Completion {
    Completion::new("", 0, Outcome::Ok)
}

fn refused(token: String) -> Completion {
    Completion { token: Some(token), ..Completion::new("", 0, Outcome::Fail) }
}

fn key(token: &str, ttl_ms: Option<u64>) -> KeySeen {
    KeySeen { node: "n1".into(), key: LOCK.into(), token: token.into(), ttl_ms }
}

fn header() -> Header {
    let stock = ResourceTerms { kind: ResourceKind::Stock, initial: Value::Int(1_000), fenced: false, group: None };
    let register = ResourceTerms { kind: ResourceKind::Register, initial: Value::Int(0), fenced: false, group: None };
    let account =
        ResourceTerms { kind: ResourceKind::Register, initial: Value::Int(500), fenced: false, group: Some("bank".into()) };
    Header {
        fencepost: 1,
        name: "mutant".into(),
        contention: true,
        locks: BTreeMap::from([
            (LOCK.into(), LockTerms { ttl_ms: Some(TTL), margin_ms: 20, ..LockTerms::default() }),
            ("pool".into(), LockTerms { limit: 2, ttl_ms: Some(TTL), ..LockTerms::default() }),
        ]),
        resources: BTreeMap::from([
            ("r".into(), register),
            ("tickets".into(), stock),
            ("a".into(), account.clone()),
            ("b".into(), account),
        ]),
        ..Header::default()
    }
}

/// A run of so many cycles, in which one thing is wrong in the given cycle.
fn run(cycles: u64, wrong: Option<(Kind, u64)>) -> Vec<Event> {
    let mut run = Run { events: Vec::new(), next: 0 };
    let (mut value, mut before, mut tickets) = (0i64, 0i64, 1_000i64);
    let (mut a, mut b) = (500i64, 500i64);
    let mut last: Option<(String, OpId, u64)> = None;
    for cycle in 0..cycles {
        let here = |kind| wrong == Some((kind, cycle));
        let there = |kind| cycle > 0 && wrong == Some((kind, cycle - 1));
        let (at, client) = (cycle * CYCLE, format!("c{}", cycle % 3));
        let other = format!("c{}", (cycle + 1) % 3);
        let fence = match (here(Kind::TokenReuse), here(Kind::TokenOrder)) {
            (true, _) => cycle * 10,
            (_, true) => cycle * 10 - 5,
            _ => cycle * 10 + 10,
        };
        let granted = Completion {
            token: Some(format!("token{cycle}")),
            fence: Some(fence),
            valid_for_ms: here(Kind::DishonestValidity).then_some(-5),
            ..ok()
        };
        let grant = run.acquire(&client, at, LOCK, granted);
        if here(Kind::TwoHolders) {
            let second =
                run.acquire(&other, at + 5, LOCK, Completion { token: Some("second".into()), fence: Some(fence + 1), ..ok() });
            run.release(&other, at + 8, LOCK, second);
        } else {
            run.acquire(&other, at + 5, LOCK, refused(format!("refused{cycle}")));
        }
        let holder = format!("token{cycle}");
        run.observe(at + 9, (!here(Kind::Ghost)).then_some(holder.as_str()), Vec::new());
        if !here(Kind::TokenOrder) && !here(Kind::StaleWrite) {
            let base = if here(Kind::LostUpdate) { before } else { value };
            before = base;
            value = cycle as i64 * 10 + 1;
            run.write(&client, at + 10, "r", grant, (base, value), Some(fence));
        }
        let left = if here(Kind::Oversold) { -1 } else { tickets - 1 };
        if !here(Kind::TokenOrder) {
            run.write(&client, at + 12, "tickets", grant, (tickets, left), None);
            tickets = left;
        }
        if !here(Kind::TokenOrder) {
            // One coin moves from account to account.
            run.write(&client, at + 13, "a", grant, (a, a - 1), None);
            a -= 1;
            if !here(Kind::NotConserved) {
                run.write(&client, at + 14, "b", grant, (b, b + 1), None);
                b += 1;
            }
        }
        if let Some((paused, old, old_fence)) = last.take() {
            if there(Kind::StaleHolder) {
                run.op(&paused, at + 15, at + 16, Op::Read { resource: "r".into(), grant: Some(old) }, ok());
            }
            if there(Kind::Ownership) {
                run.release(&paused, at + 15, LOCK, old);
            }
            if there(Kind::LateNotice) {
                let op = Op::Extend { lock: LOCK.into(), grant: Some(old), ttl_ms: Some(TTL) };
                run.op(&paused, at + 30, at + 31, op, ok());
            }
            if there(Kind::StaleWrite) {
                run.write(&paused, at + 30, "r", old, (value, value + 1), Some(old_fence));
                (before, value) = (value, value + 1);
            }
        }
        // Whoever looks sees what was written last.
        let shown = Value::Int(if here(Kind::NotLinearizable) { before - 1 } else { value });
        run.op(
            "looker",
            at + 33,
            at + 34,
            Op::Read { resource: "r".into(), grant: None },
            Completion { value: Some(shown), ..ok() },
        );
        let pauses = [Kind::StaleHolder, Kind::Ownership, Kind::LateNotice, Kind::StaleWrite].into_iter().any(here);
        if pauses {
            last = Some((client.clone(), grant, fence));
        } else {
            run.release(&client, at + 20, LOCK, grant);
        }
        if here(Kind::Phantom) {
            run.observe(at + 41, Some(&format!("refused{cycle}")), Vec::new());
        }
        // A semaphore for two: the third waits.
        let slots: Vec<OpId> = ["s0", "s1"].iter().map(|client| run.acquire(client, at + 50, "pool", ok())).collect();
        if here(Kind::OverLimit) {
            let third = run.acquire("s2", at + 53, "pool", ok());
            run.release("s2", at + 56, "pool", third);
        }
        ["s0", "s1"].iter().zip(slots).for_each(|(client, slot)| run.release(client, at + 60, "pool", slot));
    }
    end(&mut run, cycles * CYCLE, wrong, [("a", a), ("b", b)]);
    run.events.sort_by_key(|event| event.at);
    run.events
}

/// The run goes quiet, and the probe looks.
fn end(run: &mut Run, at: u64, wrong: Option<(Kind, u64)>, accounts: [(&str, i64); 2]) {
    run.put(at, What::Phase(Phase::Quiet));
    let keys = match wrong {
        Some((Kind::Leak, cycle)) => vec![key(&format!("refused{cycle}"), Some(20))],
        Some((Kind::Immortal, _)) => vec![key("whose?", None)],
        _ => Vec::new(),
    };
    run.observe(at + 2, None, keys);
    if matches!(wrong, Some((Kind::Stuck, _))) {
        run.acquire("probe", at + 3, LOCK, refused("p".into()));
        run.acquire("probe", at + TTL + 20, LOCK, refused("q".into()));
    } else {
        let grant = run.acquire("probe", at + 3, LOCK, Completion { token: Some("p".into()), ..ok() });
        run.release("probe", at + 6, LOCK, grant);
    }
    for (account, balance) in accounts {
        let done = Completion { value: Some(Value::Int(balance)), ..ok() };
        run.op("probe", at + TTL + 24, at + TTL + 25, Op::Read { resource: account.into(), grant: None }, done);
    }
    run.put(at + TTL + 30, What::Phase(Phase::End));
}

fn judged(cycles: u64, wrong: Option<(Kind, u64)>) -> Judgement {
    judge(&header(), &run(cycles, wrong))
}

/// The cycle needs one before it and one after it.
fn cases() -> impl Strategy<Value = (u64, Kind, u64)> {
    (3..30u64).prop_flat_map(|cycles| (Just(cycles), prop::sample::select(ALL.to_vec()), 1..cycles - 1))
}

#[test]
fn nothing_is_wrong_with_the_healthy_run() {
    for cycles in 3..30 {
        let judgement = judged(cycles, None);
        assert_eq!(judgement.verdict, Verdict::Valid, "{judgement:#?}");
        // In every cycle one is refused; in the last it gives up.
        assert_eq!(judgement.counts.contended, cycles);
    }
}

/// Each kind, wherever it is, so that none depends on the luck of a draw.
#[test]
fn each_kind_is_found_alone() {
    for wrong in ALL {
        for cycle in 1..6 {
            let judgement = judged(8, Some((wrong, cycle)));
            let found: BTreeSet<Kind> = judgement.findings.iter().map(|finding| finding.kind).collect();
            assert_eq!(found, BTreeSet::from([wrong]), "in cycle {cycle}: {judgement:#?}");
        }
    }
}

proptest! {
    #[test]
    fn one_wrong_at_a_random_place((cycles, wrong, cycle) in cases()) {
        let judgement = judged(cycles, Some((wrong, cycle)));
        let found: BTreeSet<Kind> = judgement.findings.iter().map(|finding| finding.kind).collect();
        prop_assert_eq!(found, BTreeSet::from([wrong]));
        prop_assert!(judgement.findings.iter().all(|finding| finding.sentence.ends_with('.')));
    }
}
