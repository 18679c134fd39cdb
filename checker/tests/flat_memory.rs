//! Memory does not grow with the history: twice the operations need no more of it.
//!
//! A binary of its own, since it counts what the whole process allocates.

use checker::finding::Verdict;
use checker::format::{self, BadLines, Content};
use checker::history::Header;
use checker::history::jsonl::Reader;
use checker::judge::{judge_briefs, judge_stream};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, BufReader, Read};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: it passes on what the system's allocator says, and counts.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Relaxed) + layout.size();
        PEAK.fetch_max(now, Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promised.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most that was in use while this was done, beyond what was before.
fn peak(work: impl FnOnce()) -> usize {
    let before = NOW.load(Relaxed);
    PEAK.store(before, Relaxed);
    work();
    PEAK.load(Relaxed) - before
}

/// Lines that are made as they are read.
struct Made<F> {
    line: F,
    at: u64,
    lines: u64,
    left: Vec<u8>,
}

impl<F: FnMut(u64) -> String> Made<F> {
    fn new(lines: u64, line: F) -> Self {
        Made { line, at: 0, lines, left: Vec::new() }
    }
}

impl<F: FnMut(u64) -> String> Read for Made<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.left.is_empty() && self.at < self.lines {
            self.left = ((self.line)(self.at) + "\n").into_bytes();
            self.at += 1;
        }
        let read = self.left.len().min(into.len());
        into[..read].copy_from_slice(&self.left[..read]);
        self.left.drain(..read);
        Ok(read)
    }
}

/// An acquire, a write and a release a cycle, of twenty clients that come one after the other.
fn operation(n: u64) -> String {
    let (cycle, op) = (n / 3, ["acquire", "write", "release"][(n % 3) as usize]);
    let (client, call) = (cycle % 20, n * 1_000);
    let ret = call + 500;
    format!(r#"{{"client":{client},"op":"{op}","key":"order:42","token":"t{cycle}","call":{call},"return":{ret},"ok":true}}"#)
}

/// The same as the events of a run.
fn event(n: u64) -> String {
    let Some(n) = n.checked_sub(1) else { return r#"{"fencepost":1}"#.into() };
    let (id, cycle, at) = (n / 2 + 1, n / 6, n * 500);
    let (client, grant) = (cycle % 20, cycle * 3 + 1);
    let head = |of| format!(r#"{{"at":{at},"type":"{of}","client":"c{client}","id":{id}"#);
    match n % 6 {
        0 => head("invoke") + r#","op":"acquire","lock":"order:42","ttl_ms":500}"#,
        1 => head("ok") + &format!(r#","token":"t{cycle}","fence":{cycle}}}"#),
        2 => {
            let next = cycle + 1;
            head("invoke") + &format!(r#","op":"write","resource":"s","grant":{grant},"value":{next},"base":{cycle}}}"#)
        }
        4 => head("invoke") + &format!(r#","op":"release","lock":"order:42","grant":{grant}}}"#),
        _ => head("ok") + "}",
    }
}

fn check_operations(operations: u64) {
    let lines = Made::new(operations, operation);
    let Ok(Content::Locks(locks)) = format::read(lines, "made", BadLines::Refuse) else { panic!("it has acquires") };
    let judgement = judge_briefs(&Header::default(), locks.briefs()).expect("it is good");
    assert_eq!((judgement.verdict, judgement.counts.operations), (Verdict::Valid, operations));
}

fn check_events(operations: u64) {
    let reader = Reader::new(BufReader::new(Made::new(1 + 2 * operations, event))).expect("it is good");
    let judgement = judge_stream(&reader.header().clone(), reader).expect("it is good");
    assert_eq!((judgement.verdict, judgement.counts.operations), (Verdict::Valid, operations));
}

#[test]
fn twice_the_operations_need_no_more_memory() {
    // So many that everything that is remembered is full, and old things are forgotten for new ones.
    const OPERATIONS: u64 = 90_000;
    for (name, check) in [("operations", check_operations as fn(u64)), ("events", check_events)] {
        let few = peak(|| check(OPERATIONS));
        let many = peak(|| check(2 * OPERATIONS));
        println!("{name}: {few} bytes at most for {OPERATIONS}, {many} for twice as many");
        // How far one thread is ahead of the other is not always the same.
        assert!(many <= few + few / 20, "{name}: {few} bytes for {OPERATIONS}, {many} for twice as many");
        assert!(many < 50_000_000, "{name}: {many}");
    }
}
