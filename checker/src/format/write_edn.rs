//! Writes records as Jepsen's EDN, so that a user of Knossos can check our histories.

use super::{Action, Answer, Record};
use crate::Nanos;
use crate::history::Value;
use hashbrown::HashMap;
use std::io::{self, Write};

/// Writes one event a line, in a vector, in the order of time; calls come before returns of the same time. Every client is a process with a
/// number of its own; once an outcome is unknown, its client goes on as another process, as Jepsen has it.
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
    let mut processes: HashMap<&Value, u64> = HashMap::new();
    let mut next = 0;
    let mut process_of = vec![0; records.len()];
    let mut first = true;
    for (at, returns, index) in ends {
        let record = &records[index];
        if !returns {
            process_of[index] = *processes.entry(&record.client).or_insert_with(|| {
                next += 1;
                next - 1
            });
            if record.answer == Answer::Unknown {
                processes.remove(&record.client);
            }
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
