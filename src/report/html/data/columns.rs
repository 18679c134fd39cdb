//! The operations as columns, each as short as JSON allows: sorted ones as differences, rare ones with their places.

use super::Clock;
use crate::report::mark::Mark;
use crate::report::operation::Operation;
use checker::history::{Op, Outcome, Value};
use serde::Serialize;
use std::collections::BTreeMap;

/// The operations' names, in the order of their numbers.
pub const VERBS: [&str; 6] = ["acquire", "extend", "release", "held?", "read", "write"];

/// Names with numbers, in the order in which they were met.
#[derive(Debug, Default)]
pub struct Named<'s> {
    /// The names.
    pub all: Vec<&'s str>,
    numbers: BTreeMap<&'s str, usize>,
}

impl<'s> Named<'s> {
    /// The number of a name, which may be new.
    pub fn of(&mut self, name: &'s str) -> usize {
        *self.numbers.entry(name).or_insert_with(|| {
            self.all.push(name);
            self.all.len() - 1
        })
    }

    /// The number of a name that was met.
    pub fn known(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }
}

/// The operations, in the order of their invocation.
#[derive(Debug, Default, Serialize)]
pub struct Columns<'s> {
    /// Difference to the id before.
    id: Vec<i128>,
    client: Vec<usize>,
    /// Number among [`VERBS`].
    verb: Vec<u8>,
    /// The lock or the resource.
    name: Vec<usize>,
    /// The lock: its own, or that of its grant; of an operation without a grant, the resource.
    lock: Vec<usize>,
    /// Difference to the invocation before.
    from: Vec<i64>,
    /// How long it took; -1 where nobody knows.
    took: Vec<i64>,
    /// 0 never heard of, 1 ok, 2 fail, 3 info.
    outcome: Vec<u8>,
    mark: Vec<u8>,
    /// How many operations before it its grant is; 0 for none.
    grant: Vec<i64>,
    ttl_ms: Sparse<u64>,
    token: Sparse<&'s str>,
    /// Granted with it, or shown to the resource.
    fence: Sparse<u64>,
    fenced_by: Sparse<u64>,
    valid_for_ms: Sparse<i64>,
    valid_until: Sparse<i64>,
    told_at: Sparse<i64>,
    value: Sparse<String>,
    base: Sparse<String>,
    why: Sparse<&'s str>,
    #[serde(skip)]
    last: (i128, i64),
}

/// A column that few operations have.
#[derive(Debug, Serialize)]
struct Sparse<T> {
    at: Vec<usize>,
    is: Vec<T>,
}

impl<T> Default for Sparse<T> {
    fn default() -> Self {
        Sparse { at: Vec::new(), is: Vec::new() }
    }
}

impl<T> Sparse<T> {
    fn put(&mut self, place: usize, value: Option<T>) {
        if let Some(value) = value {
            self.at.push(place);
            self.is.push(value);
        }
    }
}

impl<'s> Columns<'s> {
    /// Adds the next operation: its place, its mark, and its grant, where it has one.
    #[expect(clippy::too_many_arguments, reason = "each is a column, or what a column is made with")]
    pub fn push(
        &mut self,
        operation: &Operation<'s>,
        place: usize,
        mark: Mark,
        grant: Option<usize>,
        under: Option<&Operation<'s>>,
        clock: Clock,
        clients: &mut Named<'s>,
        names: &mut Named<'s>,
    ) {
        let (id, from) = (i128::from(operation.id), clock.since(operation.invoked));
        self.id.push(id - self.last.0);
        self.from.push(from.saturating_sub(self.last.1));
        self.last = (id, from);
        let (verb, name) = verb(operation.op);
        let name = names.of(name);
        self.client.push(clients.of(operation.client));
        self.verb.push(verb);
        self.name.push(name);
        self.lock.push(under.map_or(name, |under| names.of(self::verb(under.op).1)));
        self.took.push(operation.done.map_or(-1, |(at, _)| clock.since(at).saturating_sub(from).max(0)));
        self.mark.push(Mark::ALL.iter().position(|known| *known == mark).unwrap_or_default() as u8);
        self.grant.push(grant.map_or(0, |grant| place as i64 - grant as i64));
        let completion = operation.done.map(|(_, completion)| completion);
        self.outcome.push(match completion.map(|completion| completion.outcome) {
            None => 0,
            Some(Outcome::Ok) => 1,
            Some(Outcome::Fail) => 2,
            Some(Outcome::Info) => 3,
        });
        let shown = match operation.op {
            Op::Acquire { ttl_ms, .. } | Op::Extend { ttl_ms, .. } => {
                self.ttl_ms.put(place, *ttl_ms);
                None
            }
            Op::Write { value, base, fence, .. } => {
                self.value.put(place, Some(value.to_string()));
                self.base.put(place, base.as_ref().map(Value::to_string));
                *fence
            }
            Op::Release { .. } | Op::Check { .. } | Op::Read { .. } => None,
        };
        self.fence.put(place, shown.or(completion.and_then(|completion| completion.fence)));
        let Some(completion) = completion else { return };
        self.token.put(place, completion.token.as_deref());
        self.fenced_by.put(place, completion.fenced_by);
        self.valid_for_ms.put(place, completion.valid_for_ms);
        self.valid_until.put(place, completion.valid_until.map(|at| clock.since(at)));
        let heard = operation.done.map(|(at, _)| at);
        self.told_at.put(place, completion.told_at.filter(|at| Some(*at) != heard).map(|at| clock.since(at)));
        if !matches!(operation.op, Op::Write { .. }) {
            self.value.put(place, completion.value.as_ref().map(Value::to_string));
        }
        self.why.put(place, completion.why.as_deref().or(completion.error.as_deref()));
    }
}

/// The number of an operation's name, and the lock or resource that it is about.
fn verb(op: &Op) -> (u8, &str) {
    match op {
        Op::Acquire { lock, .. } => (0, lock),
        Op::Extend { lock, .. } => (1, lock),
        Op::Release { lock, .. } => (2, lock),
        Op::Check { lock, .. } => (3, lock),
        Op::Read { resource, .. } => (4, resource),
        Op::Write { resource, .. } => (5, resource),
    }
}
