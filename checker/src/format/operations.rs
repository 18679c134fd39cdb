//! Operations JSONL: one finished operation a line, which anybody can print from their own logs.
//!
//! ```json
//! {"client":2,"op":"acquire","key":7,"token":1,"call":1445825,"return":2074429,"ok":true}
//! ```
//!
//! `op` is acquire, release, extend, read or write; `token` names the attempt and is what release and write repeat; `key` (one lock
//! when absent), `value` and `valid_until` are optional; times are nanoseconds on one clock. `ok` is false of what was refused; `return` and `ok` are null where
//! the outcome is unknown.

use super::bytes::{Input, Lines};
use super::json::Json;
use super::{Action, Answer, BadLines, Events, Locks, Mistake, ReadError, Record};
use crate::Nanos;
use crate::flat::{Plain, fields, once};
use crate::history::Value;
use serde::Deserialize;
use serde::de::{self, value::StrDeserializer};
use std::collections::VecDeque;
use std::sync::Arc;

/// What a line must be, for whoever wrote one that is not.
const EXPECTED: &str =
    r#"an operation such as {"client":2,"op":"acquire","key":7,"token":1,"call":1445825,"return":2074429,"ok":true}"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    client: Json,
    op: Op,
    key: Option<Json>,
    token: Option<Json>,
    call: Nanos,
    #[serde(rename = "return")]
    ret: Option<Nanos>,
    ok: Option<bool>,
    value: Option<Json>,
    valid_until: Option<Nanos>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    Acquire,
    Extend,
    Release,
    Read,
    Write,
}

impl Op {
    fn named(name: &str) -> Option<Op> {
        Op::deserialize(StrDeserializer::<de::value::Error>::new(name)).ok()
    }
}

/// Reads one line.
///
/// # Errors
/// With what is wrong.
pub fn line(number: u64, bytes: &[u8]) -> Result<Record, Mistake> {
    let line = match Line::plain(bytes) {
        Some(line) => line,
        None => serde_json::from_slice(bytes).map_err(|error| Mistake::of_json(bytes, &error))?,
    };
    line.record(number, bytes)
}

/// Reads one line by serde_json alone: what [`line()`] is held to, in what it says and in how long it takes.
///
/// # Errors
/// With what is wrong.
pub fn line_by_serde(number: u64, bytes: &[u8]) -> Result<Record, Mistake> {
    let line: Line = serde_json::from_slice(bytes).map_err(|error| Mistake::of_json(bytes, &error))?;
    line.record(number, bytes)
}

impl Line {
    /// Reads a line that is plain, as almost all are.
    fn plain(bytes: &[u8]) -> Option<Line> {
        let (mut client, mut op, mut call) = (None, None, None);
        let (mut key, mut token, mut ret, mut ok, mut value, mut valid_until) = (None, None, None, None, None, None);
        fields(std::str::from_utf8(bytes).ok()?, |name, plain| match name {
            b"client" => once(&mut client, Json::plain(plain)?),
            b"op" => once(&mut op, Op::named(plain.text()?)?),
            b"key" => once(&mut key, plain.or_null(Json::plain)?),
            b"token" => once(&mut token, plain.or_null(Json::plain)?),
            b"call" => once(&mut call, plain.number()?),
            b"return" => once(&mut ret, plain.or_null(Plain::number)?),
            b"ok" => once(&mut ok, plain.or_null(Plain::truth)?),
            b"value" => once(&mut value, plain.or_null(Json::plain)?),
            b"valid_until" => once(&mut valid_until, plain.or_null(Plain::number)?),
            _ => None,
        })?;
        Some(Line {
            client: client?,
            op: op?,
            key: key.flatten(),
            token: token.flatten(),
            call: call?,
            ret: ret.flatten(),
            ok: ok.flatten(),
            value: value.flatten(),
            valid_until: valid_until.flatten(),
        })
    }

    fn record(self, number: u64, bytes: &[u8]) -> Result<Record, Mistake> {
        let wrong = |field: &str, problem: &str| Err(Mistake::with_field(bytes, field, problem));
        let action = match self.op {
            Op::Acquire => Action::Acquire,
            Op::Extend => Action::Extend,
            Op::Release => Action::Release,
            Op::Read => Action::Read,
            Op::Write => Action::Write,
        };
        let answer = match (self.ok, self.ret) {
            (None, _) => Answer::Unknown,
            (Some(_), None) => return wrong("ok", "`ok` is known and `return` is not"),
            (Some(true), _) => Answer::Ok,
            (Some(false), _) => Answer::Refused,
        };
        if self.ret.is_some_and(|ret| ret < self.call) {
            return wrong("return", "`return` is before `call`");
        }
        if action.is_of_locks() && self.token.is_none() {
            let problem = format!("`token` is missing: it names the attempt that a {} belongs to", action.name());
            return wrong(action.name(), &problem);
        }
        // A read that was answered without a value read that there is none.
        let nothing = (action == Action::Read && answer == Answer::Ok).then_some(Value::Nil);
        Ok(Record {
            line: number,
            client: self.client.0,
            action,
            key: self.key.map(|key| key.0),
            token: self.token.map(|token| token.0),
            value: self.value.map(|value| value.0).or(nothing),
            call: self.call,
            ret: self.ret,
            answer,
            valid_until: self.valid_until,
        })
    }
}

/// The events of lock operations, in the order of time: see [`Locks::events`].
pub fn events(reader: Reader) -> Events {
    Locks::new(reader).events()
}

/// Reads records line by line, in the order of the lines.
pub struct Reader {
    /// Records that were read to find out what the file holds.
    ahead: VecDeque<Record>,
    lines: Lines,
    bad: BadLines,
    skipped: u64,
}

impl Reader {
    /// Reads from decompressed bytes; `file` is for the errors.
    pub fn new(input: Input, file: impl Into<Arc<str>>, bad: BadLines) -> Self {
        Reader { ahead: VecDeque::new(), lines: Lines::new(input, file.into()), bad, skipped: 0 }
    }

    /// How many lines were left out because they could not be read.
    pub fn skipped(&self) -> u64 {
        self.skipped
    }

    /// Puts records that were read back in front of what follows.
    pub(super) fn put_back(&mut self, records: Vec<Record>) {
        debug_assert!(self.ahead.is_empty(), "only what was just read is put back");
        self.ahead = records.into();
    }

    /// The file's name.
    pub fn file(&self) -> &Arc<str> {
        self.lines.file()
    }
}

impl Iterator for Reader {
    type Item = Result<Record, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(record) = self.ahead.pop_front() {
            return Some(Ok(record));
        }
        loop {
            let (number, bytes) = match self.lines.next()? {
                Ok(line) => line,
                Err(error) => return Some(Err(error)),
            };
            match line(number, bytes) {
                Ok(record) => return Some(Ok(record)),
                Err(_) if self.bad == BadLines::Skip => self.skipped += 1,
                Err(mistake) => {
                    let excerpt = Some(Box::new(mistake.excerpt(bytes, number)));
                    let (file, problem) = (self.lines.file().clone(), mistake.problem);
                    return Some(Err(ReadError::Line { file, line: number, problem, expected: EXPECTED.into(), excerpt }));
                }
            }
        }
    }
}
