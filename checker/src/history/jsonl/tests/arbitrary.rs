//! Any event at all, written and read.

use super::{header, read, written};
use crate::history::*;
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        any::<String>().prop_map(|text| Value::Text(text.into())),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| vec(inner, 0..4).prop_map(Value::List))
}

fn op() -> impl Strategy<Value = Op> {
    let (text, id) = (any::<String>, || of(any::<u64>()));
    prop_oneof![
        (text(), id()).prop_map(|(lock, ttl_ms)| Op::Acquire { lock, ttl_ms }),
        (text(), id(), id()).prop_map(|(lock, grant, ttl_ms)| Op::Extend { lock, grant, ttl_ms }),
        (text(), id()).prop_map(|(lock, grant)| Op::Release { lock, grant }),
        (text(), id()).prop_map(|(lock, grant)| Op::Check { lock, grant }),
        (text(), id()).prop_map(|(resource, grant)| Op::Read { resource, grant }),
        (text(), id(), value(), of(value()), id()).prop_map(|(resource, grant, value, base, fence)| Op::Write {
            resource,
            grant,
            value,
            base,
            fence
        }),
    ]
}

fn completion() -> impl Strategy<Value = Completion> {
    let outcome = prop_oneof![Just(Outcome::Ok), Just(Outcome::Fail), Just(Outcome::Info)];
    let numbers = (of(any::<u64>()), of(any::<i64>()), of(any::<u64>()), of(any::<u64>()), of(any::<u64>()));
    let words = (of(any::<String>()), of(any::<String>()));
    (any::<String>(), any::<u64>(), outcome, of(any::<String>()), words, of(value()), numbers).prop_map(
        |(client, id, outcome, token, (why, error), value, (fence, valid_for_ms, valid_until, told_at, fenced_by))| Completion {
            client,
            id,
            outcome,
            token,
            fence,
            valid_for_ms,
            valid_until,
            told_at,
            value,
            fenced_by,
            why,
            error,
        },
    )
}

fn fault() -> impl Strategy<Value = FaultEvent> {
    let moment = prop_oneof![Just(Moment::Begin), Just(Moment::Verified), Just(Moment::End), Just(Moment::Failed)];
    (any::<String>(), any::<String>(), vec(any::<String>(), 0..3), moment, any::<String>())
        .prop_map(|(step, kind, targets, moment, text)| FaultEvent { step, kind, targets, moment, text })
}

fn observation() -> impl Strategy<Value = Observation> {
    let key = (any::<String>(), any::<String>(), any::<String>(), of(any::<u64>()))
        .prop_map(|(node, key, token, ttl_ms)| KeySeen { node, key, token, ttl_ms });
    (any::<String>(), any::<u64>(), of(any::<String>()), vec(key, 0..3)).prop_map(|(lock, from, holder, keys)| Observation {
        lock,
        from,
        holder,
        keys,
    })
}

fn phase() -> impl Strategy<Value = Phase> {
    prop_oneof![
        Just(Phase::Healthy),
        any::<String>().prop_map(Phase::Sick),
        Just(Phase::Quiet),
        any::<String>().prop_map(Phase::Interrupted),
        any::<String>().prop_map(Phase::Stalled),
        Just(Phase::End),
    ]
}

/// Any event.
pub fn event() -> impl Strategy<Value = Event> {
    let what = prop_oneof![
        (any::<String>(), any::<u64>(), op()).prop_map(|(client, id, op)| What::Invoke { client, id, op }),
        completion().prop_map(What::Done),
        (any::<String>(), any::<String>()).prop_map(|(client, lock)| What::Lost { client, lock }),
        any::<String>().prop_map(|client| What::Gone { client }),
        fault().prop_map(What::Fault),
        observation().prop_map(What::Observe),
        phase().prop_map(What::Phase),
    ];
    (any::<u64>(), what).prop_map(|(at, what)| Event { at, what })
}

proptest! {
    #[test]
    fn what_is_written_is_read(events in vec(event(), 0..12)) {
        let bytes = written(&header(), &events);
        prop_assert_eq!(bytes.iter().filter(|b| **b == b'\n').count(), events.len() + 1);
        prop_assert_eq!(read(&bytes).unwrap(), events.clone());

        let crlf = String::from_utf8(bytes).unwrap().replace('\n', "\r\n");
        prop_assert_eq!(read(crlf.as_bytes()).unwrap(), events);
    }
}
