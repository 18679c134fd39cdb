//! Times the checker in process, for `benches/versus.sh`: one line a case, name, the fewest nanoseconds and verdict. The first argument is the folder
//! of the peers' corpora, the second a part of the names of the cases to run.

use checker::engine::{Limits, Operation, Outcome, Part, check};
use checker::format::operations::line_by_serde;
use checker::format::{self, BadLines, Content, Record};
use checker::model::cas_register::{CasOp, CasRegister};
use checker::model::fenced_mutex::FencedMutex;
use checker::model::register::{Register, RegisterOp};
use checker::model::{Name, Recorded};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// A case is repeated until this long has passed, and at least once.
const REPEAT_FOR: Duration = Duration::from_millis(50);

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).expect("the folder of the peers' corpora"));
    for path in files(&folder, "etcd", "etcd_") {
        let (records, ..) = read(&path);
        time_model(&name(&path), &CasRegister::default(), &records);
    }
    for path in files(&folder, "locks", "lock") {
        let (records, ..) = read(&path);
        time_model(&name(&path), &FencedMutex, &records);
    }
    for path in files(&folder, "knossos", "") {
        let (records, model, initial) = read(&path);
        report(&name(&path), || {
            let parts = model.check(&initial, &records, &Limits::default()).expect("the content suggests its model");
            verdict(parts.iter().map(|part| &part.outcome))
        });
    }
    if is_wanted("register-1m") {
        one_register(1_000_000);
    }
    if is_wanted("many-keys") {
        many_keys(64, 5_000);
    }
}

fn time_model<M: Recorded>(name: &str, model: &M, records: &[Record]) {
    let operations = records.iter().filter_map(|record| model.op(record).expect("it fits").map(|op| record.operation(op)));
    let history: Vec<Operation<M::Op>> = operations.collect();
    report(name, || verdict_of(&check(model, &history, &Limits::default())));
}

/// A register of distinct values: what parsing its lines takes, and what the verdict takes on top.
fn one_register(operations: u64) {
    let mut lines = String::new();
    let mut last = 0;
    for n in 0..operations {
        let (client, call, ret) = (n % 20, n * 100, n * 100 + 90);
        let line = if n % 2 == 0 {
            last = n + 1;
            writeln!(lines, r#"{{"client":{client},"op":"write","value":{last},"call":{call},"return":{ret},"ok":true}}"#)
        } else {
            writeln!(lines, r#"{{"client":{client},"op":"read","value":{last},"call":{call},"return":{ret},"ok":true}}"#)
        };
        line.expect("a string takes it");
    }
    let lines = lines.into_bytes();
    let parse = || match format::read(std::io::Cursor::new(lines.clone()), "register", BadLines::Refuse) {
        Ok(Content::Objects(objects)) => objects,
        _ => panic!("these are operations of a register"),
    };
    // Only parsing, by serde_json, into the same types, which stay as they do where they are checked.
    report("register-1m/parse", || {
        let lines = (1..).zip(lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()));
        let records: Vec<Record> = lines.map(|(number, line)| line_by_serde(number, line).expect("it is good")).collect();
        if records.is_empty() { "violation" } else { "valid" }
    });
    report("register-1m/read", || if parse().model == Name::Register { "valid" } else { "violation" });
    report("register-1m/parse-and-check", || {
        let objects = parse();
        let parts = objects.model.check(&objects.initial, &objects.records, &Limits::default()).expect("it fits");
        verdict(parts.iter().map(|part| &part.outcome))
    });
    let objects = parse();
    let register = Register::default();
    let history: Vec<Operation<RegisterOp>> = objects
        .records
        .iter()
        .filter_map(|record| register.op(record).expect("it fits").map(|op| record.operation(op)))
        .collect();
    report("register-1m/check", || verdict_of(&check(&register, &history, &Limits::default())));
}

/// Registers with compare-and-set under many keys, three clients on each: wall time, and the processor time of all cores.
fn many_keys(keys: u64, operations: u64) {
    use checker::history::Value;
    use checker::model::keyed::{Keyed, KeyedOp};
    let mut history = Vec::new();
    for key in 0..keys {
        let mut held = 0;
        for n in 0..operations {
            let next = i64::try_from((n * 7 + key) % 5).expect("it is below 5");
            let op = match n % 3 {
                0 => CasOp::Write(Value::Int(next)),
                1 => CasOp::Cas(Value::Int(held), Value::Int(next)),
                _ => CasOp::Read(Value::Int(held)),
            };
            held = if n % 3 == 2 { held } else { next };
            history.push(Operation::known(KeyedOp { key: Some(Value::Int(key.cast_signed())), op }, n * 10, n * 10 + 25));
        }
    }
    let model = Keyed(CasRegister { initial: Value::Int(0) });
    let before = processor_ms();
    let began = Instant::now();
    report("many-keys", || verdict_of(&check(&model, &history, &Limits::default())));
    let (processor, wall) = (processor_ms() - before, began.elapsed().as_millis().max(1));
    println!("many-keys/cores-percent\t{}\t-", u128::from(processor) * 100 / wall);
}

/// Processor milliseconds used by this process so far, in the ticks of 10 ms that Linux counts.
fn processor_ms() -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").expect("this is Linux");
    let after_name = stat.rsplit(')').next().expect("a name in brackets");
    let fields: Vec<&str> = after_name.split_whitespace().collect();
    fields[11..13].iter().map(|ticks| ticks.parse::<u64>().expect("ticks") * 10).sum()
}

fn is_wanted(name: &str) -> bool {
    std::env::args().nth(2).is_none_or(|part| name.contains(&part))
}

fn report(name: &str, check: impl Fn() -> &'static str) {
    if !is_wanted(name) {
        return;
    }
    let mut times = Vec::new();
    let began = Instant::now();
    let mut verdict = "";
    while times.is_empty() || began.elapsed() < REPEAT_FOR {
        let start = Instant::now();
        verdict = check();
        times.push(start.elapsed());
    }
    times.sort_unstable();
    println!("{name}\t{}\t{verdict}", times[0].as_nanos());
}

fn verdict_of<S>(parts: &[Part<S>]) -> &'static str {
    verdict(parts.iter().map(|part| &part.outcome))
}

fn verdict<'a, S: 'a>(outcomes: impl Iterator<Item = &'a Outcome<S>>) -> &'static str {
    let mut worst = "valid";
    for outcome in outcomes {
        match outcome {
            Outcome::Violation(_) => return "violation",
            Outcome::Unknown(..) => worst = "timeout",
            Outcome::Linearizable { .. } => {}
        }
    }
    worst
}

fn files(folder: &Path, corpus: &str, prefix: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.join(corpus)).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.extension().is_none_or(|kind| kind != "tsv"))
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(prefix)))
        .filter(|path| is_wanted(&name(path)))
        .collect();
    paths.sort();
    paths
}

fn name(path: &Path) -> String {
    let parts: Vec<_> = path.iter().rev().take(2).map(|part| part.to_string_lossy()).collect();
    format!("{}/{}", parts[1], parts[0])
}

fn read(path: &Path) -> (Vec<Record>, Name, checker::history::Value) {
    match format::open(path, BadLines::Refuse).unwrap_or_else(|error| panic!("{error}")) {
        Content::Objects(objects) => (objects.records, objects.model, objects.initial),
        Content::Locks(locks) => {
            (locks.records().unwrap_or_else(|error| panic!("{error}")).0, Name::FencedMutex, Default::default())
        }
        Content::Events(_) => panic!("{} holds no operations", path.display()),
    }
}
