//! Histories made by hand, with the judgement that each must get.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use checker::Nanos;
use checker::finding::{BrokenAssumption, Cause, Counts, Finding, Judgement, Kind, Verdict};
use checker::history::{Completion, Event, FaultEvent, Header, Moment, Op, Outcome, Phase, Value, What};
use fencepost::plan::Expectation;
use fencepost::report::{Subject, compare, injected};

/// Writes a history: times in microseconds.
struct Pen {
    events: Vec<Event>,
    next: u64,
}

impl Pen {
    fn new() -> Pen {
        Pen { events: vec![Event { at: 1_000_000_000, what: What::Phase(Phase::Healthy) }], next: 1 }
    }

    fn at(&mut self, us: u64, what: What) {
        self.events.push(Event { at: 1_000_000_000 + us * 1000, what });
    }

    fn op(&mut self, client: &str, from: u64, to: u64, op: Op, done: impl FnOnce(&mut Completion)) -> u64 {
        let id = self.next;
        self.next += 1;
        self.at(from, What::Invoke { client: client.into(), id, op });
        let mut completion = Completion::new(client, id, Outcome::Ok);
        done(&mut completion);
        self.at(to, What::Done(completion));
        id
    }

    fn acquire(&mut self, client: &str, from: u64, to: u64, ttl_ms: Option<u64>, fence: Option<u64>) -> u64 {
        self.op(client, from, to, Op::Acquire { lock: "lock1".into(), ttl_ms }, |c| c.fence = fence)
    }

    fn refused(&mut self, client: &str, from: u64, to: u64) -> u64 {
        self.op(client, from, to, Op::Acquire { lock: "lock1".into(), ttl_ms: Some(500) }, |c| c.outcome = Outcome::Fail)
    }

    fn read(&mut self, client: &str, from: u64, to: u64, grant: u64, value: i64) -> u64 {
        self.op(client, from, to, Op::Read { resource: "res1".into(), grant: Some(grant) }, |c| c.value = Some(Value::Int(value)))
    }

    #[allow(clippy::too_many_arguments)]
    fn write(
        &mut self,
        client: &str,
        from: u64,
        to: u64,
        grant: u64,
        value: i64,
        fence: Option<u64>,
        fenced_by: Option<u64>,
    ) -> u64 {
        let op =
            Op::Write { resource: "res1".into(), grant: Some(grant), value: Value::Int(value), base: Some(Value::Int(0)), fence };
        self.op(client, from, to, op, |c| {
            c.fenced_by = fenced_by;
            if fenced_by.is_some() {
                c.outcome = Outcome::Fail;
            }
        })
    }

    fn release(&mut self, client: &str, from: u64, to: u64, grant: u64, outcome: Outcome) -> u64 {
        self.op(client, from, to, Op::Release { lock: "lock1".into(), grant: Some(grant) }, |c| {
            c.outcome = outcome;
            c.why = (outcome == Outcome::Fail).then(|| "the key holds another's token".into());
        })
    }

    fn fault(&mut self, us: u64, kind: &str, target: &str, moment: Moment, text: &str) {
        let fault = FaultEvent { step: "gc".into(), kind: kind.into(), targets: vec![target.into()], moment, text: text.into() };
        self.at(us, What::Fault(fault));
    }

    fn subject(mut self, name: &str, findings: Vec<Finding>, counts: Counts, expected: Expectation) -> Subject {
        self.events.sort_by_key(|event| event.at);
        let last = self.events.last().map_or(0, |event| event.at);
        self.events.push(Event { at: last, what: What::Phase(Phase::End) });
        let verdict = if findings.is_empty() { Verdict::Valid } else { Verdict::Violation };
        let judgement = Judgement { verdict, findings, broken: vec![], counts };
        let origin = self.events[0].at;
        Subject {
            header: Header { fencepost: 1, name: name.into(), world: "sim".into(), ..Header::default() },
            standing: compare(&expected, &judgement, false),
            injected: injected(&self.events, origin),
            origin,
            judgement,
            expected,
            events: self.events,
            run: Some(format!("runs/2026-11-30T23-21-24Z-{name}").into()),
            replay: format!("fencepost reproduce {name} --world sim --seed 0"),
            searched: None,
            warnings: vec![],
        }
    }
}

fn us(us: u64) -> Nanos {
    1_000_000_000 + us * 1000
}

