//! `not-linearizable`, event by event, against the engine on the whole history.

use checker::engine::{Limits, Operation, Strategy as By, check_by};
use checker::finding::{Finding, Kind};
use checker::history::{Completion, Event, Header, Op, Outcome, ResourceKind, ResourceTerms, Value, What};
use checker::judge::{Judge, judge};
use checker::model::register::{Register, RegisterOp};
use proptest::prelude::*;

/// A write of a value of its own, or a read of some value near it; when, how long, and how it ended, if it did.
#[derive(Debug, Clone)]
struct Die {
    read: Option<i64>,
    pause: u64,
    length: u64,
    outcome: Option<Outcome>,
}

fn die() -> impl Strategy<Value = Die> {
    let outcome = prop_oneof![
        12 => Just(Some(Outcome::Ok)), 2 => Just(Some(Outcome::Fail)), 2 => Just(Some(Outcome::Info)), 1 => Just(None)
    ];
    (prop::option::of(0..=4i64), 0u64..4, 0u64..9, outcome).prop_map(|(read, pause, length, outcome)| Die {
        read,
        pause,
        length,
        outcome,
    })
}

struct Drawn {
    events: Vec<Event>,
    operations: Vec<(u64, Operation<RegisterOp>)>,
}

fn drawn(dice: &[Die]) -> Drawn {
    drawn_of(dice, |value| value)
}

/// As it is drawn, with other values.
fn drawn_of(dice: &[Die], value_of: impl Fn(i64) -> i64) -> Drawn {
    let (mut now, mut events, mut operations) = (100, Vec::new(), Vec::new());
    for (id, die) in (1..).zip(dice) {
        now += die.pause;
        let (client, resource) = (format!("c{id}"), "row:1".to_string());
        let (value, op) = match die.read {
            Some(back) => (value_of((id as i64 - 1 - back).max(0)), Op::Read { resource, grant: None }),
            None => {
                let value = value_of(id as i64);
                (value, Op::Write { resource, grant: None, value: Value::Int(value), base: None, fence: None })
            }
        };
        let is_read = die.read.is_some();
        events.push(Event { at: now, what: What::Invoke { client: client.clone(), id, op } });
        if let Some(outcome) = die.outcome {
            let mut done = Completion::new(client, id, outcome);
            done.value = (is_read && outcome == Outcome::Ok).then_some(Value::Int(value));
            events.push(Event { at: now + die.length, what: What::Done(done) });
        }
        let ret = (die.outcome == Some(Outcome::Ok)).then_some(now + die.length);
        let tells = ret.is_some() || (!is_read && die.outcome != Some(Outcome::Fail));
        if tells {
            let value = Value::Int(value);
            let op = if is_read { RegisterOp::Read(value) } else { RegisterOp::Write(value) };
            operations.push((id, Operation { op, call: now, ret }));
        }
    }
    events.sort_by_key(|event| event.at);
    Drawn { events, operations }
}

fn header() -> Header {
    let terms = ResourceTerms { kind: ResourceKind::Register, initial: Value::Int(0), fenced: false, group: None };
    Header { fencepost: 1, resources: [("row:1".to_string(), terms)].into(), ..Header::default() }
}

fn found(header: &Header, events: &[Event]) -> Vec<Finding> {
    judge(header, events).findings.into_iter().filter(|finding| finding.kind == Kind::NotLinearizable).collect()
}

fn linearizable(operations: &[Operation<RegisterOp>]) -> bool {
    linearizable_from(Value::Int(0), operations)
}

