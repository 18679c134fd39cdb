//! How long the judge takes beside only parsing the same lines: `cargo bench -p fencepost-checker --bench judge -- [operations [rounds]] [format]`.
//!
//! One lock, 20 clients, a million operations (an acquire, a write and a release a cycle), as event JSONL and as operations JSONL, once valid
//! and once with one double holder near the end. Prints the times of only parsing (by serde_json, into the same types), of checking in one thread, and of checking as
//! [`judge_stream`] does, which parses in another; the ratios; and the peak memory. Processor time is told beside the time on the clock,
//! since other work of the machine stretches only the latter.

use checker::Nanos;
use checker::format::{self, BadLines, Content, Locks};
use checker::history::jsonl::{self, Reader, Writer};
use checker::history::{Completion, Event, Header, Op, Outcome, Value, What};
use checker::judge::{Judge, judge_briefs, judge_stream};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

const CLIENTS: u64 = 20;

/// A format of histories: how it is written, parsed and checked.
struct Format {
    name: &'static str,
    write: fn(&Path, u64, bool) -> std::io::Result<()>,
    parse: fn(&Path),
    read: fn(&Path),
    check: fn(&Path) -> usize,
    check_ahead: fn(&Path) -> usize,
}

const FORMATS: [Format; 2] = [
    Format {
        name: "events",
        write: write_events,
        parse: parse_events,
        read: read_events,
        check: check_events,
        check_ahead: check_events_ahead,
    },
    Format {
        name: "operations",
        write: write_operations,
        parse: parse_operations,
        read: read_operations,
        check: check_operations,
        check_ahead: check_operations_ahead,
    },
];

/// Writes a history of so many operations; the last but one holder is doubled where asked.
fn write_events(path: &Path, operations: u64, doubled: bool) -> std::io::Result<()> {
    let mut out = Writer::new(
        NoFlush(BufWriter::with_capacity(1 << 20, File::create(path)?)),
        &Header { fencepost: 1, ..Header::default() },
    )?;
    let mut at: Nanos = 1_000;
    let mut tick = || {
        at += 1_000;
        at
    };
    let cycles = operations / 3;
    let mut id = 0;
    for cycle in 0..cycles {
        let client = format!("c{}", cycle % CLIENTS);
        let grant = id + 1;
        let mut run = |op: Op, outcome: Outcome, token: Option<String>, out: &mut Writer<_>| {
            id += 1;
            out.write(&Event { at: tick(), what: What::Invoke { client: client.clone(), id, op } })?;
            let done = Completion { token, ..Completion::new(client.clone(), id, outcome) };
            out.write(&Event { at: tick(), what: What::Done(done) })
        };
        let lock = || "order:42".to_string();
        run(Op::Acquire { lock: lock(), ttl_ms: Some(500) }, Outcome::Ok, Some(format!("{cycle:032x}")), &mut out)?;
        let value = Value::Int(cycle as i64 + 1);
        let base = Some(Value::Int(cycle as i64));
        run(
            Op::Write { resource: "stock:42".into(), grant: Some(grant), value, base, fence: None },
            Outcome::Ok,
            None,
            &mut out,
        )?;
        if !(doubled && cycle + 2 == cycles) {
            run(Op::Release { lock: lock(), grant: Some(grant) }, Outcome::Ok, None, &mut out)?;
        }
    }
    out.into_inner().0.flush()
}

/// The same as one line an operation.
fn write_operations(path: &Path, operations: u64, doubled: bool) -> std::io::Result<()> {
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
    let mut at: Nanos = 1_000;
    let cycles = operations / 3;
    for cycle in 0..cycles {
        for op in ["acquire", "write", "release"] {
            at += 2_000;
            if doubled && cycle + 2 == cycles && op == "release" {
                continue;
            }
            let (client, ret) = (cycle % CLIENTS, at + 1_000);
            let line = format_args!(
                "{{\"client\":{client},\"op\":\"{op}\",\"key\":\"order:42\",\"token\":{cycle},\"call\":{at},\"return\":{ret},\"ok\":true}}"
            );
            writeln!(out, "{line}")?;
        }
    }
    out.flush()
}

/// The writer flushes every line; a generator need not.
struct NoFlush<W>(W);

impl<W: Write> Write for NoFlush<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn events(path: &Path) -> Reader<BufReader<File>> {
    Reader::new(BufReader::with_capacity(1 << 16, File::open(path).expect("just written"))).expect("just written")
}

/// Parses some and judges some, so that the code of both need not fit into the processor's first cache at once.
fn in_turns<T, E: std::fmt::Debug>(
    mut judge: Judge,
    items: &mut impl Iterator<Item = Result<T, E>>,
    see: impl Fn(&mut Judge, &T),
) -> usize {
    let mut batch: Vec<T> = Vec::new();
    loop {
        batch.clear();
        batch.extend(items.take(256).map(|item| item.expect("just written")));
        if batch.is_empty() {
            return judge.finish().findings.len();
        }
        batch.iter().for_each(|item| see(&mut judge, item));
    }
}