fn finding(kind: Kind, clients: &[&str], events: &[u64], from: u64, until: u64, sentence: &str) -> Finding {
    Finding {
        kind,
        lock: "lock1".into(),
        clients: clients.iter().map(|client| (*client).into()).collect(),
        events: events.to_vec(),
        from: us(from),
        until: us(until),
        cause: Some(Cause { step: Some("gc".into()), at: us(from), text: "c1 was paused".into() }),
        sentence: sentence.into(),
    }
}

fn counts() -> Counts {
    Counts { operations: 40, locks: 1, granted: 2, contended: 1, writes: 2, closest_ns: Some(3_200_000), ..Counts::default() }
}

fn expect(find: &[Kind], rejected_stale_writes: u64) -> Expectation {
    Expectation { find: find.to_vec(), allow: vec![], rejected_stale_writes }
}

/// The pause on a clock that ticks in so many microseconds: simulated (1000) or real.
fn paused(pen: &mut Pen, tick: u64, fences: [Option<u64>; 2]) -> [u64; 3] {
    let g1 = pen.acquire("c1", 0, tick, Some(500), fences[0]);
    pen.read("c1", tick, 2 * tick, g1, 0);
    pen.fault(2 * tick, "pause", "c1", Moment::Begin, "c1 was paused");
    pen.fault(2 * tick + tick / 2, "pause", "c1", Moment::Verified, "state T in /proc/4711/stat");
    let mut at = 2 * tick;
    while at + tick < 500_000 {
        pen.refused("c2", at, at + tick);
        at += 10_000 + tick;
    }
    let g2 = pen.acquire("c2", at, at + tick, Some(500), fences[1]);
    pen.read("c2", at + tick, at + 2 * tick, g2, 0);
    let w2 = pen.write("c2", at + 2 * tick, at + 3 * tick, g2, 2001, fences[1], None);
    pen.fault(at + 4 * tick, "pause", "c1", Moment::End, "c1 was resumed");
    let w1 = pen.write("c1", at + 4 * tick, at + 5 * tick, g1, 1001, fences[0], fences[1]);
    pen.release("c1", at + 5 * tick, at + 6 * tick, g1, Outcome::Fail);
    pen.release("c2", at + 7 * tick, at + 8 * tick, g2, Outcome::Ok);
    [g1, w2, w1]
}

fn blamed(pen: &Pen, [g1, w2, w1]: [u64; 3]) -> Vec<Finding> {
    let done = pen.events.iter().find_map(|event| match &event.what {
        What::Done(completion) if completion.id == w1 => Some((event.at - us(0)) / 1000),
        _ => None,
    });
    let at = done.expect("it was written");
    vec![
        finding(
            Kind::StaleHolder,
            &["c1", "c2"],
            &[g1, w1],
            at,
            at,
            "c1 wrote under its grant of lock1 although its lease had ended at 0.500 s and c2 held the lock; cause: c1 was paused from 0.002 s.",
        ),
        finding(
            Kind::StaleWrite,
            &["c1", "c2"],
            &[w1, w2],
            at,
            at,
            "res1 took the write of 1001 by c1, whose grant is older, after the write of 2001 by c2; cause: c1 was paused from 0.002 s.",
        ),
        finding(Kind::LostUpdate, &["c1", "c2"], &[w1, w2], at, at, "c1 overwrote 2001, which it had not seen: it had read 0."),
    ]
}

pub fn gc_pause() -> Subject {
    let mut pen = Pen::new();
    let ids = paused(&mut pen, 1000, [None, None]);
    let findings = blamed(&pen, ids);
    pen.subject("gc-pause", findings, counts(), expect(&[Kind::StaleHolder, Kind::StaleWrite, Kind::LostUpdate], 0))
}

pub fn on_real_redis() -> Subject {
    let mut pen = Pen::new();
    let ids = paused(&mut pen, 230, [None, None]);
    let findings = blamed(&pen, ids);
    pen.subject("gc-pause", findings, counts(), expect(&[], 0))
}

pub fn gc_pause_fenced() -> Subject {
    let mut pen = Pen::new();
    paused(&mut pen, 1000, [Some(33), Some(34)]);
    pen.subject("gc-pause-fenced", vec![], Counts { rejected_stale_writes: 1, writes: 1, ..counts() }, expect(&[], 1))
}

