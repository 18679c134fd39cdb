//! Histories of every format, and bytes that are none.

use checker::engine::Limits;
use checker::format::{self, Action, Answer, BadLines, Content, ReadError, Record, write_edn};
use checker::history::{Event, Op, Outcome, Value, What};
use checker::model::Name;
use std::io::Cursor;

fn read(text: &str) -> Result<Content, ReadError> {
    format::read(Cursor::new(text.as_bytes().to_vec()), "history", BadLines::Refuse)
}

fn objects(text: &str) -> format::Objects {
    match read(text) {
        Ok(Content::Objects(objects)) => objects,
        Ok(_) => panic!("these are operations of objects"),
        Err(error) => panic!("{error}"),
    }
}

fn locks(text: &str) -> format::Locks {
    match read(text) {
        Ok(Content::Locks(locks)) => locks,
        Ok(_) => panic!("these are operations of locks"),
        Err(error) => panic!("{error}"),
    }
}

fn events(text: &str) -> Vec<Event> {
    locks(text).events().map(|event| event.unwrap_or_else(|error| panic!("{error}"))).collect()
}

const ACQUIRE: &str = r#"{"client":2,"op":"acquire","key":7,"token":1,"call":10,"return":20,"ok":true,"valid_until":500}"#;

#[test]
fn a_line_of_operations_is_read() {
    let (records, skipped) = locks(ACQUIRE).records().expect("it is good");
    let expected = Record {
        line: 1,
        client: Value::Int(2),
        action: Action::Acquire,
        key: Some(Value::Int(7)),
        token: Some(Value::Int(1)),
        value: None,
        call: 10,
        ret: Some(20),
        answer: Answer::Ok,
        valid_until: Some(500),
    };
    assert_eq!((records, skipped), (vec![expected], 0));
}