/// Lines in a buffer that is used again, as every reader has them.
fn lines(path: &Path, mut see: impl FnMut(u64, &[u8])) {
    let mut input = BufReader::with_capacity(1 << 16, File::open(path).expect("just written"));
    let (mut line, mut number) = (Vec::new(), 0);
    while input.read_until(b'\n', &mut line).expect("just written") > 0 {
        number += 1;
        see(number, line.trim_ascii_end());
        line.clear();
    }
}

fn parse_events(path: &Path) {
    lines(path, |number, line| {
        let text = std::str::from_utf8(line).expect("just written");
        if number > 1 {
            std::hint::black_box(jsonl::line_by_serde(text, number).expect("just written"));
        }
    });
}

fn read_events(path: &Path) {
    events(path).for_each(|event| {
        std::hint::black_box(event.expect("just written"));
    });
}

fn check_events(path: &Path) -> usize {
    let mut reader = events(path);
    let judge = Judge::new(reader.header());
    in_turns(judge, &mut reader, Judge::see)
}

fn check_events_ahead(path: &Path) -> usize {
    let reader = events(path);
    judge_stream(&reader.header().clone(), reader).expect("just written").findings.len()
}

fn operations(path: &Path) -> Locks {
    match format::open(path, BadLines::Refuse).expect("just written") {
        Content::Locks(locks) => locks,
        _ => panic!("it has acquires"),
    }
}

fn parse_operations(path: &Path) {
    lines(path, |number, line| {
        std::hint::black_box(format::operations::line_by_serde(number, line).expect("just written"));
    });
}

fn read_operations(path: &Path) {
    operations(path).lines().for_each(|record| {
        std::hint::black_box(record.expect("just written"));
    });
}

fn check_operations(path: &Path) -> usize {
    in_turns(Judge::new(&Header::default()), &mut operations(path).briefs(), Judge::see_brief)
}

fn check_operations_ahead(path: &Path) -> usize {
    judge_briefs(&Header::default(), operations(path).briefs()).expect("just written").findings.len()
}

/// Peak resident memory in megabytes, where the system tells.
fn peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

/// Processor time of this thread, where the system tells.
fn processor() -> Option<Duration> {
    let stat = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(stat.split_whitespace().next()?.parse().ok()?))
}

struct Times {
    clock: Vec<Duration>,
    processor: Vec<Duration>,
}

impl Times {
    const fn new() -> Self {
        Times { clock: Vec::new(), processor: Vec::new() }
    }

    fn of<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let (clock, cpu) = (Instant::now(), processor());
        let result = work();
        self.clock.push(clock.elapsed());
        self.processor.extend(processor().zip(cpu).map(|(after, before)| after - before));
        result
    }
}

fn median(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort();
    times.get(times.len() / 2).map_or(f64::NAN, Duration::as_secs_f64)
}

/// What else the machine does only adds to processor time, as it takes away what was in the caches.
fn fewest(times: &[Duration]) -> f64 {
    times.iter().min().map_or(f64::NAN, Duration::as_secs_f64)
}

fn main() {
    let mut numbers = std::env::args().filter_map(|arg| arg.parse().ok());
    let (operations, rounds) = (numbers.next().unwrap_or(1_000_000), numbers.next().unwrap_or(5));
    let folder = std::env::temp_dir().join(format!("fencepost-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    let path = folder.join("history.jsonl");
    let asked = |format: &Format| {
        let mut named = std::env::args().filter(|arg| FORMATS.iter().any(|format| format.name == arg)).peekable();
        named.peek().is_none() || named.any(|name| name == format.name)
    };
    for Format { name, write, parse, read, check, check_ahead } in FORMATS.into_iter().filter(asked) {
        for doubled in [false, true] {
            write(&path, operations, doubled).expect("the temporary folder can be written");
            let [mut parsed, mut read_only, mut checked, mut ahead] = [const { Times::new() }; 4];
            let mut found = 0;
            // Alternating, so that what else the machine does hits all alike.
            for _ in 0..rounds {
                parsed.of(|| parse(&path));
                read_only.of(|| read(&path));
                found = checked.of(|| check(&path));
                assert_eq!(ahead.of(|| check_ahead(&path)), found);
            }
            let [parse_cpu, read_cpu, check_cpu] = [&parsed, &read_only, &checked].map(|times| fewest(&times.processor));
            let [parse, check, ahead] = [&parsed, &checked, &ahead].map(|times| median(&times.clock));
            println!(
                "{operations} {name}, {} double holder ({found} findings): parse {parse:.2} s, check {check:.2} s, reading ahead {ahead:.2} s: ratio {:.2}; \
                 processor time parse {parse_cpu:.2} s (our own reader {read_cpu:.2} s), check {check_cpu:.2} s: ratio {:.2}; peak {} MB",
                if doubled { "one" } else { "no" },
                ahead / parse,
                check_cpu / parse_cpu,
                peak_mb().map_or("?".to_string(), |mb| mb.to_string()),
            );
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
}
