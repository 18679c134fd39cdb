//! Histories are written and read as they are, and what is no history is refused with its place.

use checker::history::jsonl::{ReadError, Reader, Writer};
use checker::history::{Completion, Event, FaultEvent, Header, KeySeen, Moment, Observation, Op, Outcome, Phase, Value, What};
use proptest::prelude::*;

const HEADER: &str = "{\"fencepost\":1}\n";

fn read(text: &str) -> Result<(Vec<Event>, Option<u64>), ReadError> {
    let mut reader = Reader::new(text.as_bytes())?;
    let events = reader.by_ref().collect::<Result<Vec<_>, _>>()?;
    Ok((events, reader.torn()))
}

/// What is said of a second line.
fn complaint(line: &str) -> String {
    read(&format!("{HEADER}{line}\n")).expect_err(line).to_string()
}

#[test]
fn as_documented() {
    let event = Event {
        at: 100,
        what: What::Invoke { client: "c1".into(), id: 1, op: Op::Acquire { lock: "order:42".into(), ttl_ms: Some(500) } },
    };
    let mut writer = Writer::new(Vec::new(), &Header { fencepost: 1, name: "x".into(), ..Header::default() }).unwrap();
    writer.write(&event).unwrap();
    let written = String::from_utf8(writer.into_inner()).unwrap();
    let line = written.lines().nth(1).unwrap();
    assert_eq!(line, r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"acquire","lock":"order:42","ttl_ms":500}"#);
    assert_eq!(read(&written).unwrap(), (vec![event], None));
}

#[test]
fn mistakes_are_named_with_their_place() {
    for (line, says) in [
        (r#"{"at":1,"type":"invoke","client":"c1","id":1,"op":"acquire","lokc":"a"}"#, "line 2, column 66: unknown field `lokc`"),
        (r#"{"at":1,"type":"invoke","client":"c1","id":1,"op":"acquire"}"#, "an acquire needs the field `lock`"),
        (
            r#"{"at":1,"type":"invoke","client":"c1","id":1,"op":"acquire","lock":"a","fence":3}"#,
            "column 72: an invocation of this op has no field `fence`",
        ),
        (r#"{"at":1,"type":"invoke","client":"c1","id":"1","op":"acquire"}"#, "expected u64"),
        (r#"{"at":1,"type":"sleep"}"#, "unknown variant `sleep`, expected one of `invoke`"),
        (r#"{"at":1,"type":"ok","client":"c1","id":1,"value":1.5}"#, "expected a value: null"),
        (r#"{"type":"gone","client":"c1"}"#, "missing field `at`"),
        (r#"{"at":1,"type":"gone","client":"c1","lock":"a"}"#, "a gone has no field `lock`"),
        (r#"{"at":-1,"type":"gone","client":"c1"}"#, "invalid value: integer `-1`"),
        ("nonsense", "line 2, column 2: expected ident"),
        (r#"{"at":1,"type":"gone","client":"c1"} x"#, "trailing characters"),
    ] {
        let complaint = complaint(line);
        assert!(complaint.starts_with("line 2, column "), "{complaint}");
        assert!(complaint.contains(says), "{line}\n  says: {complaint}\n  not:  {says}");
    }
}

#[test]
fn headers_that_are_none() {
    let complaint = |text: &str| read(text).expect_err(text).to_string();
    assert!(complaint("").contains("the file is empty"));
    assert!(complaint("{\"fencepost\":2,\"new\":1}\n").contains("version 2"));
    assert!(complaint("{\"fencepost\":1,\"nmae\":\"x\"}\n").contains("unknown field `nmae`"));
    assert!(complaint("{\"client\":2}\n").contains("missing field `fencepost`"));
}

#[test]
fn a_torn_last_line_is_skipped_and_reported() {
    let gone = r#"{"at":1,"type":"gone","client":"c1"}"#;
    for torn in ["{", r#"{"at":2,"type":"go"#, "{\"at\":2,\"type\":\"gone\",\"client\":\"\u{e4}"] {
        let text = format!("{HEADER}{gone}\n{torn}");
        let mut bytes = text.into_bytes();
        if torn.ends_with('\u{e4}') {
            bytes.pop();
        }
        let mut reader = Reader::new(&bytes[..]).unwrap();
        assert_eq!(reader.by_ref().map(Result::unwrap).count(), 1, "{torn}");
        assert_eq!(reader.torn(), Some(3));
    }
    // A whole line without its newline is one, and a broken line with one is an error.
    assert_eq!(read(&format!("{HEADER}{gone}")).unwrap().0.len(), 1);
    assert!(read(&format!("{HEADER}{{\n")).is_err());
    assert!(read(&format!("{HEADER}{{\n{gone}\n")).is_err());
}

#[test]
fn a_reader_goes_on_after_a_bad_line() {
    let text = format!("{HEADER}bad\n\n{{\"at\":1,\"type\":\"gone\",\"client\":\"c1\"}}\n");
    let lines: Vec<bool> = Reader::new(text.as_bytes()).unwrap().map(|line| line.is_ok()).collect();
    assert_eq!(lines, [false, true]);
}

#[test]
fn a_line_without_end_does_not_take_all_memory() {
    let endless = std::io::BufReader::new(std::io::Read::chain(HEADER.as_bytes(), std::io::repeat(b'x')));
    let mut reader = Reader::new(endless).unwrap();
    assert!(reader.next().unwrap().unwrap_err().to_string().contains("longer than"));
    assert!(reader.next().is_none());
}

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
            Just(Phase::End)
        ]
        .prop_map(What::Phase),
    ]
}

fn events() -> impl Strategy<Value = Vec<Event>> {
    prop::collection::vec((any::<u64>(), what()).prop_map(|(at, what)| Event { at, what }), 0..12)
}

fn written(events: &[Event]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), &Header { fencepost: 1, ..Header::default() }).unwrap();
    events.iter().for_each(|event| writer.write(event).unwrap());
    writer.into_inner()
}

proptest! {
    #[test]
    fn what_is_written_is_read(events in events()) {
        let text = String::from_utf8(written(&events)).unwrap();
        prop_assert_eq!(read(&text).unwrap(), (events, None));
    }

    /// Cut anywhere: whole lines are read, and at most the last is torn.
    #[test]
    fn cut_anywhere(events in events(), cut in any::<prop::sample::Index>()) {
        let whole = written(&events);
        let header = 1 + whole.iter().position(|byte| *byte == b'\n').unwrap();
        let cut = header + cut.index(whole.len() - header + 1);
        let mut reader = Reader::new(&whole[..cut]).unwrap();
        let read: Vec<Event> = reader.by_ref().map(|event| event.expect("only the last line can be torn")).collect();
        prop_assert_eq!(&read[..], &events[..read.len()]);
        let lines = whole[..cut].iter().filter(|byte| **byte == b'\n').count() - 1;
        prop_assert!(read.len() >= lines);
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), headed in any::<bool>()) {
        let text = [if headed { HEADER.as_bytes() } else { b"" }, &bytes].concat();
        if let Ok(reader) = Reader::new(&text[..]) {
            prop_assert!(reader.take(1_000).count() < 1_000);
        }
    }

    /// Whatever is read is judged without a panic.
    #[test]
    fn anything_is_judged(events in events()) {
        let judgement = checker::judge::judge(&Header { fencepost: 1, ..Header::default() }, &events);
        prop_assert!(judgement.findings.iter().all(|finding| finding.sentence.contains("; cause: ")));
    }
}
