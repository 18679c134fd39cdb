//! Writes records as Jepsen's EDN, so that a user of Knossos can check our histories.

use super::{Action, Answer, Record};
use crate::Nanos;
use crate::history::Value;
use hashbrown::HashMap;
use std::io::{self, Write};

/// Writes one event a line, in a vector, in the order of time; calls come before returns of the same time. Every client is a process with a
/// number of its own; once an outcome is unknown, its client goes on as another process, as Jepsen has it, and what it does beside something
/// else another process does. Values of one of several
/// objects are pairs with its key, as Jepsen's independent keys are; the key stands in `:key`, too, so that it can be told from a value,
/// and what names an attempt and until when it was promised in `:token` and `:valid-until`.
///
/// # Errors
/// Where the writer fails.
pub fn write_edn(records: &[Record], out: &mut impl Write) -> io::Result<()> {
    let mut ends: Vec<(Nanos, bool, usize)> = Vec::with_capacity(records.len() * 2);
    for (index, record) in records.iter().enumerate() {
        ends.push((record.call, false, index));
        ends.extend(record.ret.map(|ret| (ret.max(record.call), true, index)));
    }
    ends.sort_unstable();
    // Of each client the processes that have nothing to do.
    let mut idle: HashMap<&Value, Vec<u64>> = HashMap::new();
    let mut next = 0;
    let mut process_of = vec![0; records.len()];
    let mut first = true;
    for (at, returns, index) in ends {
        let record = &records[index];
        if !returns {
            process_of[index] = idle.get_mut(&record.client).and_then(Vec::pop).unwrap_or_else(|| {
                next += 1;
                next - 1
            });
        } else if record.answer != Answer::Unknown {
            idle.entry(&record.client).or_default().push(process_of[index]);
        }
        let kind = match (returns, record.answer) {
            (false, _) => "invoke",
            (true, Answer::Ok) => "ok",
            (true, Answer::Refused | Answer::Failed) => "fail",
            (true, Answer::Unknown) => "info",
        };
        let shown = match (record.action, returns) {
            (Action::Read, false) => None,
            (Action::Acquire | Action::Extend | Action::Release, _) => record.token.as_ref(),
            (Action::Write, _) => record.value.as_ref().or(record.token.as_ref()),
            _ => record.value.as_ref(),
        };
        write!(
            out,
            "{}{{:process {}, :type :{kind}, :f :{}, :value ",
            if first { "[" } else { "\n " },
            process_of[index],
            record.action.name()
        )?;
        match (&record.key, shown) {
            (None, shown) => value(shown.unwrap_or(&Value::Nil), out)?,
            // Jepsen's independent keys.
            (Some(key), shown) => value(&Value::List(vec![key.clone(), shown.cloned().unwrap_or_default()]), out)?,
        }
        // What Jepsen has no place for stands in fields of its own, which Jepsen passes over: so that it can be read again as it was.
        for (name, extra) in [(":key", &record.key), (":token", &record.token)] {
            if let Some(extra) = extra {
                write!(out, ", {name} ")?;
                value(extra, out)?;
            }
        }
        if let Some(until) = record.valid_until {
            write!(out, ", :valid-until {until}")?;
        }
        write!(out, ", :time {at}}}")?;
        first = false;
    }
    writeln!(out, "{}]", if first { "[" } else { "" })
}

fn value(value_: &Value, out: &mut impl Write) -> io::Result<()> {
    match value_ {
        Value::Nil => out.write_all(b"nil"),
        Value::Bool(truth) => write!(out, "{truth}"),
        Value::Int(number) => write!(out, "{number}"),
        Value::Text(text) => {
            let escaped =
                text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n").replace('\t', "\\t").replace('\r', "\\r");
            write!(out, "\"{escaped}\"")
        }
        Value::List(items) => {
            out.write_all(b"[")?;
            for (at, item) in items.iter().enumerate() {
                out.write_all(if at > 0 { b" " } else { b"" })?;
                value(item, out)?;
            }
            out.write_all(b"]")
        }
    }
}
