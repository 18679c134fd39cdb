//! Whatever stands in a history, it can be reported: no panic, no line that is too wide.

use checker::finding::{Cause, Counts, Finding, Judgement, Kind, Verdict};
use checker::history::{Completion, Event, FaultEvent, Header, LockTerms, Moment, Op, Outcome, Phase, Value, What};
use fencepost::plan::Expectation;
use fencepost::report::paint::{Charset, Colour, Look};
use fencepost::report::terminal::terminal;
use fencepost::report::{Subject, compare, injected};
use proptest::prelude::*;

fn at() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0u64..40, 4 => (0u64..2000).prop_map(|ms| ms * 1_000_000), 1 => any::<u64>(), 1 => Just(u64::MAX)]
}

fn client() -> impl Strategy<Value = String> {
    prop_oneof![8 => (1u8..7).prop_map(|n| format!("c{n}")), 1 => "\\PC{0,40}", 1 => Just("a\u{1b}[2J\n".to_owned())]
}

fn op() -> impl Strategy<Value = Op> {
    let lock = || Just("lock1".to_owned());
    let grant = || proptest::option::of(0u64..12);
    let ttl = || proptest::option::of(prop_oneof![0u64..900, any::<u64>()]);
    prop_oneof![
        (lock(), ttl()).prop_map(|(lock, ttl_ms)| Op::Acquire { lock, ttl_ms }),
        (lock(), grant(), ttl()).prop_map(|(lock, grant, ttl_ms)| Op::Extend { lock, grant, ttl_ms }),
        (lock(), grant()).prop_map(|(lock, grant)| Op::Release { lock, grant }),
        (lock(), grant()).prop_map(|(lock, grant)| Op::Check { lock, grant }),
        (lock(), grant()).prop_map(|(resource, grant)| Op::Read { resource, grant }),
        (lock(), grant(), any::<i64>(), proptest::option::of(0u64..4)).prop_map(|(resource, grant, value, fence)| Op::Write {
            resource,
            grant,
            value: Value::Int(value),
            base: None,
            fence,
        }),
    ]
}

fn what() -> impl Strategy<Value = What> {
    let outcome = prop_oneof![Just(Outcome::Ok), Just(Outcome::Fail), Just(Outcome::Info)];
    let moment = prop_oneof![Just(Moment::Begin), Just(Moment::Verified), Just(Moment::End), Just(Moment::Failed)];
    let done = (
        client(),
        0u64..12,
        outcome,
        proptest::option::of(any::<i64>()),
        proptest::option::of(any::<u64>()),
        proptest::option::of(0u64..4),
    );
    prop_oneof![
        4 => (client(), 0u64..12, op()).prop_map(|(client, id, op)| What::Invoke { client, id, op }),
        4 => done.prop_map(|(client, id, outcome, valid_for_ms, valid_until, fenced_by)| {
            What::Done(Completion { valid_for_ms, valid_until, fenced_by, ..Completion::new(client, id, outcome) })
        }),
        1 => client().prop_map(|client| What::Lost { client, lock: "lock1".into() }),
        1 => client().prop_map(|client| What::Gone { client }),
        2 => (client(), moment, "\\PC{0,60}").prop_map(|(target, moment, text)| {
            What::Fault(FaultEvent { step: "gc".into(), kind: "pause".into(), targets: vec![target], moment, text })
        }),
        1 => Just(What::Phase(Phase::Quiet)),
    ]
}

fn finding() -> impl Strategy<Value = Finding> {
    let kind = prop_oneof![Just(Kind::TwoHolders), Just(Kind::StaleWrite), Just(Kind::Ownership), Just(Kind::Stuck)];
    let clients = proptest::collection::vec(client(), 0..7);
    (kind, clients, proptest::collection::vec(0u64..14, 0..6), at(), at(), "\\PC{0,200}").prop_map(
        |(kind, clients, events, from, until, sentence)| {
            let cause = Some(Cause { step: Some("gc".into()), at: from, text: "x".into() });
            Finding { kind, lock: "lock1".into(), clients, events, from, until, cause, sentence }
        },
    )
}

proptest! {
    #[test]
    fn it_can_be_reported(
        events in proptest::collection::vec((at(), what()), 0..60),
        sorted in any::<bool>(),
        findings in proptest::collection::vec(finding(), 0..6),
        ttl_ms in proptest::option::of(any::<u64>()),
        width in 0usize..200,
        charset in prop_oneof![Just(Charset::Unicode), Just(Charset::Ascii)],
    ) {
        let mut events: Vec<Event> = events.into_iter().map(|(at, what)| Event { at, what }).collect();
        if sorted {
            events.sort_by_key(|event| event.at);
        }
        let verdict = if findings.is_empty() { Verdict::Valid } else { Verdict::Violation };
        let judgement = Judgement { verdict, findings, broken: vec![], counts: Counts::default() };
        let expected = Expectation::default();
        let origin = events.first().map_or(0, |event| event.at);
        let locks = [("lock1".to_owned(), LockTerms { ttl_ms, ..LockTerms::default() })].into();
        let subject = Subject {
            header: Header { fencepost: 1, locks, ..Header::default() },
            standing: compare(&expected, &judgement, false),
            injected: injected(&events, origin),
            events, origin, judgement, expected, run: None, replay: String::new(), searched: None, warnings: vec![],
        };
        let text = terminal(&subject, Look { width, charset, colour: Colour::Off });
        prop_assert!(charset == Charset::Unicode || text.is_ascii());
        prop_assert!(!text.contains(char::from(27)), "an escape");
    }
}
