//! Jepsen's and Knossos's EDN: maps of operations, in a vector, in a list or one after the other.
//!
//! Keys of several objects, and what names an attempt, are read where [`write_edn`](super::write_edn()) put them: in `:key` and `:token`.
//!
//! As Knossos has it, an operation that failed had no effect and tells nothing, and a read of nil was not answered. What is
//! done by no numbered process (the nemesis) is left out.

use super::edn::{Edn, Form, Is};
use super::jepsen::{Pairing, Told, Type};
use super::{Action, Answer, BadLines, ReadError, Record};
use crate::Nanos;
use crate::history::Value;
use std::ops::Range;
use std::sync::Arc;

/// Reads a whole history; the count is of the operations that were skipped.
///
/// # Errors
/// The first operation that makes no sense, unless those are skipped; always where the data itself cannot be read.
pub fn read(bytes: &[u8], file: &Arc<str>, bad: BadLines) -> Result<(Vec<Record>, u64), ReadError> {
    let mut edn = Edn::new(bytes, file);
    let (mut pairing, mut skipped) = (Pairing::default(), 0);
    let mut take = |form: Form, edn: &Edn<'_>| match (event(&form, &mut pairing), bad) {
        (Ok(()), _) => Ok(()),
        (Err(_), BadLines::Skip) => {
            skipped += 1;
            Ok(())
        }
        (Err(Problem { line, bytes, problem, expected }), BadLines::Refuse) => Err(edn.wrong_at(line, bytes, &problem, expected)),
    };
    loop {
        if edn.enter() {
            while let Some(form) = edn.item()? {
                take(form, &edn)?;
            }
        } else if let Some(form) = edn.form()? {
            take(form, &edn)?;
        } else {
            break;
        }
    }
    Ok((pairing.finish(), skipped))
}

/// What is wrong with an operation, and with which bytes of it.
struct Problem {
    line: u64,
    bytes: Range<usize>,
    problem: String,
    expected: &'static str,
}

impl Problem {
    fn with(form: &Form, problem: impl Into<String>, expected: &'static str) -> Self {
        Problem { line: form.line, bytes: form.bytes.clone(), problem: problem.into(), expected }
    }
}

const OPERATION: &str = "an operation such as {:process 0, :type :invoke, :f :read, :value nil}";

fn event(form: &Form, pairing: &mut Pairing) -> Result<(), Problem> {
    let Is::Map(fields) = &form.is else { return Err(Problem::with(form, "this is no map", OPERATION)) };
    let field =
        |name: &str| fields.iter().find(|(key, _)| matches!(&key.is, Is::Keyword(key) if &**key == name)).map(|(_, value)| value);
    let required = |name: &str| field(name).ok_or_else(|| Problem::with(form, format!("`:{name}` is missing"), OPERATION));
    let word = |name: &str| match required(name)? {
        Form { is: Is::Keyword(word) | Is::Text(word), .. } => Ok(&**word),
        other => Err(Problem::with(other, format!("`:{name}` is no keyword"), OPERATION)),
    };
    let Is::Int(process) = required("process")?.is else { return Ok(()) };
    let kind = word("type")?;
    let Some(kind) = Type::named(kind) else {
        return Err(Problem::with(required("type")?, format!("`:type` is `:{kind}`"), "`:invoke`, `:ok`, `:fail` or `:info`"));
    };
    let f = word("f")?;
    let Some(action) = Action::named(f) else {
        let known = "`:read`, `:write`, `:cas`, `:txn`, `:acquire`, `:extend` or `:release`";
        return Err(Problem::with(required("f")?, format!("`:f` is `:{f}`"), known));
    };
    let field = |name: &str| field(name).map(|field| &field.is);
    let nanos = |name: &str| match field(name) {
        Some(Is::Int(nanos)) => Nanos::try_from(*nanos).ok(),
        _ => None,
    };
    let (key, token) = (field("key").map(value), field("token").map(value));
    let shown = match (field("value").map(value), &key) {
        // Jepsen's independent keys: the value is a pair with the key.
        (Some(Value::List(pair)), Some(key)) if pair.len() == 2 && pair[0] == *key => pair.into_iter().nth(1),
        (shown, _) => shown,
    };
    // What a lock shows is its token, which has a name of its own.
    let shown = shown.filter(|shown| *shown != Value::Nil && !(action.is_of_locks() && token.as_ref() == Some(shown)));
    let told = Told { key, token, value: shown, valid_until: nanos("valid-until"), time: nanos("time") };
    let answer = match kind {
        Type::Invoke => {
            pairing.invoke(form.line, process, action, told);
            return Ok(());
        }
        Type::Ok => Answer::Ok,
        Type::Fail => Answer::Failed,
        Type::Info => Answer::Unknown,
    };
    match (pairing.complete(process, answer, told), kind) {
        (None, Type::Ok | Type::Fail) => {
            Err(Problem::with(form, format!("process {process} completes what it had not invoked"), "an `:invoke` before it"))
        }
        _ => Ok(()),
    }
}

fn value(is: &Is) -> Value {
    match is {
        Is::Nil => Value::Nil,
        Is::Bool(truth) => Value::Bool(*truth),
        Is::Int(number) => Value::Int(*number),
        Is::Text(text) | Is::Keyword(text) => Value::Text(text.clone()),
        Is::Seq(items) => Value::List(items.iter().map(|item| value(&item.is)).collect()),
        Is::Map(pairs) => {
            Value::List(pairs.iter().map(|(key, item)| Value::List(vec![value(&key.is), value(&item.is)])).collect())
        }
    }
}
