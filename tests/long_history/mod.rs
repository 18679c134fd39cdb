//! A long history of many clients: rounds of acquire, read, write and release, waited for by the others; in one of them the holder is
//! paused, wakes, and overwrites what the next one wrote.

use checker::Nanos;
use checker::history::{Completion, Event, FaultEvent, Header, LockTerms, Moment, Op, Outcome, Phase, Value, What};
use checker::judge::Judge;
use fencepost::plan::Expectation;
use fencepost::report::{Subject, compare, injected};

const CLIENTS: u64 = 20;
const LOCKS: [(&str, &str); 2] = [("order:42", "row:42"), ("stock:7", "row:7")];
const TTL_MS: u64 = 30;

/// Where in the history the pause is, as a share of its rounds.
pub const PAUSED_AT: f64 = 0.75;

struct Clock {
    events: Vec<Event>,
    next: u64,
}

impl Clock {
    fn op(&mut self, client: u64, from: Nanos, to: Nanos, op: Op, done: impl FnOnce(&mut Completion)) -> u64 {
        let id = self.next;
        self.next += 1;
        let client = format!("c{}", client + 1);
        let mut completion = Completion::new(client.clone(), id, Outcome::Ok);
        done(&mut completion);
        self.events.push(Event { at: from, what: What::Invoke { client, id, op } });
        self.events.push(Event { at: to, what: What::Done(completion) });
        id
    }

    fn fault(&mut self, at: Nanos, client: u64, moment: Moment, text: &str) {
        let targets = vec![format!("c{}", client + 1)];
        let fault = FaultEvent { step: "gc".into(), kind: "pause".into(), targets, moment, text: text.into() };
        self.events.push(Event { at, what: What::Fault(fault) });
    }
}

/// A history of so many operations, or a few more, and what the checker says of it.
pub fn long_history(operations: u64) -> Subject {
    let mut clock = Clock { events: vec![Event { at: 1, what: What::Phase(Phase::Healthy) }], next: 1 };
    let rounds = operations / 12;
    let pause = (rounds as f64 * PAUSED_AT) as u64;
    let mut values = [0; LOCKS.len()];
    for round in 0..rounds {
        let place = (round % 2) as usize;
        let (lock, resource) = LOCKS[place];
        let client = round * 7 % CLIENTS;
        // The rounds of the two locks take turns; the pause pushes all that follows it away.
        let at = 1_000_000 + round * 1_000_000 + if round > pause { 60_000_000 } else { 0 };
        let acquire = || Op::Acquire { lock: lock.into(), ttl_ms: Some(TTL_MS) };
        for waiting in 1..=8 {
            let asked = at + waiting * 20_000;
            clock.op((client + waiting) % CLIENTS, asked, asked + 110_000 + waiting * 3_000, acquire(), |c| {
                c.outcome = Outcome::Fail;
                c.token = Some(format!("{:040x}", asked));
                c.why = Some("held by another".into());
            });
        }
        let grant = clock.op(client, at, at + 150_000, acquire(), |c| {
            c.fence = Some(round + 1);
            c.token = Some(format!("{:040x}", round * 2_654_435_761));
        });
        let under = Some(grant);
        let seen = Value::Int(values[place]);
        clock.op(client, at + 160_000, at + 290_000, Op::Read { resource: resource.into(), grant: under }, |c| {
            c.value = Some(seen);
        });
        let write =
            |value| Op::Write { resource: resource.into(), grant: under, value: Value::Int(value), base: None, fence: None };
        let mut wrote = at + 300_000;
        if round == pause {
            clock.fault(at + 295_000, client, Moment::Begin, "the holder was paused");
            clock.fault(at + 296_000, client, Moment::Verified, "state T");
            let next = (client + 3) % CLIENTS;
            let second = clock.op(next, at + 32_000_000, at + 32_200_000, acquire(), |_| {});
            let newer =
                Op::Write { resource: resource.into(), grant: Some(second), value: Value::Int(-2), base: None, fence: None };
            clock.op(next, at + 33_000_000, at + 33_200_000, newer, |_| {});
            clock.fault(at + 40_000_000, client, Moment::End, "the holder was resumed");
            wrote = at + 40_100_000;
            let back = Op::Release { lock: lock.into(), grant: Some(second) };
            clock.op(next, at + 41_000_000, at + 41_100_000, back, |_| {});
        }
        values[place] = (round * 10 + 1) as i64;
        clock.op(client, wrote, wrote + 130_000, write(values[place]), |_| {});
        clock.op(client, wrote + 140_000, wrote + 250_000, Op::Release { lock: lock.into(), grant: under }, |c| {
            if round == pause {
                c.outcome = Outcome::Fail;
            }
        });
    }
    clock.events.sort_by_key(|event| event.at);
    let last = clock.events.last().map_or(0, |event| event.at);
    clock.events.push(Event { at: last + 1, what: What::Phase(Phase::End) });
    let terms = LockTerms { ttl_ms: Some(TTL_MS), ..LockTerms::default() };
    let header = Header {
        fencepost: 1,
        name: "long".into(),
        world: "sim".into(),
        locks: LOCKS.iter().map(|(lock, _)| ((*lock).into(), terms.clone())).collect(),
        ..Header::default()
    };
    let mut judge = Judge::new(&header);
    clock.events.iter().for_each(|event| judge.see(event));
    let judgement = judge.finish();
    let (expected, origin) = (Expectation::default(), clock.events[0].at);
    Subject {
        standing: compare(&expected, &judgement, false),
        injected: injected(&clock.events, origin),
        origin,
        events: clock.events,
        header,
        judgement,
        expected,
        run: None,
        replay: "fencepost check long.jsonl".into(),
        searched: None,
        warnings: vec![],
    }
}
