//! Jepsen's console log, as in Porcupine's corpus: `INFO  jepsen.util - 2 :invoke :cas [1 4]`.
//!
//! The order of lines is the order of time. A compare-and-set that failed found another value; a read that failed, and anything that
//! timed out, tells nothing.

use super::jepsen::{Pairing, Told, Type};
use super::{Action, Answer, BadLines, ReadError, Record};
use crate::history::Value;
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
            (Err(problem), BadLines::Refuse) => {
                return Err(ReadError::Line { file: file.clone(), line: number, problem, expected: EXPECTED.into() });
            }
        }
    }
    Ok((pairing.finish(), skipped))
}

fn take(line: u64, event: &str, pairing: &mut Pairing) -> Result<(), String> {
    let mut words = event.trim().splitn(2, char::is_whitespace);
    let (process, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if process.starts_with(':') {
        return Ok(());
    }
    let process: i64 = process.parse().map_err(|_| format!("`{process}` is no process"))?;
    let mut words = rest.trim_start().splitn(2, char::is_whitespace);
    let (kind, rest) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let kind = kind.strip_prefix(':').and_then(Type::named).ok_or_else(|| format!("`{kind}` is no type of event"))?;
    let mut words = rest.trim_start().splitn(2, char::is_whitespace);
    let (f, shown) = (words.next().unwrap_or_default(), words.next().unwrap_or_default().trim());
    let action = f.strip_prefix(':').and_then(Action::named).ok_or_else(|| format!("`{f}` is no operation"))?;
    let value = if shown == ":timed-out" { None } else { Some(value(shown)?) };
    let answer = match kind {
        Type::Invoke => {
            pairing.invoke(line, process, action, Told { value, ..Told::default() });
            return Ok(());
        }
        Type::Ok => Answer::Ok,
        Type::Fail if action == Action::Cas && value.is_some() => Answer::Refused,
        Type::Fail => Answer::Failed,
        Type::Info => Answer::Unknown,
    };
    let told = Told { value, ..Told::default() };
    pairing.complete(process, answer, told).ok_or_else(|| format!("process {process} completes what it had not invoked"))
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
