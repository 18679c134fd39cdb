//! The first value of a history that does not say it.

use super::{Action, Answer, Record};
use crate::Nanos;
use crate::history::Value;
use hashbrown::HashMap;

/// The value of the first answered read that returned what nobody had begun to write by then: if any order explains the history, the register
/// began with it. Nil where there is no such read.
pub(super) fn initial(records: &[Record]) -> Value {
    let mut written: HashMap<(Option<&Value>, &Value), Nanos> = HashMap::new();
    let mut note = |register, value, at: Nanos| {
        let first = written.entry((register, value)).or_insert(at);
        *first = at.min(*first);
    };
    for record in records.iter().filter(|record| matches!(record.answer, Answer::Ok | Answer::Unknown)) {
        match (record.action, &record.value) {
            (Action::Write, Some(value)) => note(record.key.as_ref(), value, record.call),
            (Action::Cas, Some(Value::List(pair))) if pair.len() == 2 => note(record.key.as_ref(), &pair[1], record.call),
            (Action::Txn, value) => {
                steps(value.as_ref(), &["write", "w"]).for_each(|(register, value)| note(Some(register), value, record.call))
            }
            _ => {}
        }
    }
    let unwritten = |register, value, at| written.get(&(register, value)).is_none_or(|&call| call > at);
    let mut answered: Vec<(Nanos, &Record)> =
        records.iter().filter(|record| record.answer == Answer::Ok).filter_map(|record| Some((record.ret?, record))).collect();
    answered.sort_by_key(|&(ret, _)| ret);
    let found = answered.into_iter().find_map(|(ret, record)| match (record.action, &record.value) {
        (Action::Read, Some(value)) => unwritten(record.key.as_ref(), value, ret).then_some(value),
        (Action::Cas, Some(Value::List(pair))) if pair.len() == 2 => {
            unwritten(record.key.as_ref(), &pair[0], ret).then_some(&pair[0])
        }
        (Action::Txn, value) => steps(value.as_ref(), &["read", "r"])
            .find(|&(register, value)| *value != Value::Nil && unwritten(Some(register), value, ret))
            .map(|(_, value)| value),
        _ => None,
    });
    found.cloned().unwrap_or_default()
}

/// The register and the value of every step of a transaction that has one of these names.
fn steps<'a>(value: Option<&'a Value>, names: &'static [&'static str]) -> impl Iterator<Item = (&'a Value, &'a Value)> {
    let steps = match value {
        Some(Value::List(steps)) => &steps[..],
        _ => &[],
    };
    steps.iter().filter_map(|step| match step {
        Value::List(step) => match &step[..] {
            [Value::Text(name), register, value] if names.contains(&&**name) => Some((register, value)),
            _ => None,
        },
        _ => None,
    })
}
