//! When two replies are the same.

use crate::scripts::tells_time_left;
use redis::Value;

/// How much later a reply about time may have been given, in milliseconds.
const LATE_MS: i64 = 5_000;

/// Whether a real and a simulated reply to a command are equal, as far as they can be.
pub fn agree(command: &[Vec<u8>], real: &Value, simulated: &Value) -> bool {
    // A script answers for what it was given to call.
    let is = |name: &str| command.iter().any(|arg| arg.eq_ignore_ascii_case(name.as_bytes()));
    if is("CLIENT") || is("HELLO") {
        return without_ids(real) == without_ids(simulated);
    }
    if is("INFO") || is("COMMAND") {
        return std::mem::discriminant(real) == std::mem::discriminant(simulated);
    }
    let late = match () {
        _ if is("PTTL") || is("PEXPIRETIME") || tells_time_left(command) => LATE_MS,
        _ if is("TTL") || is("EXPIRETIME") || is("TIME") => LATE_MS / 1000,
        _ => 0,
    };
    let unordered = is("SMEMBERS") || is("KEYS");
    same(real, simulated, late, unordered)
}

fn same(real: &Value, simulated: &Value, late: i64, unordered: bool) -> bool {
    match (real, simulated) {
        (Value::Int(a), Value::Int(b)) => close(*a, *b, late),
        (Value::BulkString(a), Value::BulkString(b)) => a == b || (late > 0 && close_texts(a, b, late)),
        (Value::Array(a), Value::Array(b)) => {
            let in_order = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b, late, unordered));
            in_order || (unordered && sorted(a) == sorted(b))
        }
        (a, b) => a == b,
    }
}

fn sorted(items: &[Value]) -> Vec<String> {
    let mut items: Vec<String> = items.iter().map(|item| format!("{item:?}")).collect();
    items.sort();
    items
}

/// Numbers that are too small to be a time left must be equal.
fn close(a: i64, b: i64, late: i64) -> bool {
    a == b || (a.min(b) > 50 && a.abs_diff(b) <= late.unsigned_abs())
}

/// TIME gives its seconds, and its microseconds, which tell nothing, as text.
fn close_texts(a: &[u8], b: &[u8], late: i64) -> bool {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<i64>().ok();
    match (number(a), number(b)) {
        (Some(a), Some(b)) => (a < 1_000_000 && b < 1_000_000) || close(a, b, late),
        _ => false,
    }
}

/// The numbers of connections differ: the real server has seen more of them.
fn without_ids(value: &Value) -> Value {
    match value {
        Value::Int(_) => Value::Int(0),
        Value::Array(items) => Value::Array(items.iter().map(without_ids).collect()),
        other => other.clone(),
    }
}