pub fn in_flight() -> Subject {
    let mut pen = Pen::new();
    pen.fault(1000, "pause", "c1", Moment::Begin, "c1 was paused");
    pen.fault(1500, "pause", "c1", Moment::Verified, "not polled");
    let g2 = pen.acquire("c2", 520_000, 521_000, Some(500), None);
    let g1 = pen.acquire("c1", 0, 530_000, Some(500), None);
    pen.fault(529_000, "pause", "c1", Moment::End, "c1 was resumed");
    pen.write("c1", 530_000, 531_000, g1, 1001, None, None);
    pen.write("c2", 532_000, 533_000, g2, 2001, None, None);
    pen.release("c2", 540_000, 541_000, g2, Outcome::Ok);
    let sentence = "c2 was promised lock1 until 1.020 s; c1 was told at 0.530 s that it holds it; cause: c1 was paused from 0.001 s to 0.529 s.";
    let findings = vec![finding(Kind::TwoHolders, &["c1", "c2"], &[g2, g1], 530_000, 540_000, sentence)];
    pen.subject("gc-pause-in-flight", findings, counts(), expect(&[], 0))
}

pub fn crash_holding() -> Subject {
    let mut pen = Pen::new();
    let g1 = pen.acquire("c1", 0, 1000, None, None);
    pen.read("c1", 1000, 2000, g1, 0);
    pen.fault(2000, "crash", "c1", Moment::Begin, "c1 crashed");
    pen.at(2500, What::Gone { client: "c1".into() });
    pen.fault(3000, "crash", "c1", Moment::Verified, "no such process");
    for at in (4000..400_000).step_by(11_000) {
        pen.refused("c2", at, at + 1000);
    }
    pen.at(400_000, What::Phase(Phase::Quiet));
    let mut last = 0;
    for at in (401_000..1_900_000).step_by(50_000) {
        last = pen.refused("probe", at, at + 1000);
    }
    let sentence = "lock1 was never free again: a fresh client tried for 1.500 s; cause: c1 crashed at 0.002 s while it held it, and its grant never expires.";
    let findings = vec![finding(Kind::Stuck, &["c1"], &[g1, last], 401_000, 1_900_000, sentence)];
    pen.subject("crash-holding", findings, counts(), expect(&[], 0))
}

pub fn nothing() -> Subject {
    let mut pen = Pen::new();
    let g1 = pen.acquire("c1", 0, 1000, Some(500), None);
    pen.release("c1", 1000, 2000, g1, Outcome::Ok);
    let mut subject = pen.subject(
        "gc-pause",
        vec![],
        Counts { granted: 1, locks: 1, operations: 2, ..Counts::default() },
        expect(&[Kind::StaleWrite], 0),
    );
    subject.judgement.verdict = Verdict::Assumptions;
    let sentence = "The step gc never began: c1 completed no read.".into();
    subject.judgement.broken = vec![BrokenAssumption { name: "fault-not-injected".into(), sentence }];
    subject.standing = compare(&subject.expected, &subject.judgement, false);
    subject.warnings = vec!["the last line is torn and was skipped".into()];
    subject
}

/// Sixty cycles of three clients, in the middle of which one steals the lock; the same findings over and over.
pub fn clock_stolen() -> Subject {
    let mut pen = Pen::new();
    let mut at = 0;
    let mut findings = Vec::new();
    for cycle in 0..60u64 {
        let client = ["c1", "c2", "c3"][cycle as usize % 3];
        let grant = pen.acquire(client, at, at + 300, Some(50), None);
        pen.read(client, at + 300, at + 500, grant, cycle as i64);
        pen.refused(["c2", "c3", "c1"][cycle as usize % 3], at + 600, at + 700);
        if cycle >= 30 && cycle % 3 == 0 {
            let thief = pen.acquire("c3", at + 1000, at + 1200, Some(50), None);
            let sentence =
                "c1 was promised lock1 until 0.100 s; c3 was granted it before that; cause: the clock of c3 jumped +10 s.";
            findings.push(finding(Kind::TwoHolders, &["c3", "c1"], &[grant, thief], at + 1200, at + 2000, sentence));
            pen.release("c3", at + 2100, at + 2200, thief, Outcome::Ok);
        }
        pen.release(client, at + 2000, at + 2300, grant, Outcome::Ok);
        at += 2_700;
    }
    pen.fault(70_000, "clock", "c3", Moment::Begin, "the clock of c3 jumped +10 s");
    pen.fault(70_010, "clock", "c3", Moment::Verified, "its wall clock is 10.000 s ahead");
    pen.subject("getset-clock-skew", findings, counts(), expect(&[], 0))
}
