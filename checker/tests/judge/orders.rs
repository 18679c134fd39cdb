//! Every order in which up to three clients can take and give back a lock up to twice each: 3 clients × 4 operations, whole.
//!
//! What a client does is fixed (an acquire and its release in turn, all granted, no TTL), so that a history is the order of its calls and
//! returns. Two such orders are one where they differ in the names of the clients, or in the order of calls that follow upon one another, or of
//! returns that do: which operation was over before which other began is then the same, and on nothing else does it depend whether two held
//! the lock at once. So of each run of calls, and of returns, only the one in the order of the clients is looked at: 17.6 million orders
//! in place of 9.5 thousand million.
//!
//! The definition, the engine and the judge say the same of each. Bounded in a usual run to two operations of each of three clients and four
//! of each of two; with `FENCEPOST_LONG` three of each of three, and in a release build all of it.

use checker::engine::{Limits, Operation, Strategy, check_by};
use checker::finding::Kind;
use checker::history::{Completion, Event, Header, Op, Outcome, Value, What};
use checker::judge::judge;
use checker::model::owner_mutex::{OwnerMutex, OwnerOp};
use std::sync::atomic::{AtomicU64, Ordering};

const MOST: usize = 3;

/// An order that is being built: whose turn each event is. A client's events are a call and a return in turn.
#[derive(Clone)]
struct Order {
    clients: usize,
    operations: usize,
    turns: Vec<usize>,
    /// How many events of each client there were.
    events: [usize; MOST],
}

impl Order {
    fn is_whole(&self) -> bool {
        self.turns.len() == self.clients * self.operations * 2
    }

    /// Whose turn it may be next.
    fn next(&self) -> Vec<usize> {
        let may = |client: &usize| {
            let events = self.events[*client];
            let is_left = events < self.operations * 2;
            // Clients are alike: a client begins only after the ones before it have.
            let is_named = events > 0 || *client == 0 || self.events[*client - 1] > 0;
            let last_is_same = |last: usize| (self.events[last] - 1) % 2 == events % 2;
            let is_in_order = self.turns.last().is_none_or(|&last| !last_is_same(last) || last < *client);
            is_left && is_named && is_in_order
        };
        (0..self.clients).filter(may).collect()
    }

    fn with(&mut self, client: usize, then: &mut dyn FnMut(&mut Order)) {
        self.turns.push(client);
        self.events[client] += 1;
        then(self);
        self.events[client] -= 1;
        self.turns.pop();
    }

    /// All that begin like this one, or their beginnings of so many events.
    fn all(&mut self, length: usize, see: &mut dyn FnMut(&Order)) {
        if self.is_whole() || self.turns.len() == length {
            return see(self);
        }
        for client in self.next() {
            self.with(client, &mut |order| order.all(length, see));
        }
    }

    /// Of each client its operations: the times of call and return.
    fn intervals(&self) -> [Vec<(u64, u64)>; MOST] {
        let mut intervals = [const { Vec::new() }; MOST];
        let mut called = [None; MOST];
        for (at, &client) in (1..).zip(&self.turns) {
            match called[client].take() {
                None => called[client] = Some(at),
                Some(call) => intervals[client].push((call, at)),
            }
        }
        intervals
    }
}

/// Whether the operations can be put in a row that contradicts no interval, with never two holders: by the definition, step by step. So many
/// operations of each client are in the row already; who has an odd number of them holds the lock.
fn is_explained(intervals: &[Vec<(u64, u64)>; MOST], row: [usize; MOST], tried: &mut [[[bool; 5]; 5]; 5]) -> bool {
    if row.iter().filter(|operations| *operations % 2 == 1).count() > 1 || tried[row[0]][row[1]][row[2]] {
        return false;
    }
    if (0..MOST).all(|client| row[client] == intervals[client].len()) {
        return true;
    }
    tried[row[0]][row[1]][row[2]] = true;
    (0..MOST).any(|client| {
        let Some((call, _)) = intervals[client].get(row[client]) else { return false };
        let was_over = |other: usize| intervals[other].get(row[other]).is_some_and(|(_, ret)| ret < call);
        let mut longer = row;
        longer[client] += 1;
        !(0..MOST).any(was_over) && is_explained(intervals, longer, tried)
    })
}

