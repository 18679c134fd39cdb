//! Jepsen's way to write histories: an event when an operation is invoked and one when it completes.

use super::{Action, Answer, Record};
use crate::Nanos;
use crate::history::Value;
use hashbrown::HashMap;

/// How an event is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Type {
    Invoke,
    Ok,
    Fail,
    Info,
}

impl Type {
    pub(super) fn named(name: &str) -> Option<Type> {
        Some(match name {
            "invoke" => Type::Invoke,
            "ok" => Type::Ok,
            "fail" => Type::Fail,
            "info" => Type::Info,
            _ => return None,
        })
    }
}

/// What an event tells of its operation.
#[derive(Debug, Default)]
pub(super) struct Told {
    /// Of which object, where there are several.
    pub(super) key: Option<Value>,
    /// What names the attempt.
    pub(super) token: Option<Value>,
    /// What is read or written.
    pub(super) value: Option<Value>,
    /// Until when a lock was promised, by the times of events.
    pub(super) valid_until: Option<Nanos>,
    /// The event's own time.
    pub(super) time: Option<Nanos>,
}

/// Matches completions with invocations. Times are places in the order of events, which is what Jepsen's order means.
#[derive(Default)]
pub(super) struct Pairing {
    records: Vec<Record>,
    open: HashMap<i64, usize>,
    now: Nanos,
    /// The events' own times, as long as all have one.
    times: Vec<Nanos>,
}

impl Pairing {
    /// An operation is invoked; what its process had open before never completes.
    pub(super) fn invoke(&mut self, line: u64, process: i64, action: Action, told: Told) {
        self.open.insert(process, self.records.len());
        self.next(&told);
        let Told { key, token, value, valid_until, .. } = told;
        self.records.push(Record {
            line,
            client: Value::Int(process),
            action,
            key,
            token,
            value,
            call: self.now,
            ret: None,
            answer: Answer::Unknown,
            valid_until,
        });
    }

    fn next(&mut self, told: &Told) {
        self.now += 1;
        self.times.extend(told.time);
    }

    /// An operation of the process completes; what it told itself counts where the completion tells nothing. None where nothing was open.
    pub(super) fn complete(&mut self, process: i64, answer: Answer, told: Told) -> Option<()> {
        let index = self.open.remove(&process)?;
        self.next(&told);
        let record = &mut self.records[index];
        let Told { key, token, value, valid_until, .. } = told;
        record.key = key.or(record.key.take());
        record.token = token.or(record.token.take());
        record.valid_until = valid_until.or(record.valid_until);
        record.answer = answer;
        record.ret = (answer != Answer::Unknown).then_some(self.now);
        if record.action == Action::Read || value.is_some() {
            record.value = value;
        }
        Some(())
    }

    /// The records, in the order of their calls.
    pub(super) fn finish(mut self) -> Vec<Record> {
        // A promise ends by the times of events: its place is that of the first event that is not before its end.
        let is_timed = self.times.len() as u64 == self.now && self.times.is_sorted();
        let place = |until: Nanos| self.times.partition_point(|time| *time < until) as Nanos + 1;
        for record in &mut self.records {
            record.valid_until = record.valid_until.filter(|_| is_timed).map(place);
        }
        self.records
    }
}
