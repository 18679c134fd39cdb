//! The exact bytes of the format: a change here is a change of the format, and wants a new version.

use super::{header, read, written};
use crate::history::jsonl::Writer;
use crate::history::*;
use std::io::{self, Write};

fn invoke(op: Op) -> What {
    What::Invoke { client: "c1".into(), id: 1, op }
}

fn golden() -> Vec<(&'static str, What)> {
    let lock = || String::from("order:42");
    let stock = || String::from("stock");
    vec![
        (
            r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"acquire","lock":"order:42","ttl_ms":500}"#,
            invoke(Op::Acquire { lock: lock(), ttl_ms: Some(500) }),
        ),
        (
            r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"acquire","lock":"order:42"}"#,
            invoke(Op::Acquire { lock: lock(), ttl_ms: None }),
        ),
        (
            r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"extend","lock":"order:42","grant":7,"ttl_ms":500}"#,
            invoke(Op::Extend { lock: lock(), grant: Some(7), ttl_ms: Some(500) }),
        ),
        (
            r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"release","lock":"order:42","grant":7}"#,
            invoke(Op::Release { lock: lock(), grant: Some(7) }),
        ),
        (
            r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"check","lock":"order:42","grant":7}"#,
            invoke(Op::Check { lock: lock(), grant: Some(7) }),
        ),
        (
            r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"read","resource":"stock","grant":7}"#,
            invoke(Op::Read { resource: stock(), grant: Some(7) }),
        ),
        (
            r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"write","resource":"stock","grant":7,"value":[1,true,"x"],"base":null,"fence":33}"#,
            invoke(Op::Write {
                resource: stock(),
                grant: Some(7),
                value: Value::List(vec![Value::Int(1), Value::Bool(true), Value::Text("x".into())]),
                base: Some(Value::Nil),
                fence: Some(33),
            }),
        ),
        (
            r#"{"at":100,"type":"invoke","client":"c1","id":1,"op":"write","resource":"stock","value":null}"#,
            invoke(Op::Write { resource: stock(), grant: None, value: Value::Nil, base: None, fence: None }),
        ),
        (
            r#"{"at":100,"type":"ok","client":"c1","id":1,"token":"a1","fence":33,"valid_for_ms":-4,"valid_until":900,"told_at":95,"value":null,"fenced_by":34,"why":"said \"no\"\n"}"#,
            What::Done(Completion {
                token: Some("a1".into()),
                fence: Some(33),
                valid_for_ms: Some(-4),
                valid_until: Some(900),
                told_at: Some(95),
                value: Some(Value::Nil),
                fenced_by: Some(34),
                why: Some("said \"no\"\n".into()),
                ..Completion::new("c1", 1, Outcome::Ok)
            }),
        ),
        (r#"{"at":100,"type":"fail","client":"c1","id":1}"#, What::Done(Completion::new("c1", 1, Outcome::Fail))),
        (
            r#"{"at":100,"type":"fail","client":"c1","id":1,"error":"SET: connection refused"}"#,
            What::Done(Completion { error: Some("SET: connection refused".into()), ..Completion::new("c1", 1, Outcome::Fail) }),
        ),
        (r#"{"at":100,"type":"info","client":"c1","id":1}"#, What::Done(Completion::new("c1", 1, Outcome::Info))),
        (r#"{"at":100,"type":"lost","client":"c1","lock":"order:42"}"#, What::Lost { client: "c1".into(), lock: lock() }),
        (r#"{"at":100,"type":"gone","client":"c1"}"#, What::Gone { client: "c1".into() }),
        (
            r#"{"at":100,"type":"fault","step":"freeze","kind":"pause","targets":["c1"],"moment":"verified","text":"state T"}"#,
            What::Fault(FaultEvent {
                step: "freeze".into(),
                kind: "pause".into(),
                targets: vec!["c1".into()],
                moment: Moment::Verified,
                text: "state T".into(),
            }),
        ),
        (
            r#"{"at":100,"type":"observe","lock":"order:42","from":90,"holder":"a1","keys":[{"node":"n1","key":"order:42","token":"a1","ttl_ms":450},{"node":"n2","key":"order:42","token":"a1"}]}"#,
            What::Observe(Observation {
                lock: lock(),
                from: 90,
                holder: Some("a1".into()),
                keys: [("n1", Some(450)), ("n2", None)]
                    .map(|(node, ttl_ms)| KeySeen { node: node.into(), key: lock(), token: "a1".into(), ttl_ms })
                    .into(),
            }),
        ),
        (
            r#"{"at":100,"type":"observe","lock":"order:42","from":90,"keys":[]}"#,
            What::Observe(Observation { lock: lock(), from: 90, holder: None, keys: vec![] }),
        ),
        (r#"{"at":100,"type":"phase","phase":"healthy"}"#, What::Phase(Phase::Healthy)),
        (r#"{"at":100,"type":"phase","phase":"sick","why":"n1 is down"}"#, What::Phase(Phase::Sick("n1 is down".into()))),
        (r#"{"at":100,"type":"phase","phase":"quiet"}"#, What::Phase(Phase::Quiet)),
        (r#"{"at":100,"type":"phase","phase":"interrupted","why":"Ctrl-C"}"#, What::Phase(Phase::Interrupted("Ctrl-C".into()))),
        (r#"{"at":100,"type":"phase","phase":"stalled","why":"gc ended"}"#, What::Phase(Phase::Stalled("gc ended".into()))),
        (r#"{"at":100,"type":"phase","phase":"end"}"#, What::Phase(Phase::End)),
    ]
}

#[test]
fn every_kind_of_event_has_its_line() {
    let (lines, events): (Vec<_>, Vec<_>) = golden().into_iter().map(|(line, what)| (line, Event { at: 100, what })).unzip();
    let bytes = String::from_utf8(written(&header(), &events)).unwrap();
    let (first, rest) = bytes.split_once('\n').unwrap();
    assert_eq!(first, r#"{"fencepost":1,"name":"gc-pause","seed":0,"contention":false}"#);
    for (got, wanted) in rest.lines().zip(&lines) {
        assert_eq!(got, *wanted);
    }
    assert_eq!(rest.lines().count(), lines.len());
    assert_eq!(read(bytes.as_bytes()).unwrap(), events);
}

#[test]
fn order_spaces_escapes_and_nulls_do_not_matter() {
    let line =
        r#" { "ttl_ms" : null, "lock":"order:\u0034\u0032","op":"\u0061cquire","id":1,"client":"c1","type":"invoke","at":100 } "#;
    let events = read(format!("{{\"fencepost\":1}}\n{line}\r\n").as_bytes()).unwrap();
    let what = invoke(Op::Acquire { lock: "order:42".into(), ttl_ms: None });
    assert_eq!(events, [Event { at: 100, what }]);
}

#[test]
fn each_line_is_one_write_and_one_flush() {
    #[derive(Default)]
    struct Calls(Vec<String>);
    impl Write for Calls {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(String::from_utf8(bytes.to_vec()).unwrap());
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            self.0.push("flush".into());
            Ok(())
        }
    }
    let mut writer = Writer::new(Calls::default(), &header()).unwrap();
    writer.write(&Event { at: 1, what: What::Phase(Phase::End) }).unwrap();
    let calls = writer.into_inner().0;
    assert_eq!(calls.len(), 4, "{calls:?}");
    assert_eq!(calls[1..], ["flush", "{\"at\":1,\"type\":\"phase\",\"phase\":\"end\"}\n", "flush"]);
}

#[test]
fn a_header_that_could_not_be_read_is_not_written() {
    let error = Writer::new(Vec::new(), &Header::default()).unwrap_err();
    assert_eq!(error.to_string(), "a header of version 0 cannot be written, only of version 1");
}
