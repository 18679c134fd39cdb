//! Operations of locks as the events of a history, in the order of time.

use super::grants::Grants;
use super::{Action, Answer, ReadError, Record};
use crate::Nanos;
use crate::history::{Completion, Event, Op, OpId, Outcome, Value, What};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// The name of the only lock of a history that names none.
const ONLY_LOCK: &str = "lock";

/// The events of records that come in the order of their calls; an operation's id is its line.
///
/// At equal times a call comes before the returns of others, since intervals are closed, and after the return of the same client's
/// operation before. What never returned completes as unknown right after its call: it may take effect at any time from there.
pub(super) struct ToEvents<I> {
    records: I,
    grants: Grants,
    /// What was called and has not yet returned, the first to return on top.
    pending: BinaryHeap<Reverse<Pending>>,
    ready: VecDeque<Event>,
    over: bool,
}

impl<I: Iterator<Item = Result<Record, ReadError>>> ToEvents<I> {
    pub(super) fn new(records: I) -> Self {
        ToEvents { records, grants: Grants::default(), pending: BinaryHeap::new(), ready: VecDeque::new(), over: false }
    }

    pub(super) fn source(&self) -> &I {
        &self.records
    }

    /// Makes ready the returns that come before the call of this record.
    fn return_before(&mut self, record: &Record) {
        let mut others = Vec::new();
        while self.pending.peek().is_some_and(|Reverse(next)| next.at <= record.call) {
            let Reverse(next) = self.pending.pop().expect("there was one");
            if next.at < record.call || next.record.client == record.client {
                self.ready.push_back(completion(next.at, next.record));
            } else {
                others.push(Reverse(next));
            }
        }
        self.pending.extend(others);
    }

    fn call(&mut self, record: Record) {
        self.return_before(&record);
        let op = self.op(&record);
        let client = text(&record.client);
        self.ready.push_back(Event { at: record.call, what: What::Invoke { client, id: record.line, op } });
        match record.ret {
            Some(at) => self.pending.push(Reverse(Pending { at, record })),
            None => self.ready.push_back(completion(record.call, record)),
        }
    }

    fn op(&mut self, record: &Record) -> Op {
        let lock = record.key.as_ref().map_or_else(|| ONLY_LOCK.to_string(), text);
        let key = self.grants.key(record.key.as_ref());
        let token = record.token.as_ref();
        // A token of which nothing is known names no grant, and certainly not another that its client has.
        let named = |grant: Option<OpId>| grant.unwrap_or(record.line);
        match record.action {
            Action::Acquire => {
                match (token, record.answer) {
                    (None, _) => {}
                    (Some(token), Answer::Refused | Answer::Failed) => self.grants.refused(key, token, record.line),
                    (Some(token), _) => self.grants.acquired(key, token, record.line),
                }
                Op::Acquire { lock, ttl_ms: None }
            }
            Action::Extend => Op::Extend { lock, grant: token.map(|token| named(self.grants.find(key, token))), ttl_ms: None },
            Action::Release => Op::Release { lock, grant: token.map(|token| named(self.grants.released(key, token))) },
            Action::Read => Op::Read { resource: lock, grant: token.and_then(|token| self.grants.find(key, token)) },
            Action::Write | Action::Cas | Action::Txn => {
                let value = record.value.as_ref().or(token).cloned().unwrap_or_default();
                let grant = token.and_then(|token| self.grants.find(key, token));
                Op::Write { resource: lock, grant, value, base: None, fence: None }
            }
        }
    }
}

/// A value as the name of a client, a lock or an attempt.
fn text(value: &Value) -> String {
    match value {
        // Without a formatter, which takes as long as everything else here.
        Value::Text(text) => (**text).to_owned(),
        Value::Int(number) => number.to_string(),
        other => other.to_string(),
    }
}

/// The same, of a value that nobody needs any more.
fn into_text(value: Value) -> String {
    match value {
        Value::Text(text) => text.into_string(),
        other => text(&other),
    }
}

fn completion(at: Nanos, record: Record) -> Event {
    let outcome = match record.answer {
        Answer::Ok => Outcome::Ok,
        Answer::Refused | Answer::Failed => Outcome::Fail,
        Answer::Unknown => Outcome::Info,
    };
    let token = record.token.filter(|_| record.action == Action::Acquire).map(into_text);
    let value = record.value.filter(|_| record.action == Action::Read);
    let done = Completion {
        token,
        value,
        valid_until: record.valid_until,
        ..Completion::new(into_text(record.client), record.line, outcome)
    };
    Event { at, what: What::Done(done) }
}

impl<I: Iterator<Item = Result<Record, ReadError>>> Iterator for ToEvents<I> {
    type Item = Result<Event, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.ready.is_empty() && !self.over {
            match self.records.next() {
                Some(Ok(record)) => self.call(record),
                Some(Err(error)) => return Some(Err(error)),
                None => self.over = true,
            }
        }
        if let Some(event) = self.ready.pop_front() {
            return Some(Ok(event));
        }
        self.pending.pop().map(|Reverse(next)| Ok(completion(next.at, next.record)))
    }
}

/// A record that was called, by its return.
struct Pending {
    at: Nanos,
    record: Record,
}

impl Pending {
    fn rank(&self) -> (Nanos, u64) {
        (self.at, self.record.line)
    }
}

impl Ord for Pending {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.rank().cmp(&other.rank())
    }
}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.rank() == other.rank()
    }
}

impl Eq for Pending {}
