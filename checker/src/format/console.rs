//! Jepsen's console log, as in Porcupine's corpus: `INFO  jepsen.util - 2 :invoke :cas [1 4]`.
//!
//! The order of lines is the order of time. A compare-and-set that failed found another value; a read that failed, and anything that
//! timed out, tells nothing.

use super::jepsen::{Pairing, Told, Type};
use super::{Action, Answer, BadLines, Excerpt, ReadError, Record};
use crate::history::Value;
use std::ops::Range;
use std::sync::Arc;

/// What a line of this log looks like.
pub(super) const MARK: &str = "jepsen.util - ";

const EXPECTED: &str = "an event such as `INFO  jepsen.util - 2 :invoke :cas [1 4]`";

/// Reads a whole log; the count is of the lines that were skipped. Lines of other loggers, and what the nemesis does, are passed over.
///
/// # Errors
/// The first line of the log that makes no sense, unless those are skipped.
pub fn read(bytes: &[u8], file: &Arc<str>, bad: BadLines) -> Result<(Vec<Record>, u64), ReadError> {
    let (mut pairing, mut skipped) = (Pairing::default(), 0);
    for (number, bytes) in (1..).zip(bytes.split(|&byte| byte == b'\n')) {
        let text = String::from_utf8_lossy(bytes);
        let Some((_, event)) = text.split_once(MARK) else { continue };
        match (take(number, event, &mut pairing), bad) {
            (Ok(()), _) => {}
            (Err(_), BadLines::Skip) => skipped += 1,
            (Err((problem, part)), BadLines::Refuse) => {
                let excerpt = Some(Box::new(Excerpt::of(text.as_bytes(), number, place(&text, part))));
                return Err(ReadError::Line { file: file.clone(), line: number, problem, expected: EXPECTED.into(), excerpt });
            }
        }
    }
    Ok((pairing.finish(), skipped))
}

/// Where a part of a text is, by the addresses of both.
fn place(text: &str, part: &str) -> Range<usize> {
    let start = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
    start..start + part.len()
}

/// What is wrong, and the part of the line that it is wrong with.
type Problem<'a> = (String, &'a str);

fn take<'a>(line: u64, event: &'a str, pairing: &mut Pairing) -> Result<(), Problem<'a>> {
    let (process, rest) = word(event);
    if process.starts_with(':') {
        return Ok(());
    }
    let number: i64 = process.parse().map_err(|_| (format!("`{process}` is no process"), process))?;
    let (kind, rest) = word(rest);
    let Some(kind) = kind.strip_prefix(':').and_then(Type::named) else {
        return Err((format!("`{kind}` is no type of event"), kind));
    };
    let (f, shown) = word(rest);
    let action = f.strip_prefix(':').and_then(Action::named).ok_or_else(|| (format!("`{f}` is no operation"), f))?;
    let shown = shown.trim();
    let value = if shown == ":timed-out" { None } else { Some(value(shown).map_err(|problem| (problem, shown))?) };
    let told = |value| Told { value, ..Told::default() };
    let answer = match kind {
        Type::Invoke => {
            pairing.invoke(line, number, action, told(value));
            return Ok(());
        }
        Type::Ok => Answer::Ok,
        Type::Fail if action == Action::Cas && value.is_some() => Answer::Refused,
        Type::Fail => Answer::Failed,
        Type::Info => Answer::Unknown,
    };
    let unknown = || (format!("process {number} completes what it had not invoked"), process);
    pairing.complete(number, answer, told(value)).ok_or_else(unknown)
}

/// The first word, and what follows it.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    text.split_at(text.find(char::is_whitespace).unwrap_or(text.len()))
}

/// `nil`, a number, a word, or a pair of those.
fn value(shown: &str) -> Result<Value, String> {
    let one = |word: &str| match word {
        "nil" => Value::Nil,
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        _ => word.parse().map_or_else(|_| Value::Text(word.into()), Value::Int),
    };
    match shown.strip_prefix('[') {
        None if shown.is_empty() => Err("the value is missing".into()),
        None => Ok(one(shown)),
        Some(list) => match list.strip_suffix(']') {
            Some(list) => Ok(Value::List(list.split_whitespace().map(one).collect())),
            None => Err(format!("`{shown}` is not closed")),
        },
    }
}
