//! Events as records and records as events: the one is what the engine and EDN speak, the other what a page shows.

use checker::format::{Action, Answer, Record};
use checker::history::{Completion, Event, Op, OpId, Outcome, Value, What};
use std::collections::BTreeMap;

/// The records of a run's events, in the order of their calls. What asked a lock whether it is held is left out: no model knows it.
pub(super) fn records<E>(events: impl Iterator<Item = Result<Event, E>>) -> Result<Vec<Record>, E> {
    let mut records = Records::default();
    for event in events {
        records.see(&event?);
    }
    Ok(records.done)
}

/// Puts calls and returns together.
#[derive(Default)]
pub(super) struct Records {
    done: Vec<Record>,
    open: BTreeMap<OpId, usize>,
    tokens: BTreeMap<OpId, Value>,
}

impl Records {
    /// Takes in an event.
    pub(super) fn see(&mut self, event: &Event) {
        match &event.what {
            What::Invoke { client, id, op } => {
                let Some((action, key, grant, value)) = told(op) else { return };
                self.open.insert(*id, self.done.len());
                self.done.push(Record {
                    line: *id,
                    client: Value::Text(client.as_str().into()),
                    action,
                    key: Some(Value::Text(key.into())),
                    token: grant.and_then(|grant| self.tokens.get(&grant).cloned()),
                    value,
                    call: event.at,
                    ret: None,
                    answer: Answer::Unknown,
                    valid_until: None,
                });
            }
            What::Done(done) => {
                let Some(index) = self.open.remove(&done.id) else { return };
                let record = &mut self.done[index];
                record.answer = match done.outcome {
                    Outcome::Ok => Answer::Ok,
                    Outcome::Fail if record.action == Action::Acquire || done.fenced_by.is_some() => Answer::Refused,
                    Outcome::Fail => Answer::Failed,
                    Outcome::Info => Answer::Unknown,
                };
                record.ret = (record.answer != Answer::Unknown).then_some(event.at);
                record.valid_until = done.valid_until;
                match record.action {
                    Action::Acquire => {
                        record.token = done.token.as_deref().map(|token| Value::Text(token.into()));
                        if let Some(token) = &record.token {
                            self.tokens.insert(done.id, token.clone());
                        }
                    }
                    Action::Read => record.value = done.value.clone(),
                    _ => {}
                }
            }
            _ => {}
        }
    }
}

/// What an operation of a run is, on what, under which grant, with which value.
fn told(op: &Op) -> Option<(Action, &str, Option<OpId>, Option<Value>)> {
    Some(match op {
        Op::Acquire { lock, .. } => (Action::Acquire, lock, None, None),
        Op::Extend { lock, grant, .. } => (Action::Extend, lock, *grant, None),
        Op::Release { lock, grant } => (Action::Release, lock, *grant, None),
        Op::Read { resource, grant } => (Action::Read, resource, *grant, None),
        Op::Write { resource, grant, value, .. } => (Action::Write, resource, *grant, Some(value.clone())),
        Op::Check { .. } => return None,
    })
}

/// The events of records, in the order of time. An operation's name is its place among the records, counted from 1: several can stand in one line.
pub(super) fn events(records: &[Record], object: &str) -> Vec<Event> {
    let mut events = Vec::with_capacity(records.len() * 2);
    for (id, record) in (1..).zip(records) {
        let client = record.client.to_string();
        events.push(Event { at: record.call, what: What::Invoke { client: client.clone(), id, op: op(record, object) } });
        let outcome = match record.answer {
            Answer::Ok => Outcome::Ok,
            Answer::Refused | Answer::Failed => Outcome::Fail,
            Answer::Unknown => Outcome::Info,
        };
        let shown = |value: &Option<Value>, of| value.clone().filter(|_| record.action == of);
        let done = Completion {
            token: shown(&record.token, Action::Acquire).map(|token| token.to_string()),
            value: shown(&record.value, Action::Read),
            valid_until: record.valid_until,
            ..Completion::new(client, id, outcome)
        };
        events.push(Event { at: record.ret.unwrap_or(record.call), what: What::Done(done) });
    }
    // Stable, so that what takes no time is still called before it returns.
    events.sort_by_key(|event| event.at);
    events
}

fn op(record: &Record, object: &str) -> Op {
    let name = record.key.as_ref().map_or_else(|| object.to_owned(), ToString::to_string);
    match (record.action, &record.value) {
        (Action::Acquire, _) => Op::Acquire { lock: name, ttl_ms: None },
        (Action::Extend, _) => Op::Extend { lock: name, grant: None, ttl_ms: None },
        (Action::Release, _) => Op::Release { lock: name, grant: None },
        (Action::Read, _) => Op::Read { resource: name, grant: None },
        (Action::Cas, Some(Value::List(pair))) if pair.len() == 2 => {
            Op::Write { resource: name, grant: None, value: pair[1].clone(), base: Some(pair[0].clone()), fence: None }
        }
        (Action::Write | Action::Cas | Action::Txn, value) => {
            let value = value.clone().or_else(|| record.token.clone()).unwrap_or_default();
            Op::Write { resource: name, grant: None, value, base: None, fence: None }
        }
    }
}
