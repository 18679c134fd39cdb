//! How long the judge takes beside only parsing the same lines: `cargo bench -p fencepost-checker --bench judge [operations]`.
//!
//! One lock, 20 clients, a million operations (an acquire, a write and a release a cycle), once valid and once with one double
//! holder near the end. Prints the times of parsing and of checking, their ratio, and the peak memory.

use checker::Nanos;
use checker::history::jsonl::{Reader, Writer};
use checker::history::{Completion, Event, Header, Op, Outcome, Value, What};
use checker::judge::Judge;
use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

/// Writes a history of so many operations; the last but one holder is doubled where asked.
fn write(path: &Path, operations: u64, doubled: bool) -> std::io::Result<()> {
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
        let client = format!("c{}", cycle % 20);
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

fn reader(path: &Path) -> Reader<BufReader<File>> {
    Reader::new(BufReader::with_capacity(1 << 16, File::open(path).expect("just written"))).expect("just written")
}

fn parse(path: &Path) -> Duration {
    let start = Instant::now();
    reader(path).for_each(|event| {
        std::hint::black_box(event.expect("just written"));
    });
    start.elapsed()
}

fn check(path: &Path) -> (Duration, usize) {
    let start = Instant::now();
    let mut reader = reader(path);
    let mut judge = Judge::new(reader.header());
    for event in &mut reader {
        judge.see(&event.expect("just written"));
    }
    let judgement = judge.finish();
    (start.elapsed(), judgement.findings.len())
}

/// Peak resident memory in megabytes, where the system tells.
fn peak_mb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}

fn main() {
    let operations = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(1_000_000);
    let folder = std::env::temp_dir().join(format!("fencepost-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("the temporary folder can be written");
    for doubled in [false, true] {
        let path = folder.join("history.jsonl");
        write(&path, operations, doubled).expect("the temporary folder can be written");
        let median = |mut times: Vec<Duration>| {
            times.sort();
            times[times.len() / 2]
        };
        let mut findings = 0;
        // Alternating, so that what else the machine does hits both alike.
        let (parses, checks): (Vec<_>, Vec<_>) = (0..5)
            .map(|_| {
                let parsed = parse(&path);
                let (checked, found) = check(&path);
                findings = found;
                (parsed, checked)
            })
            .unzip();
        let (parsed, checked) = (median(parses), median(checks));
        println!(
            "{operations} operations, {} double holder: parse {parsed:.2?}, check {checked:.2?}, ratio {:.2}, {findings} findings, peak {} MB",
            if doubled { "one" } else { "no" },
            checked.as_secs_f64() / parsed.as_secs_f64(),
            peak_mb().map_or("?".to_string(), |mb| mb.to_string()),
        );
    }
    let _ = std::fs::remove_dir_all(&folder);
}
