//! The names of a file's records as numbers, each text told once.

use super::{Action, Answer, ReadError, Record};
use crate::Nanos;
use crate::history::Value;
use crate::judge::brief::text;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The name of the only lock of a history that names none.
const ONLY_LOCK: &str = "lock";

/// A [`Record`] whose names are numbers.
pub(super) struct Row {
    pub(super) line: u64,
    pub(super) call: Nanos,
    pub(super) ret: Option<Nanos>,
    pub(super) valid_until: Option<Nanos>,
    pub(super) token: Option<Value>,
    pub(super) value: Option<Value>,
    pub(super) client: u32,
    pub(super) key: u32,
    pub(super) action: Action,
    pub(super) answer: Answer,
}

/// Records as rows.
pub(super) struct Naming<I> {
    records: I,
    numbers: FxHashMap<Value, u32>,
    /// The key of the last record: mostly that of the next.
    last_key: Option<(Value, u32)>,
    /// Names that were met and not yet told.
    fresh: VecDeque<Box<str>>,
    /// How many names were met.
    met: u32,
}

impl<I> Naming<I> {
    pub(super) fn new(records: I) -> Self {
        let fresh = VecDeque::from([ONLY_LOCK.into()]);
        Naming { records, numbers: FxHashMap::default(), last_key: None, fresh, met: 1 }
    }

    pub(super) fn source(&self) -> &I {
        &self.records
    }

    /// The next name that is to be told, before any row that has its number.
    pub(super) fn fresh(&mut self) -> Option<Box<str>> {
        self.fresh.pop_front()
    }

    fn number(&mut self, name: Value) -> u32 {
        if let Some(number) = self.numbers.get(&name) {
            return *number;
        }
        let number = self.met;
        self.met = number.checked_add(1).expect("fewer than 2^32 names fit in memory");
        self.fresh.push_back(text(&name));
        self.numbers.insert(name, number);
        number
    }

    fn key(&mut self, key: Option<Value>) -> u32 {
        let Some(key) = key else { return 0 };
        match &self.last_key {
            Some((last, number)) if *last == key => *number,
            _ => {
                let number = self.number(key.clone());
                self.last_key = Some((key, number));
                number
            }
        }
    }

    fn row(&mut self, record: Record) -> Row {
        Row {
            line: record.line,
            call: record.call,
            ret: record.ret,
            valid_until: record.valid_until,
            token: record.token,
            value: record.value,
            client: self.number(record.client),
            key: self.key(record.key),
            action: record.action,
            answer: record.answer,
        }
    }
}

impl<I: Iterator<Item = Result<Record, ReadError>>> Iterator for Naming<I> {
    type Item = Result<Row, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.records.next()?.map(|record| self.row(record)))
    }
}
