//! Made-up histories of locks and resources: anything that clients can see, sensible or not.

use checker::history::{Completion, Event, Header, LockTerms, Op, OpId, Outcome, Value, What};
use proptest::prelude::*;
use std::collections::BTreeMap;

pub const CLIENTS: usize = 4;
pub const MS: u64 = 1_000_000;

/// One thing that a client does next.
#[derive(Debug, Clone)]
pub struct Act {
    pub client: usize,
    pub lock: usize,
    pub kind: Kind,
    /// Which of the client's grants it is about, counted from the last.
    pub back: usize,
    /// How long after the client's last event it is invoked, and how long it takes.
    pub after: u64,
    pub takes: u64,
    pub outcome: Option<Outcome>,
    pub ttl: Option<u64>,
    pub told: Option<u64>,
    pub valid_for: Option<i64>,
    pub valid_until: Option<u64>,
    pub fence: Option<u64>,
    pub value: i64,
    pub base: Option<i64>,
    pub held: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Acquire,
    Extend,
    Release,
    Check,
    Read,
    Write,
    Lost,
    Gone,
}

/// A history with its header.
#[derive(Debug, Clone)]
pub struct History {
    pub header: Header,
    pub events: Vec<Event>,
}

pub fn act() -> impl Strategy<Value = Act> {
    let kind = prop_oneof![
        24 => Just(Kind::Acquire), 8 => Just(Kind::Extend), 8 => Just(Kind::Release), 2 => Just(Kind::Check),
        4 => Just(Kind::Read), 16 => Just(Kind::Write), 2 => Just(Kind::Lost), 1 => Just(Kind::Gone),
    ];
    let outcome = prop_oneof![24 => Just(Some(Outcome::Ok)), 4 => Just(Some(Outcome::Fail)), 2 => Just(Some(Outcome::Info)), 1 => Just(None)];
    let when = (0..CLIENTS, prop_oneof![3 => Just(0usize), 1 => Just(1)], 0..2usize, 0..6u64, 0..5u64);
    let ttl = prop_oneof![1 => Just(None), 2 => (0..12u64).prop_map(Some), 2 => (8..40u64).prop_map(Some)];
    let rare = |top: u64| prop_oneof![4 => Just(None), 1 => (0..top).prop_map(Some)];
    let valid_for = prop_oneof![4 => Just(None), 1 => (-2..10i64).prop_map(Some)];
    let data = (
        prop_oneof![2 => Just(None), 1 => (0..4u64).prop_map(Some)],
        0..4i64,
        prop_oneof![1 => Just(None), 2 => (0..4i64).prop_map(Some)],
        any::<bool>(),
    );
    (kind, outcome, when, ttl, rare(6), valid_for, rare(15), data).prop_map(
        |(kind, outcome, (client, lock, back, after, takes), ttl, told, valid_for, valid_until, (fence, value, base, held))| {
            Act { client, lock, kind, back, after, takes, outcome, ttl, told, valid_for, valid_until, fence, value, base, held }
        },
    )
}

pub fn header() -> impl Strategy<Value = Header> {
    let terms = (
        prop_oneof![2 => Just(1u32), 1 => Just(2u32)],
        any::<bool>(),
        prop_oneof![5 => Just(false), 1 => Just(true)],
        prop_oneof![Just(None), Just(Some(5u64))],
    )
        .prop_map(|(limit, reentrant, renewed, ttl_ms)| LockTerms {
            limit,
            reentrant,
            renewed,
            ttl_ms,
            ..LockTerms::default()
        });
    [terms.clone(), terms].prop_map(|[a, b]| Header {
        fencepost: 1,
        locks: BTreeMap::from([("L0".into(), a), ("L1".into(), b)]),
        ..Header::default()
    })
}

pub fn history(acts: usize) -> impl Strategy<Value = History> {
    (header(), prop::collection::vec(act(), 0..acts)).prop_map(|(header, acts)| History { header, events: play(&acts) })
}

/// Lets each client do its acts one after another, and sorts what happens by time.
pub fn play(acts: &[Act]) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut now = [0u64; CLIENTS];
    let mut ended = [false; CLIENTS];
    let mut grants: Vec<Vec<OpId>> = vec![Vec::new(); CLIENTS];
    for (n, act) in acts.iter().enumerate() {
        let (id, c) = (n as OpId + 1, act.client);
        if ended[c] {
            continue;
        }
        let client = format!("c{c}");
        let lock = format!("L{}", act.lock);
        let invoked = now[c] + act.after * MS;
        let completed = invoked + act.takes * MS;
        let grant = grants[c].iter().rev().nth(act.back).copied();
        let op = match act.kind {
            Kind::Lost => {
                events.push(Event { at: invoked, what: What::Lost { client, lock } });
                now[c] = invoked;
                continue;
            }
            Kind::Gone => {
                events.push(Event { at: invoked, what: What::Gone { client } });
                ended[c] = true;
                continue;
            }
            Kind::Acquire => Op::Acquire { lock, ttl_ms: act.ttl },
            Kind::Extend => Op::Extend { lock, grant, ttl_ms: act.ttl },
            Kind::Release => Op::Release { lock, grant },
            Kind::Check => Op::Check { lock, grant },
            Kind::Read => Op::Read { resource: format!("R{}", act.lock), grant },
            Kind::Write => Op::Write {
                resource: format!("R{}", act.lock),
                grant,
                value: Value::Int(act.value),
                base: act.base.map(Value::Int),
                fence: act.fence,
            },
        };
        // A grant names its own lock.
        let op = match (op, grant.and_then(|grant| lock_of(&events, grant))) {
            (Op::Extend { grant, ttl_ms, .. }, Some(lock)) => Op::Extend { lock, grant, ttl_ms },
            (Op::Release { grant, .. }, Some(lock)) => Op::Release { lock, grant },
            (Op::Check { grant, .. }, Some(lock)) => Op::Check { lock, grant },
            (Op::Extend { .. } | Op::Release { .. } | Op::Check { .. }, None) => continue,
            (op, _) => op,
        };
        events.push(Event { at: invoked, what: What::Invoke { client: client.clone(), id, op } });
        now[c] = completed;
        let Some(outcome) = act.outcome else {
            ended[c] = true;
            continue;
        };
        let promises = outcome == Outcome::Ok && matches!(act.kind, Kind::Acquire | Kind::Extend);
        let done = Completion {
            fence: act.fence.filter(|_| promises && act.kind == Kind::Acquire),
            told_at: act.told.filter(|_| promises).map(|told| (invoked + told * MS).min(completed)),
            valid_for_ms: act.valid_for.filter(|_| promises),
            valid_until: act.valid_until.filter(|_| promises).map(|until| invoked + until * MS),
            value: (act.kind == Kind::Check).then_some(Value::Bool(act.held)),
            ..Completion::new(client, id, outcome)
        };
        events.push(Event { at: completed, what: What::Done(done) });
        if act.kind == Kind::Acquire {
            grants[c].push(id);
        }
    }
    events.sort_by_key(|event| event.at);
    events
}

fn lock_of(events: &[Event], grant: OpId) -> Option<String> {
    events.iter().find_map(|event| match &event.what {
        What::Invoke { id, op: Op::Acquire { lock, .. }, .. } if *id == grant => Some(lock.clone()),
        _ => None,
    })
}
