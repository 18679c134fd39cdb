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

/// Matches completions with invocations. Times are places in the order of events, which is what Jepsen's order means.
#[derive(Default)]
pub(super) struct Pairing {
    records: Vec<Record>,
    open: HashMap<i64, usize>,
    now: Nanos,
}

impl Pairing {
    /// An operation is invoked; what its process had open before never completes.
    pub(super) fn invoke(&mut self, line: u64, process: i64, action: Action, value: Option<Value>) {
        self.open.insert(process, self.records.len());
        self.now += 1;
        self.records.push(Record {
            line,
            client: Value::Int(process),
            action,
            key: None,
            token: None,
            value,
            call: self.now,
            ret: None,
            answer: Answer::Unknown,
            valid_until: None,
        });
    }

    /// An operation of the process completes; its own value counts where the completion has none. None where nothing was open.
    pub(super) fn complete(&mut self, process: i64, answer: Answer, value: Option<Value>) -> Option<()> {
        let record = &mut self.records[self.open.remove(&process)?];
        self.now += 1;
        record.answer = answer;
        record.ret = (answer != Answer::Unknown).then_some(self.now);
        if record.action == Action::Read || value.is_some() {
            record.value = value;
        }
        Some(())
    }

    /// The records, in the order of their calls.
    pub(super) fn finish(self) -> Vec<Record> {
        self.records
    }
}
