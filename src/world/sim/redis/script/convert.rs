//! Between what Lua holds and what Redis answers.

use super::super::number::print_float;
use super::super::reply::{ErrorReply, Reply};
use mlua::{Lua, Table, Value};
use std::borrow::Cow;

/// Redis nests no deeper than Lua's C stack allows.
const DEEPEST: usize = 1000;

/// What a command answered, as a script sees it: nil is `false`, a status and an error are tables.
pub(super) fn to_lua(lua: &Lua, reply: Reply) -> mlua::Result<Value> {
    Ok(match reply {
        Reply::Nil => Value::Boolean(false),
        Reply::Int(n) => Value::Number(n as f64),
        Reply::Bulk(bytes) => Value::String(lua.create_string(&bytes)?),
        Reply::Status(text) => Value::Table(lua.create_table_from([("ok", &*text)])?),
        Reply::Array(items) => {
            let table = lua.create_table_with_capacity(items.len(), 0)?;
            for item in items {
                table.raw_push(to_lua(lua, item)?)?;
            }
            Value::Table(table)
        }
        Reply::Error(error) => Value::Table(error_table(lua, &error.0)?),
    })
}

/// `{err = …}`, as `redis.pcall` and `redis.error_reply` give it.
pub(super) fn error_table(lua: &Lua, text: &str) -> mlua::Result<Table> {
    let table = lua.create_table_with_capacity(0, 2)?;
    table.raw_set("err", text)?;
    table.raw_set("ignore_error_stats_update", true)?;
    Ok(table)
}

/// What a script returned, as a client sees it: numbers lose their fraction, an array ends at its first nil.
pub(super) fn to_reply(value: &Value, depth: usize) -> Reply {
    if depth > DEEPEST {
        return Reply::Error(ErrorReply::fixed("ERR reached lua stack limit"));
    }
    match value {
        Value::String(bytes) => Reply::bulk(bytes.as_bytes().to_vec()),
        Value::Boolean(true) => Reply::Int(1),
        Value::Number(number) => Reply::Int(truncated(*number)),
        Value::Integer(number) => Reply::Int(*number),
        Value::Table(table) => from_table(table, depth),
        _ => Reply::Nil,
    }
}

fn from_table(table: &Table, depth: usize) -> Reply {
    if let Some(text) = string_field(table, "err") {
        return Reply::Error(ErrorReply::quoting(text));
    }
    if let Some(text) = string_field(table, "ok") {
        return Reply::Status(Cow::Owned(text.replace(['\r', '\n'], " ")));
    }
    match (table.raw_get("double"), table.raw_get("map"), table.raw_get("set")) {
        (Ok(value), ..) if number(&value).is_some() => return Reply::bulk(number(&value).map(print_float).unwrap_or_default()),
        (_, Ok(Value::Table(map)), _) => return from_pairs(&map, depth, true),
        (_, _, Ok(Value::Table(set))) => return from_pairs(&set, depth, false),
        _ => {}
    }
    if let Some(text) = string_field(table, "big_number") {
        return Reply::bulk(text.replace(['\r', '\n'], " "));
    }
    let mut items = Vec::new();
    for index in 1.. {
        match table.raw_get(index) {
            Err(_) | Ok(Value::Nil) => break,
            Ok(item) => items.push(to_reply(&item, depth + 1)),
        }
    }
    Reply::Array(items)
}

/// A map, flattened, or the members of a set.
fn from_pairs(table: &Table, depth: usize, with_values: bool) -> Reply {
    let mut items = Vec::new();
    for (key, value) in table.pairs::<Value, Value>().flatten() {
        items.push(to_reply(&key, depth + 1));
        if with_values {
            items.push(to_reply(&value, depth + 1));
        }
    }
    Reply::Array(items)
}

/// The text of a field; of a string only, though Lua would take a number for one.
pub(super) fn string_field(table: &Table, field: &str) -> Option<String> {
    match table.raw_get(field) {
        Ok(Value::String(text)) => Some(text.to_string_lossy()),
        _ => None,
    }
}

/// Lua 5.1 has floats only; those without a fraction reach Rust as integers.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Integer(number) => Some(*number as f64),
        _ => None,
    }
}

/// As C casts on x86: what does not fit becomes the least number.
fn truncated(number: f64) -> i64 {
    if (-9.3e18..9.223372036854775e18).contains(&number) { number as i64 } else { i64::MIN }
}
