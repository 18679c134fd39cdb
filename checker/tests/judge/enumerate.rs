//! Every small history, against the definitions: all interleavings of all short scripts.
//!
//! Bounded in a usual run; with `FENCEPOST_LONG` more clients and operations (build it in release).

use super::generate::{History, MS};
use super::random::agree;
use checker::history::{Completion, Event, Header, LockTerms, Op, OpId, Outcome, Value, What};
use std::collections::BTreeMap;

const TTLS: [Option<u64>; 2] = [Some(3), None];

/// What is enumerated.
struct Bounds {
    clients: usize,
    operations: usize,
    outcomes: &'static [Outcome],
    /// Milliseconds from one event to the next.
    steps: &'static [u64],
}

/// Where the enumeration is.
struct Search<'a> {
    bounds: &'a Bounds,
    history: History,
    /// Of each client: how many operations it began, the one in flight, and its grant.
    clients: Vec<(usize, Option<OpId>, Option<OpId>)>,
    now: u64,
    seen: u64,
}

impl Search<'_> {
    fn all(&mut self) {
        let mut over = true;
        for client in 0..self.bounds.clients {
            let (begun, flight, grant) = self.clients[client];
            // Clients are alike: a client begins only after the ones before it have.
            if client > 0 && self.clients[client - 1].0 == 0 {
                break;
            }
            match flight {
                Some(id) => {
                    over = false;
                    for &outcome in self.bounds.outcomes {
                        self.complete(client, id, outcome);
                    }
                }
                None if begun < self.bounds.operations => {
                    over = false;
                    for op in self.ops(begun, grant) {
                        self.invoke(client, op);
                    }
                }
                None => {}
            }
        }
        if over {
            self.seen += 1;
            if let Err(why) = agree(&self.history) {
                panic!("{why}\n{:#?}", self.history.events);
            }
        }
    }

    /// What a client may do next.
    fn ops(&self, begun: usize, grant: Option<OpId>) -> Vec<Op> {
        let (lock, resource) = (|| "L0".to_string(), || "R0".to_string());
        if begun == 0 || grant.is_none() {
            return TTLS.iter().map(|ttl_ms| Op::Acquire { lock: lock(), ttl_ms: *ttl_ms }).collect();
        }
        let value = Value::Int(self.history.events.len() as i64);
        vec![
            Op::Release { lock: lock(), grant },
            Op::Extend { lock: lock(), grant, ttl_ms: Some(3) },
            Op::Write { resource: resource(), grant, value, base: Some(Value::Int(0)), fence: None },
        ]
    }

    fn invoke(&mut self, client: usize, op: Op) {
        let id = self.history.events.len() as OpId + 1;
        let before = self.clients[client];
        self.clients[client] = (before.0 + 1, Some(id), if matches!(op, Op::Acquire { .. }) { Some(id) } else { before.2 });
        self.step(What::Invoke { client: format!("c{client}"), id, op });
        self.clients[client] = before;
    }

    fn complete(&mut self, client: usize, id: OpId, outcome: Outcome) {
        let before = self.clients[client];
        self.clients[client].1 = None;
        self.step(What::Done(Completion::new(format!("c{client}"), id, outcome)));
        self.clients[client] = before;
    }

    fn step(&mut self, what: What) {
        for &step in self.bounds.steps {
            self.now += step * MS;
            self.history.events.push(Event { at: self.now, what: what.clone() });
            self.all();
            self.history.events.pop();
            self.now -= step * MS;
        }
    }
}

fn enumerate(bounds: &Bounds) -> u64 {
    let locks = BTreeMap::from([("L0".to_string(), LockTerms::default())]);
    let history = History { header: Header { fencepost: 1, locks, ..Header::default() }, events: Vec::new() };
    let clients = vec![(0, None, None); bounds.clients];
    let mut search = Search { bounds, history, clients, now: 0, seen: 0 };
    search.all();
    search.seen
}

const OK: &[Outcome] = &[Outcome::Ok];
const ANY: &[Outcome] = &[Outcome::Ok, Outcome::Fail, Outcome::Info];

#[test]
fn two_clients_of_two_operations() {
    assert!(enumerate(&Bounds { clients: 2, operations: 2, outcomes: ANY, steps: &[1] }) > 10_000);
}

#[test]
fn three_clients_and_equal_stamps() {
    assert!(enumerate(&Bounds { clients: 3, operations: 1, outcomes: OK, steps: &[0, 2] }) > 5_000);
}

#[test]
fn three_clients_and_more_operations() {
    if !super::long() {
        println!("bounded: FENCEPOST_LONG=1 enumerates three clients, and three and four operations");
        return;
    }
    println!("{} with equal stamps", enumerate(&Bounds { clients: 2, operations: 2, outcomes: OK, steps: &[0, 2] }));
    let of = |clients, operations, outcomes| enumerate(&Bounds { clients, operations, outcomes, steps: &[1] });
    println!("{} histories of 3 clients and 2 operations", of(3, 2, OK));
    println!("{} histories of 2 clients and 3 operations", of(2, 3, OK));
    println!("{} histories of 2 clients and 4 operations", of(2, 4, OK));
}
