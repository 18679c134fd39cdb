//! Whatever events come, in whatever order: they are judged without a panic.

use checker::finding::Verdict;
use checker::history::{Completion, Event, FaultEvent, Header, KeySeen, Moment, Observation, Op, Outcome, Phase, Value, What};
use checker::judge::judge;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z0-9:]{1,6}", any::<String>()]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        text().prop_map(|text| Value::Text(text.into())),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| prop::collection::vec(inner, 0..3).prop_map(Value::List))
}

fn op() -> impl Strategy<Value = Op> {
    let some = || prop::option::of(any::<u64>());
    prop_oneof![
        (text(), some()).prop_map(|(lock, ttl_ms)| Op::Acquire { lock, ttl_ms }),
        (text(), some(), some()).prop_map(|(lock, grant, ttl_ms)| Op::Extend { lock, grant, ttl_ms }),
        (text(), some()).prop_map(|(lock, grant)| Op::Release { lock, grant }),
        (text(), some()).prop_map(|(lock, grant)| Op::Check { lock, grant }),
        (text(), some()).prop_map(|(resource, grant)| Op::Read { resource, grant }),
        (text(), some(), value(), prop::option::of(value()), some())
            .prop_map(|(resource, grant, value, base, fence)| Op::Write { resource, grant, value, base, fence }),
    ]
}

fn completion() -> impl Strategy<Value = Completion> {
    let some = || prop::option::of(any::<u64>());
    let outcome = prop::sample::select(vec![Outcome::Ok, Outcome::Fail, Outcome::Info]);
    let told = (prop::option::of(any::<i64>()), some(), some(), some(), some());
    (text(), any::<u64>(), outcome, prop::option::of(text()), told, prop::option::of(value()), prop::option::of(text())).prop_map(
        |(client, id, outcome, token, (valid_for_ms, fence, valid_until, told_at, fenced_by), value, why)| Completion {
            token,
            fence,
            valid_for_ms,
            valid_until,
            told_at,
            value,
            fenced_by,
            why,
            ..Completion::new(client, id, outcome)
        },
    )
}

fn what() -> impl Strategy<Value = What> {
    let moment = prop::sample::select(vec![Moment::Begin, Moment::Verified, Moment::End, Moment::Failed]);
    let key = (text(), text(), text(), prop::option::of(any::<u64>())).prop_map(|(node, key, token, ttl_ms)| KeySeen {
        node,
        key,
        token,
        ttl_ms,
    });
    prop_oneof![
        (text(), any::<u64>(), op()).prop_map(|(client, id, op)| What::Invoke { client, id, op }),
        completion().prop_map(What::Done),
        (text(), text()).prop_map(|(client, lock)| What::Lost { client, lock }),
        text().prop_map(|client| What::Gone { client }),
        (text(), text(), prop::collection::vec(text(), 0..3), moment, text())
            .prop_map(|(step, kind, targets, moment, text)| What::Fault(FaultEvent { step, kind, targets, moment, text })),
        (text(), any::<u64>(), prop::option::of(text()), prop::collection::vec(key, 0..3))
            .prop_map(|(lock, from, holder, keys)| What::Observe(Observation { lock, from, holder, keys })),
        prop_oneof![
            Just(Phase::Healthy),
            text().prop_map(Phase::Sick),
            Just(Phase::Quiet),
            text().prop_map(Phase::Interrupted),
            text().prop_map(Phase::Stalled),
            Just(Phase::End)
        ]
        .prop_map(What::Phase),
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((any::<u64>(), what()).prop_map(|(at, what)| Event { at, what }), 0..12)
}

proptest! {
    #[test]
    fn anything_is_judged(events in events()) {
        let judgement = judge(&Header { fencepost: 1, ..Header::default() }, &events);
        prop_assert!(judgement.findings.iter().all(|finding| finding.sentence.contains("; cause: ")));
    }

    /// Small numbers and few names, so that events do meet.
    #[test]
    fn anything_that_meets_is_judged(mut events in prop::collection::vec((0..40u64, what()), 0..40)) {
        events.iter_mut().for_each(|(_, what)| meet(what));
        let events: Vec<Event> = events.into_iter().map(|(at, what)| Event { at, what }).collect();
        let judgement = judge(&Header { fencepost: 1, ..Header::default() }, &events);
        prop_assert!(judgement.findings.iter().all(|finding| finding.from <= finding.until));
    }
}

/// One of two clients, two locks, one of eight operations.
fn meet(what: &mut What) {
    let client = |client: &mut String| *client = if client.len().is_multiple_of(2) { "c1".into() } else { "c2".into() };
    let one = |lock: &mut String| *lock = if lock.len().is_multiple_of(2) { "a".into() } else { "b".into() };
    match what {
        What::Invoke { client: who, id, op } => {
            client(who);
            *id %= 8;
            match op {
                Op::Acquire { lock, .. } => one(lock),
                Op::Extend { lock, grant, .. } | Op::Release { lock, grant } | Op::Check { lock, grant } => {
                    one(lock);
                    *grant = grant.map(|grant| grant % 8);
                }
                Op::Read { resource, grant } | Op::Write { resource, grant, .. } => {
                    *resource = "r".into();
                    *grant = grant.map(|grant| grant % 8);
                }
            }
        }
        What::Done(done) => {
            client(&mut done.client);
            done.id %= 8;
            done.token = done.token.take().map(|_| "t".into());
        }
        What::Lost { client: who, lock } => {
            client(who);
            one(lock);
        }
        What::Gone { client: who } => client(who),
        What::Observe(seen) => {
            one(&mut seen.lock);
            seen.from %= 40;
            seen.holder = seen.holder.take().map(|_| "t".into());
        }
        What::Fault(_) | What::Phase(_) => {}
    }
}

/// Found by the fuzzer: a write whose stamps are earlier than the last one's is over in the instant in which it begins.
#[test]
fn a_write_of_stamps_that_go_back_is_judged() {
    let write = |at, id| {
        let op = Op::Write { resource: "r".into(), grant: None, value: Value::Int(2), base: Some(Value::Int(1)), fence: None };
        Event { at, what: What::Invoke { client: "c1".into(), id, op } }
    };
    let done = |at, id, outcome| Event { at, what: What::Done(Completion::new("c1", id, outcome)) };
    let events = [write(0, 1), done(1, 1, Outcome::Info), write(10, 2), write(5, 3), done(6, 3, Outcome::Ok)];
    assert_eq!(judge(&Header::default(), &events).verdict, Verdict::Assumptions);
}

/// Found by the fuzzer: the id of a grant named another one, of another lock, and then the client was gone.
#[test]
fn the_id_of_a_grant_names_no_other_operation() {
    let acquire = |at, lock: &str| {
        let op = Op::Acquire { lock: lock.into(), ttl_ms: Some(500) };
        Event { at, what: What::Invoke { client: "c1".into(), id: 1, op } }
    };
    let granted = |at| Event { at, what: What::Done(Completion::new("c1", 1, Outcome::Ok)) };
    let gone = Event { at: 6, what: What::Gone { client: "c1".into() } };
    let op = Op::Release { lock: "b".into(), grant: Some(1) };
    let release = Event { at: 5, what: What::Invoke { client: "c1".into(), id: 2, op } };
    let judgement = judge(&Header::default(), &[acquire(1, "a"), granted(2), acquire(3, "b"), granted(4), release, gone]);
    assert_eq!(judgement.verdict, Verdict::Assumptions);
    let said = &judgement.broken[0].sentence;
    assert!(said.contains("operation 1 is invoked again"), "{said}");
}