fn linearizable_from(initial: Value, operations: &[Operation<RegisterOp>]) -> bool {
    let parts = check_by(By::Depth, &Register { initial }, operations, &Limits::default());
    parts.iter().all(|part| part.outcome.is_linearizable())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: if super::long() { 200_000 } else { 4_000 }, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn as_the_engine_says(dice in prop::collection::vec(die(), 1..14)) {
        let Drawn { events, operations } = drawn(&dice);
        let found = found(&header(), &events);
        let all: Vec<_> = operations.iter().map(|(_, operation)| operation.clone()).collect();
        prop_assert_eq!(found.is_empty(), linearizable(&all), "{:?}", found);
        for finding in found {
            let of_it = |id: &u64| finding.events.contains(id);
            let few: Vec<_> = operations.iter().filter(|(id, _)| of_it(id)).map(|(_, operation)| operation.clone()).collect();
            prop_assert!(!linearizable(&few), "the finding's own operations prove it: {:?}", finding);
        }
    }

    /// Where values are written again, the judge searches as the engine does.
    #[test]
    fn values_that_come_again_are_searched(dice in prop::collection::vec(die(), 1..14), values in 2..4i64) {
        let Drawn { events, operations } = drawn_of(&dice, |value| value % values);
        let found = found(&header(), &events);
        let all: Vec<_> = operations.iter().map(|(_, operation)| operation.clone()).collect();
        prop_assert_eq!(found.is_empty(), linearizable(&all), "{:?}", found);
    }

    /// Where the header is silent, some initial value must explain what was read.
    #[test]
    fn what_was_there_at_first_may_be_unknown(dice in prop::collection::vec(die(), 1..12)) {
        let Drawn { events, operations } = drawn(&dice);
        let all: Vec<_> = operations.into_iter().map(|(_, operation)| operation).collect();
        let found = found(&Header { fencepost: 1, ..Header::default() }, &events);
        let explained = (0..=dice.len() as i64).any(|initial| linearizable_from(Value::Int(initial), &all));
        prop_assert!(found.is_empty() || !explained, "{:?}", found);
    }
}

/// What it says to people.
#[test]
fn it_is_told_in_words() {
    let ok = Some(Outcome::Ok);
    let write = |pause, length| Die { read: None, pause, length, outcome: ok };
    let read = |back| Die { read: Some(back), pause: 2, length: 1, outcome: ok };
    let cause = "; cause: none was found in this history.";
    let sentences =
        |dice: &[Die]| found(&header(), &drawn(dice).events).into_iter().map(|found| found.sentence).collect::<Vec<_>>();
    assert_eq!(
        sentences(&[write(1, 1), write(2, 1), read(0), read(2)]),
        [format!(
            "no order explains what was read of row:1: it held 1 by 0.000000001 s and still at 0.000000006 s, and 2 by 0.000000003 s and still at 0.000000004 s{cause}"
        )]
    );
    assert_eq!(
        sentences(&[write(1, 1), write(2, 1), Die { read: Some(1), ..read(1) }]),
        [format!(
            "no order explains what was read of row:1: it held 1 by 0.000000001 s and still at 0.000000004 s, though 2 was written between 0.000000002 s and 0.000000003 s{cause}"
        )]
    );
    assert_eq!(sentences(&[write(1, 9), Die { pause: 0, ..read(0) }]), Vec::<String>::new());
    assert_eq!(sentences(&[read(-3)]), [format!("c1 read 3 from row:1 by 0.000 s, and nobody had begun to write that{cause}")]);
    let of_a_failed = Die { outcome: Some(Outcome::Fail), ..write(1, 9) };
    assert_eq!(
        sentences(&[of_a_failed, read(0)]),
        [format!("c2 read 1 from row:1 by 0.000 s, and c1 was told that its write of it had no effect{cause}")]
    );
}

/// Of a history in which values come again and that is too long to be searched, what was not judged is said.
#[test]
fn what_is_not_judged_is_said() {
    let ok = Some(Outcome::Ok);
    let write = Die { read: None, pause: 1, length: 0, outcome: ok };
    let rest = |writes: usize| {
        let mut judge = Judge::new(&header());
        drawn_of(&vec![write.clone(); writes], |value| value % 7).events.iter().for_each(|event| judge.see(event));
        let (judgement, rest) = judge.finish_with_rest();
        assert!(judgement.findings.iter().all(|finding| finding.kind != Kind::NotLinearizable));
        rest
    };
    assert_eq!(rest(4_096), Vec::<String>::new());
    let long = rest(4_097);
    assert!(
        matches!(&long[..], [one] if one.starts_with("whether row:1 is linearizable was not judged from ") && one.contains("too many operations")),
        "{long:?}"
    );
}