fn by_engine(intervals: &[Vec<(u64, u64)>; MOST]) -> bool {
    let of = |client: usize| {
        let owner = Value::Int(client as i64);
        let ops = [OwnerOp::Acquire(owner.clone()), OwnerOp::Release(owner)];
        intervals[client].iter().enumerate().map(move |(n, (call, ret))| Operation::known(ops[n % 2].clone(), *call, *ret))
    };
    let history: Vec<Operation<OwnerOp>> = (0..MOST).flat_map(of).collect();
    check_by(Strategy::Depth, &OwnerMutex, &history, &Limits::default()).iter().all(|part| part.outcome.is_linearizable())
}

fn by_judge(order: &Order) -> bool {
    let mut events = [0; MOST];
    let told = (1..).zip(&order.turns).map(|(at, &client)| {
        let (operation, is_return) = (events[client] / 2, events[client] % 2 == 1);
        events[client] += 1;
        let id = |operation: usize| (client * 10 + operation) as u64;
        let (name, lock) = (format!("c{client}"), "lock".to_string());
        let what = match (is_return, operation % 2) {
            (true, _) => What::Done(Completion::new(name, id(operation), Outcome::Ok)),
            (false, 0) => What::Invoke { client: name, id: id(operation), op: Op::Acquire { lock, ttl_ms: None } },
            (false, _) => {
                What::Invoke { client: name, id: id(operation), op: Op::Release { lock, grant: Some(id(operation - 1)) } }
            }
        };
        Event { at, what }
    });
    let told: Vec<Event> = told.collect();
    let findings = judge(&Header::default(), &told).findings;
    assert!(findings.iter().all(|finding| finding.kind == Kind::TwoHolders), "{findings:?}");
    findings.is_empty()
}

/// Compares the three on every order; how many there are, and how many of them can be explained.
fn compare_all(clients: usize, operations: usize) -> (u64, u64) {
    let mut beginnings = Vec::new();
    Order { clients, operations, turns: Vec::new(), events: [0; MOST] }.all(7, &mut |order| beginnings.push(order.clone()));
    let [next, seen, explained] = [const { AtomicU64::new(0) }; 3];
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(beginning) = beginnings.get(next.fetch_add(1, Ordering::Relaxed) as usize) {
                    beginning.clone().all(usize::MAX, &mut |order| {
                        let intervals = order.intervals();
                        let expected = is_explained(&intervals, [0; MOST], &mut Default::default());
                        assert_eq!((by_engine(&intervals), by_judge(order)), (expected, expected), "{:?}", order.turns);
                        seen.fetch_add(1, Ordering::Relaxed);
                        explained.fetch_add(expected.into(), Ordering::Relaxed);
                    });
                }
            });
        }
    });
    (seen.into_inner(), explained.into_inner())
}

/// How many orders there must be was counted in another way: by what may follow upon how far each client is and who was last.
#[test]
fn every_order_of_a_few_operations() {
    let counted = [(1, 4, 1), (2, 1, 2), (2, 2, 13), (2, 3, 96), (2, 4, 750), (3, 1, 6), (3, 2, 703)];
    for (clients, operations, orders) in counted {
        let (seen, explained) = compare_all(clients, operations);
        assert_eq!(seen, orders, "{clients} clients of {operations} operations");
        // Who takes it last of an odd number gives it back never: of two who do, one is a second holder in any order.
        assert_eq!(explained > 0, clients == 1 || operations % 2 == 0);
        assert_eq!(explained < seen, clients > 1);
    }
}

#[test]
fn every_order_of_three_clients_of_four_operations() {
    if !super::long() {
        println!("bounded: FENCEPOST_LONG=1 looks at every order of 3 clients of 3 and 4 operations");
        return;
    }
    assert_eq!(compare_all(3, 3), (105_152, 0));
    if cfg!(debug_assertions) {
        println!(
            "bounded: a debug build would take hours for every order of 3 clients of 4 operations; a release build looks at all"
        );
        return;
    }
    let (seen, explained) = compare_all(3, 4);
    println!("3 clients of 4 operations: {seen} orders, {explained} of them explained");
    assert_eq!(seen, 17_584_962);
    assert!(explained > 0 && explained < seen);
}
