//! Made-up histories: whatever clients, the store and the nemesis may show, sensible or not, in few stamps, so that many are equal.

use crate::story::{History, MS};
use checker::history::{
    Completion, Event, FaultEvent, Header, KeySeen, LockTerms, Moment, Observation, Op, OpId, Outcome, Phase, ResourceKind,
    ResourceTerms, Value, What,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

const CLIENTS: usize = 3;
const LOCKS: usize = 2;

/// What happens next in the life of one client.
#[derive(Debug, Clone)]
pub struct Act {
    client: usize,
    deed: Deed,
    /// Which lock, which of its former attempts: counted from the last.
    lock: usize,
    back: usize,
    /// How long after the client's last event, and for how long, in milliseconds.
    after: u64,
    takes: u64,
    outcome: Option<Outcome>,
    ttl_ms: Option<u64>,
    told: Option<u64>,
    valid_for_ms: Option<i64>,
    valid_until: Option<u64>,
    fence: Option<u64>,
    value: i64,
    base: Option<i64>,
    yes: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Deed {
    Acquire,
    Extend,
    Release,
    Check,
    Read,
    Write,
    Lost,
    Gone,
    /// The runner looks at the lock; its time runs beside the client's.
    Look,
    Fault(Moment),
}

fn act() -> impl Strategy<Value = Act> {
    let deed = prop_oneof![
        12 => Just(Deed::Acquire), 5 => Just(Deed::Extend), 7 => Just(Deed::Release), 3 => Just(Deed::Check), 2 => Just(Deed::Read),
        6 => Just(Deed::Write), 1 => Just(Deed::Lost), 1 => Just(Deed::Gone), 5 => Just(Deed::Look),
        1 => prop_oneof![Just(Moment::Begin), Just(Moment::Verified), Just(Moment::End)].prop_map(Deed::Fault),
    ];
    let outcome = prop_oneof![
        14 => Just(Some(Outcome::Ok)), 4 => Just(Some(Outcome::Fail)), 2 => Just(Some(Outcome::Info)), 1 => Just(None)
    ];
    let place = (
        0..CLIENTS,
        prop_oneof![4 => Just(0usize), 1 => Just(1)],
        prop_oneof![3 => Just(0usize), 1 => Just(1)],
        0..5u64,
        0..4u64,
    );
    let ttl_ms = prop_oneof![1 => Just(None), 2 => (0..10u64).prop_map(Some), 1 => Just(Some(40))];
    fn rare<T: std::fmt::Debug + Clone + 'static>(what: impl Strategy<Value = T> + 'static) -> impl Strategy<Value = Option<T>> {
        prop_oneof![5 => Just(None), 1 => what.prop_map(Some)]
    }
    let words = (ttl_ms, rare(0..5u64), rare(-2..9i64), rare(0..12u64));
    let data = (rare(0..4u64), -1..4i64, prop_oneof![1 => Just(None), 2 => (0..4i64).prop_map(Some)], any::<bool>());
    (deed, outcome, place, words, data).prop_map(
        |(
            deed,
            outcome,
            (client, lock, back, after, takes),
            (ttl_ms, told, valid_for_ms, valid_until),
            (fence, value, base, yes),
        )| {
            Act {
                client,
                deed,
                lock,
                back,
                after,
                takes,
                outcome,
                ttl_ms,
                told,
                valid_for_ms,
                valid_until,
                fence,
                value,
                base,
                yes,
            }
        },
    )
}

fn terms() -> impl Strategy<Value = LockTerms> {
    let limit = prop_oneof![3 => Just(1u32), 1 => Just(2)];
    let ttl_ms = prop_oneof![Just(None), Just(Some(6u64))];
    (limit, ttl_ms, prop::bool::weighted(0.3), prop::bool::weighted(0.2))
        .prop_map(|(limit, ttl_ms, reentrant, renewed)| LockTerms { limit, ttl_ms, reentrant, renewed, margin_ms: 5 })
}

fn header() -> impl Strategy<Value = Header> {
    let stock = prop_oneof![Just(None), (0..6i64).prop_map(Some)];
    (prop::collection::vec(terms(), LOCKS), stock).prop_map(|(terms, stock)| Header {
        fencepost: 1,
        locks: terms.into_iter().enumerate().map(|(n, terms)| (format!("l{n}"), terms)).collect(),
        resources: stock.map_or(BTreeMap::new(), |initial| {
            let terms = ResourceTerms { kind: ResourceKind::Stock, initial: Value::Int(initial), fenced: false, group: None };
            BTreeMap::from([("r0".to_string(), terms)])
        }),
        ..Header::default()
    })
}

/// Histories of at most so many acts.
pub fn history(acts: usize) -> impl Strategy<Value = History> {
    (header(), prop::collection::vec(act(), 0..acts), any::<bool>())
        .prop_map(|(header, acts, ends)| History { header, events: play(&acts, ends) }.sorted())
}

#[derive(Default)]
struct Life {
    now: u64,
    is_over: bool,
    attempts: Vec<(OpId, String)>,
}

fn token(id: OpId) -> String {
    format!("t{id}")
}

fn play(acts: &[Act], ends: bool) -> Vec<Event> {
    let mut events = Vec::new();
    let mut lives: Vec<Life> = (0..CLIENTS).map(|_| Life::default()).collect();
    let mut attempts: Vec<(OpId, String)> = Vec::new();
    for (n, act) in acts.iter().enumerate() {
        let id = n as OpId + 1;
        if !matches!(act.deed, Deed::Look | Deed::Fault(_)) && lives[act.client].is_over {
            continue;
        }
        match act.deed {
            Deed::Look => events.push(look(act, lives[act.client].now, &attempts)),
            Deed::Fault(moment) => {
                let at = (lives[act.client].now + act.after) * MS;
                let fault = FaultEvent {
                    step: "s".into(),
                    kind: "restart".into(),
                    targets: vec!["n1".into()],
                    moment,
                    text: "restarted n1".into(),
                };
                events.push(Event { at, what: What::Fault(fault) });
            }
            _ => act.live(id, &mut lives[act.client], &mut events),
        }
        if act.deed == Deed::Acquire {
            attempts.push((id, format!("l{}", act.lock)));
        }
    }
    if ends {
        end(&mut events, acts, &attempts);
    }
    events
}

fn look(act: &Act, now: u64, attempts: &[(OpId, String)]) -> Event {
    let (from, lock) = (now + act.after, format!("l{}", act.lock));
    let of_lock = attempts.iter().rev().filter(|(_, on)| *on == lock);
    let holder = of_lock.map(|(id, _)| token(*id)).nth(act.back).filter(|_| act.yes);
    let key = |token: &String| KeySeen { node: "n1".into(), key: lock.clone(), token: token.clone(), ttl_ms: act.ttl_ms };
    let keys = holder.iter().map(key).collect();
    Event { at: (from + act.takes) * MS, what: What::Observe(Observation { lock, from: from * MS, holder, keys }) }
}

/// All is quiet, the runner looks, and a fresh client tries.
fn end(events: &mut Vec<Event>, acts: &[Act], attempts: &[(OpId, String)]) {
    let mut now = events.iter().map(|event| event.at).max().unwrap_or(0) / MS + 1;
    events.push(Event { at: now * MS, what: What::Phase(Phase::Quiet) });
    for (n, act) in acts.iter().rev().take(4).enumerate() {
        events.push(look(act, now, attempts));
        let (id, lock) = (1_000 + n as OpId, format!("l{}", act.lock));
        let from = now + act.after * 5;
        let op = Op::Acquire { lock, ttl_ms: act.ttl_ms };
        events.push(Event { at: from * MS, what: What::Invoke { client: "probe".into(), id, op } });
        now = from + act.takes;
        let Some(outcome) = act.outcome else { break };
        events.push(Event { at: now * MS, what: What::Done(Completion::new("probe", id, outcome)) });
    }
}

impl Act {
    fn live(&self, id: OpId, life: &mut Life, events: &mut Vec<Event>) {
        let client = format!("c{}", self.client);
        let from = life.now + self.after;
        let until = from + self.takes;
        life.now = from;
        let mut say = |ms: u64, what: What| events.push(Event { at: ms * MS, what });
        let attempt = life.attempts.iter().rev().nth(self.back).cloned();
        let (grant, own_lock) = attempt.map_or((None, None), |(id, lock)| (Some(id), Some(lock)));
        let lock = match self.deed {
            Deed::Acquire | Deed::Lost => format!("l{}", self.lock),
            _ => own_lock.unwrap_or_else(|| format!("l{}", self.lock)),
        };
        let op = match self.deed {
            Deed::Lost => return say(from, What::Lost { client, lock }),
            Deed::Gone => {
                life.is_over = true;
                return say(from, What::Gone { client });
            }
            Deed::Extend | Deed::Release | Deed::Check if grant.is_none() => return,
            Deed::Extend => Op::Extend { lock, grant, ttl_ms: self.ttl_ms },
            Deed::Release => Op::Release { lock, grant },
            Deed::Check => Op::Check { lock, grant },
            Deed::Read => Op::Read { resource: "r0".into(), grant },
            Deed::Write => Op::Write {
                resource: "r0".into(),
                grant,
                value: Value::Int(self.value),
                base: self.base.map(Value::Int),
                fence: self.fence,
            },
            _ => Op::Acquire { lock: lock.clone(), ttl_ms: self.ttl_ms },
        };
        say(from, What::Invoke { client: client.clone(), id, op });
        let Some(outcome) = self.outcome else {
            life.is_over = true;
            return;
        };
        let promises = outcome == Outcome::Ok && matches!(self.deed, Deed::Acquire | Deed::Extend);
        let is_acquire = self.deed == Deed::Acquire;
        let done = Completion {
            token: is_acquire.then(|| token(id)),
            fence: self.fence.filter(|_| promises && is_acquire),
            told_at: self.told.filter(|_| promises).map(|told| (from + told).min(until) * MS),
            valid_for_ms: self.valid_for_ms.filter(|_| promises),
            valid_until: self.valid_until.filter(|_| promises).map(|ms| (from + ms) * MS),
            value: (self.deed == Deed::Check).then_some(Value::Bool(self.yes)),
            ..Completion::new(client, id, outcome)
        };
        say(until, What::Done(done));
        life.now = until;
        if is_acquire {
            life.attempts.push((id, format!("l{}", self.lock)));
        }
    }
}