#[test]
fn any_json_is_a_value() {
    let line = |value: &str| format!(r#"{{"client":"a","op":"write","value":{value},"call":1,"return":2,"ok":true}}"#);
    let value = |text: &str| objects(&line(text)).records[0].value.clone();
    assert_eq!(value("null"), None);
    assert_eq!(value("true"), Some(Value::Bool(true)));
    assert_eq!(value("-3"), Some(Value::Int(-3)));
    assert_eq!(value(r#"[1,"x"]"#), Some(Value::List(vec![Value::Int(1), Value::Text("x".into())])));
    assert_ne!(value("1.5"), value("1.25"));
    assert_ne!(value("18446744073709551615"), value("18446744073709551614"));
    assert_eq!(value(r#"{"b":1,"a":[2.5]}"#), value(r#"{"a":[2.5],"b":1}"#));
    assert_ne!(value(r#"{"b":1}"#), value(r#"{"b":2}"#));
}

#[test]
fn a_bad_line_is_an_error_with_file_line_and_what_was_expected() {
    let line = |op: &str, token: &str, times: &str| format!(r#"{{"client":2,"op":"{op}",{token}{times},"ok":true}}"#);
    for (line, under, problem) in [
        (line("aquire", "", r#""call":1"#), "\"aquire\"", "unknown operation `aquire`: did you mean `acquire`?"),
        (
            line("acquire", "", r#""call":1,"vaild_until":3"#),
            "\"vaild_until\"",
            "unknown field `vaild_until`: did you mean `valid_until`?",
        ),
        (line("acquire", "", r#""call":1,"return":2"#), "\"acquire\"", "`token` is missing"),
        (line("acquire", r#""token":1,"#, r#""call":3,"return":2"#), "\"return\"", "`return` is before `call`"),
        (line("acquire", r#""token":1,"#, r#""call":1,"return":null"#), "\"ok\"", "`ok` is known and `return` is not"),
        (line("acquire", "", r#""call":-1"#), "1,\"ok\"", "invalid value: integer `-1`: a time is a whole number"),
        (r#"{"client":2,"op":"acq"#.into(), "q", "the line breaks off: EOF"),
    ] {
        let error = locks(&format!("{ACQUIRE}\n\n{line}\n")).records().expect_err(&line);
        let text = error.to_string();
        let column = line.rfind(under).expect("a part of it") + 1;
        assert!(text.starts_with(&format!("history:3:{column}: {problem}")), "{text}");
        assert!(text.contains(&line) && text.contains("^ expected an operation such as"), "{text}");
    }
}

#[test]
fn bad_lines_are_skipped_and_counted() {
    let text = format!("{ACQUIRE}\nnonsense\n{ACQUIRE}\n{{}}\n");
    let Ok(Content::Locks(locks)) = format::read(Cursor::new(text), "-", BadLines::Skip) else { panic!("it begins with a lock") };
    let (records, skipped) = locks.records().expect("bad lines are skipped");
    assert_eq!((records.len(), skipped), (2, 2));
}

#[test]
fn what_is_no_history_says_so() {
    for (text, problem) in
        [("", "it is empty"), ("  \n \n", "it is empty"), ("hello", "begins with `hello`"), ("{\"a\":1}", "unknown field `a`")]
    {
        let error = read(text).err().unwrap_or_else(|| panic!("{text:?} is no history")).to_string();
        assert!(error.contains(problem), "{error}");
    }
}

/// Found by the fuzzer: a hundred bytes of Zstandard that are five million blank lines, which were looked through again for each.
#[test]
fn blank_lines_before_a_history_are_passed_and_not_for_ever() {
    let blank = |many: usize| "\n".repeat(many);
    let history = line(1, "acquire", 1, 10, 20);
    let error = read(&format!("{}{{", blank(5 << 20))).err().unwrap().to_string();
    assert!(error.contains("begins with `{`"), "{error}");
    let Ok(Content::Locks(locks)) = read(&format!("{}{history}", blank(5 << 20))) else { panic!("it is a history") };
    assert_eq!(locks.records().unwrap().0[0].line, (5 << 20) + 1, "its lines are counted");
    let error = read(&format!("{}{history}", blank(17 << 20))).err().unwrap().to_string();
    assert!(error.contains("its first 16 MiB are blank"), "{error}");
}

#[test]
fn a_run_s_own_history_is_left_to_its_reader() {
    let text = "{\"fencepost\":1}\n{\"at\":3}\n";
    let Ok(Content::Events(mut bytes)) = read(text) else { panic!("these are events") };
    let mut back = String::new();
    std::io::Read::read_to_string(&mut bytes, &mut back).expect("it is in memory");
    assert_eq!(back, text);
}

#[test]
fn the_content_suggests_the_model() {
    let line = |rest: &str| format!(r#"{{"client":1,{rest},"call":1,"return":2,"ok":true}}"#);
    assert_eq!(objects(&line(r#""op":"read""#)).model, Name::Register);
    assert_eq!(objects(&line(r#""op":"write","token":4"#)).model, Name::FencedRegister);
    let edn = |f: &str, value: &str| objects(&format!("{{:process 0 :type :invoke :f :{f} :value {value}}}")).model;
    assert_eq!(edn("write", "1"), Name::Register);
    assert_eq!(edn("cas", "[1 2]"), Name::CasRegister);
    assert_eq!(edn("txn", "[[:read :x nil]]"), Name::MultiRegister);
    assert_eq!(edn("acquire", "nil"), Name::Mutex);
}

#[test]
fn edn_is_read_in_every_shape() {
    let invoke = "{:type :invoke, :f :write, :process 3, :value \"a\\\"b\", :time 5}";
    let ok = "#jepsen.history.Op{:type :ok :f :write :process 3 :value nil :error [:x {:y #{1 2}}] :c \\] :big 12N #_ignored :ratio 1/2}";
    let nemesis = "{:type :info :f :kill :process :nemesis :value nil}";
    for text in [
        format!("{invoke}\n{nemesis} ; comment ]\n{ok}\n"),
        format!("; first\n[{invoke}\n {ok} #_{nemesis}]"),
        format!("({invoke}, {nemesis} {ok})"),
    ] {
        let records = objects(&text).records;
        assert_eq!(records.len(), 1, "{text}");
        let (value, answer, call, ret) = (&records[0].value, records[0].answer, records[0].call, records[0].ret);
        assert_eq!((value, answer, call, ret), (&Some(Value::Text("a\"b".into())), Answer::Ok, 1, Some(2)), "{text}");
    }
}

#[test]
fn what_is_wrong_in_edn_is_named_with_its_line_and_a_caret_under_it() {
    for (text, place, problem, shown) in [
        (
            "[{:process 0 :type :invoke :f :read}\n {:process 0 :f :read}]",
            "2:2",
            "`:type` is missing",
            " 2 |  {:process 0 :f :read}]\n   |  ^^^^^^^^^^^^^^^^^^^^^ expected an operation",
        ),
        (
            "[{:process 0 :type :invoke :f :push}]",
            "1:31",
            "`:f` is `:push`",
            " 1 | [{:process 0 :type :invoke :f :push}]\n   |                               ^^^^^ expected `:read`",
        ),
        (
            "[{:process 0 :type :ok :f :read :value 1}]",
            "1:2",
            "completes what it had not invoked",
            "^ expected an `:invoke` before it",
        ),
        ("[{:process 0 :type :invoke\n :f :read", "2:10", "the file ends", " 2 |  :f :read\n   |          ^ expected `}`"),
        ("[\n42]", "2:1", "this is no map", " 2 | 42]\n   | ^^ expected"),
        ("[{:a}]", "1:6", "a key without a value", "expected a value"),
        ("[[) 1]", "1:3", "`)` closes nothing", " 1 | [[) 1]\n   |   ^ expected a form"),
    ] {
        let error = read(text).err().unwrap_or_else(|| panic!("{text:?} is wrong")).to_string();
        assert!(error.starts_with(&format!("history:{place}: ")) && error.contains(problem) && error.contains(shown), "{error}");
    }
    let deep = "[".repeat(100_000);
    assert!(read(&deep).err().expect("it is too deep").to_string().contains("nested too deeply"));
}

#[test]
fn what_is_wrong_in_a_console_log_is_named_with_a_caret_under_it() {
    for (line, column, problem, carets) in [
        ("x\t:invoke\t:read\tnil", 21, "`x` is no process", "^"),
        ("0\t:begin\t:read\tnil", 23, "`:begin` is no type of event", "^^^^^^"),
        ("0 :invoke :push 1", 31, "`:push` is no operation", "^^^^^"),
        ("0 :invoke :cas [1 2", 36, "`[1 2` is not closed", "^^^^"),
        ("0 :invoke :write", 37, "the value is missing", "^"),
        ("7 :ok :write 1", 21, "process 7 completes what it had not invoked", "^"),
    ] {
        let text = format!("INFO  jepsen.util - :nemesis\nINFO  jepsen.util - {line}\n");
        let error = read(&text).err().unwrap_or_else(|| panic!("{line:?} is wrong")).to_string();
        let shown = format!("\n   | {}{carets} expected an event", " ".repeat(column - 1));
        assert!(error.starts_with(&format!("history:2:{column}: {problem}\n 2 | INFO")) && error.contains(&shown), "{error}");
    }
}

#[test]
fn the_console_log_is_read() {
    let log = "INFO  jepsen.core - Worker 0 starting\n\
               INFO  jepsen.util - 0\t:invoke\t:cas\t[1 2]\n\
               INFO  jepsen.util - :nemesis\t:info\t:start\tnil\n\
               INFO  jepsen.util - 1   :invoke   :read   nil\n\
               INFO  jepsen.util - 0\t:fail\t:cas\t[1 2]\n\
               INFO  jepsen.util - 1   :fail   :read   :timed-out\n\
               INFO  jepsen.util - 0\t:invoke\t:write\t4\n\
               INFO  jepsen.util - 0\t:info\t:write\t:timed-out\n";
    let objects = objects(&log[log.find("INFO  jepsen.util").expect("it is there")..]);
    let seen: Vec<_> = objects.records.iter().map(|record| (record.action, record.answer, record.ret)).collect();
    assert_eq!(
        seen,
        [
            (Action::Cas, Answer::Refused, Some(3)),
            (Action::Read, Answer::Failed, Some(4)),
            (Action::Write, Answer::Unknown, None)
        ]
    );
    let error = read("INFO  jepsen.util - 0 :invoke :cas [1 2\n").err().expect("it is not closed").to_string();
    assert!(error.starts_with("history:1:36: `[1 2` is not closed"), "{error}");
}

#[test]
fn compressed_histories_are_read_as_they_stand() {
    let text = format!("{ACQUIRE}\n{ACQUIRE}\n");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut gzip, text.as_bytes()).expect("into memory");
    let gzip = gzip.finish().expect("into memory");
    let zstd = ruzstd::encoding::compress_to_vec(text.as_bytes(), ruzstd::encoding::CompressionLevel::Fastest);
    let twice = [zstd.clone(), zstd.clone()].concat();
    for (bytes, lines) in [(gzip.clone(), 2), ([gzip.clone(), gzip.clone()].concat(), 4), (zstd.clone(), 2), (twice, 4)] {
        let Ok(Content::Locks(locks)) = format::read(Cursor::new(bytes), "-", BadLines::Refuse) else {
            panic!("it is compressed")
        };
        assert_eq!(locks.records().expect("it is good").0.len(), lines);
    }
    for torn in [&gzip[..gzip.len() / 2], &zstd[..zstd.len() / 2]] {
        let content = format::read(Cursor::new(torn.to_vec()), "-", BadLines::Refuse);
        let failed = match content {
            Err(ReadError::Io { .. }) => true,
            Ok(Content::Locks(locks)) => matches!(locks.records(), Err(ReadError::Io { .. })),
            _ => false,
        };
        assert!(failed, "half a file is no file");
    }
}

/// An operation of one lock, in short.
fn line(client: u32, op: &str, token: u32, call: u64, ret: u64) -> String {
    format!("{{\"client\":{client},\"op\":\"{op}\",\"token\":{token},\"call\":{call},\"return\":{ret},\"ok\":true}}\n")
}

#[test]
fn operations_become_events_in_the_order_of_time() {
    let text = [
        line(1, "acquire", 1, 10, 20),
        line(2, "acquire", 2, 20, 30),
        line(1, "release", 1, 20, 25),
        r#"{"client":2,"op":"release","token":2,"call":40,"return":null,"ok":null}"#.to_string(),
    ];
    let seen: Vec<_> = events(&text.concat())
        .into_iter()
        .map(|event| match event.what {
            What::Invoke { id, op: Op::Acquire { .. }, .. } => format!("{} acquire {id}", event.at),
            What::Invoke { id, op: Op::Release { grant, .. }, .. } => format!("{} release {id} of {grant:?}", event.at),
            What::Done(done) => format!("{} {:?} {}", event.at, done.outcome, done.id),
            other => panic!("no such thing was done: {other:?}"),
        })
        .collect();
    // A call comes before the return of another's operation at the same time, and after its own client's.
    assert_eq!(
        seen,
        [
            "10 acquire 1",
            "20 acquire 2",
            "20 Ok 1",
            "20 release 3 of Some(1)",
            "25 Ok 3",
            "30 Ok 2",
            "40 release 4 of Some(2)",
            "40 Info 4"
        ]
    );
}

#[test]
fn lines_may_come_in_the_order_of_returns_or_in_none() {
    let mut lines: Vec<(u64, String)> = (0..400u64)
        .map(|n| {
            let (call, ret) = (n * 10, n * 10 + 5 + (n * 37) % 100);
            (ret, line((n % 9) as u32, "acquire", n as u32, call, ret))
        })
        .collect();
    let times = |lines: &[(u64, String)]| -> Vec<(u64, bool)> {
        let text: String = lines.iter().map(|(_, line)| line.as_str()).collect();
        events(&text).into_iter().map(|event| (event.at, matches!(event.what, What::Invoke { .. }))).collect()
    };
    let in_order = times(&lines);
    assert!(in_order.is_sorted_by_key(|&(at, _)| at) && in_order.len() == 800);
    lines.sort();
    assert_eq!(times(&lines), in_order);
    lines.reverse();
    assert_eq!(times(&lines), in_order);
}

#[test]
fn what_is_too_far_from_its_place_is_named_and_sorted_on_request() {
    let mut text = String::new();
    for n in 0..70_000u64 {
        text += &line((n % 5) as u32, "acquire", n as u32, 1000 + n * 10, 1000 + n * 10 + 5);
    }
    text += &line(9, "acquire", 70_001, 3, 900);
    let error = locks(&text).events().find_map(Result::err).expect("the last line comes too late");
    assert!(matches!(error, ReadError::OutOfOrder { line: 70_001, .. }), "{error}");
    let (sorted, skipped) = locks(&text).sorted().expect("every line is good");
    let times: Vec<u64> = sorted.map(|event| event.at).collect();
    assert!(times.is_sorted() && times[0] == 3 && times.len() == 140_002 && skipped == 0);
}

#[test]
fn refusals_and_tokens_become_completions() {
    let text = r#"{"client":"a","op":"acquire","key":"order:42","token":"t1","call":1,"return":2,"ok":false}
{"client":"a","op":"acquire","key":"order:42","token":"t2","call":3,"return":4,"ok":true,"valid_until":99}
{"client":"a","op":"write","key":"order:42","token":"t2","value":5,"call":5,"return":6,"ok":true}
"#;
    let done: Vec<_> = events(text)
        .into_iter()
        .filter_map(|event| match event.what {
            What::Done(done) => Some((done.outcome, done.token, done.valid_until)),
            What::Invoke { op: Op::Write { resource, grant, value, .. }, .. } => {
                assert_eq!((&*resource, grant, value), ("order:42", Some(2), Value::Int(5)));
                None
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        done,
        [(Outcome::Fail, Some("t1".into()), None), (Outcome::Ok, Some("t2".into()), Some(99)), (Outcome::Ok, None, None)]
    );
}

#[test]
fn edn_that_is_written_is_read_again() {
    let log = "INFO  jepsen.util - 0 :invoke :write 1\n\
               INFO  jepsen.util - 1 :invoke :cas [1 2]\n\
               INFO  jepsen.util - 0 :ok :write 1\n\
               INFO  jepsen.util - 2 :invoke :read nil\n\
               INFO  jepsen.util - 1 :info :cas :timed-out\n\
               INFO  jepsen.util - 2 :ok :read 2\n";
    let records = objects(log).records;
    let mut edn = Vec::new();
    write_edn(&records, &mut edn).expect("into memory");
    let back = objects(std::str::from_utf8(&edn).expect("it is text")).records;
    let shape = |records: &[Record]| {
        records.iter().map(|record| (record.action, record.answer, record.value.clone())).collect::<Vec<_>>()
    };
    assert_eq!(shape(&back), shape(&records));
    let valid = |records: &[Record]| {
        Name::CasRegister.check(&Value::Nil, records, &Limits::default()).expect("it fits")[0].outcome.is_linearizable()
    };
    assert!(valid(&records) && valid(&back));
}

/// Everything but lines, clients and times, of which EDN keeps the order; what was refused is not told from what failed.
fn told(records: &[Record]) -> Vec<Record> {
    let answer = |answer| if answer == Answer::Refused { Answer::Failed } else { answer };
    let told = |record: &Record| Record {
        line: 0,
        client: Value::Nil,
        call: 0,
        ret: None,
        valid_until: None,
        answer: answer(record.answer),
        ..record.clone()
    };
    records.iter().map(told).collect()
}

fn written_and_read(records: &[Record]) -> Vec<Record> {
    let mut edn = Vec::new();
    write_edn(records, &mut edn).expect("into memory");
    objects(std::str::from_utf8(&edn).expect("it is text")).records
}

#[test]
fn edn_of_several_objects_is_read_again() {
    let line = |client: u64, op: &str, key: &str, value: &str, call: u64| {
        let (ret, ok) = (call + 5, true);
        format!(r#"{{"client":{client},"op":"{op}","key":{key},"value":{value},"call":{call},"return":{ret},"ok":{ok}}}"#)
    };
    let text = [
        line(1, "write", "7", "1", 10),
        line(2, "write", r#""a \"b\"""#, "[7,2]", 12),
        line(1, "read", "7", "1", 20),
        line(2, "read", r#""a \"b\"""#, "[7,2]", 30),
        // A value that looks like a pair with its key, and one that is read too late.
        line(1, "write", "7", "[7,3]", 40),
        line(1, "read", "7", "1", 50),
    ];
    let records = objects(&text.join("\n")).records;
    let back = written_and_read(&records);
    assert_eq!(told(&back), told(&records));
    let verdicts = |records: &[Record]| -> Vec<(Option<Value>, bool)> {
        let parts = Name::Register.check(&Value::Nil, records, &Limits::default()).expect("it fits");
        parts.into_iter().map(|part| (part.key, part.outcome.is_linearizable())).collect()
    };
    assert_eq!(verdicts(&back), verdicts(&records));
    assert_eq!(verdicts(&back).iter().filter(|(_, valid)| *valid).count(), 1);
}

#[test]
fn edn_of_several_locks_is_read_again() {
    let lock = |key: u64, client: u64, token: u64, call: u64, until: u64| {
        let ret = call + 5;
        format!(
            r#"{{"client":{client},"op":"acquire","key":{key},"token":{token},"call":{call},"return":{ret},"ok":true,"valid_until":{until}}}"#
        )
    };
    // Of the first lock the promise is over when the second is granted, of the second it is not.
    let text = [lock(1, 1, 1, 10, 24), lock(2, 1, 2, 12, 40), lock(1, 2, 3, 20, 90), lock(2, 2, 4, 30, 91)];
    let records = locks(&text.join("\n")).records().expect("it is good").0;
    let back = written_and_read(&records);
    assert_eq!(told(&back), told(&records));
    let verdicts = |records: &[Record]| -> Vec<(Option<Value>, bool)> {
        let parts = Name::FencedMutex.check(&Value::Int(0), records, &Limits::default()).expect("it fits");
        parts.into_iter().map(|part| (part.key, part.outcome.is_linearizable())).collect()
    };
    assert_eq!(verdicts(&records), [(Some(Value::Int(1)), true), (Some(Value::Int(2)), false)]);
    assert_eq!(verdicts(&back), verdicts(&records));
}

#[test]
fn a_lease_may_end_by_itself_only_when_it_was_promised_to() {
    let history = |until: u64| {
        format!(
            "{{\"client\":1,\"op\":\"acquire\",\"token\":1,\"call\":1,\"return\":2,\"ok\":true,\"valid_until\":{until}}}\n{}",
            line(2, "acquire", 2, 10, 12)
        )
    };
    let valid = |text: &str| {
        let (records, _) = locks(text).records().expect("it is good");
        [Name::FencedMutex, Name::Semaphore]
            .map(|model| model.check(&Value::Int(1), &records, &Limits::default()).expect("it fits")[0].outcome.is_linearizable())
    };
    assert_eq!(valid(&history(11)), [true, true]);
    assert_eq!(valid(&history(13)), [false, false]);
}
