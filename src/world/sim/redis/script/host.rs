//! The functions that the sandbox is given by Rust: `redis.call` and its kin.

use super::super::number::print_float;
use super::super::reply::{ErrorReply, Reply};
use super::convert::{error_table, number, to_lua};
use super::desk::Desk;
use super::interpreter::CHUNK_NAME;
use super::library::Sha;
use super::random::Lrand48;
use mlua::{Lua, MultiValue, Table, Value};
use std::cell::RefCell;
use std::rc::Rc;

const ARGUMENTS: &str = "ERR wrong number or type of arguments";

/// A table of all of them, for `sandbox.lua`.
pub(super) fn functions(lua: &Lua, desk: &Rc<RefCell<Desk>>) -> mlua::Result<Table> {
    let host = lua.create_table()?;
    let at = desk.clone();
    host.set(
        "call",
        lua.create_function(move |lua, args: MultiValue| match command(&at, &args) {
            Reply::Error(error) => Err(mlua::Error::external(error)),
            reply => to_lua(lua, reply),
        })?,
    )?;
    let at = desk.clone();
    host.set("pcall", lua.create_function(move |lua, args: MultiValue| to_lua(lua, command(&at, &args)))?)?;
    let at = desk.clone();
    host.set("check_budget", lua.create_function(move |_, ()| at.borrow().check_budget().map_err(mlua::Error::external))?)?;
    let at = desk.clone();
    host.set("draw", lua.create_function(move |_, ()| Ok(f64::from(at.borrow_mut().random.draw() % MOST) / f64::from(MOST)))?)?;
    let at = desk.clone();
    host.set(
        "seed",
        lua.create_function(move |_, seed: f64| {
            at.borrow_mut().random = Lrand48::seeded(seed as i64 as i32);
            Ok(())
        })?,
    )?;
    host.set("raised", lua.create_function(raised)?)?;
    host.set("locate", lua.create_function(locate)?)?;
    host.set("rawset", lua.create_function(rawset)?)?;
    host.set("setmetatable", lua.create_function(setmetatable)?)?;
    host.set("sha1hex", lua.create_function(sha1hex)?)?;
    host.set("error_reply", lua.create_function(error_reply)?)?;
    host.set("status_reply", lua.create_function(status_reply)?)?;
    host.set("log", lua.create_function(log)?)?;
    host.set("setresp", lua.create_function(setresp)?)?;
    Ok(host)
}

/// What `math.random` divides by.
const MOST: u32 = i32::MAX as u32;

/// Executes the command that a script calls.
fn command(desk: &RefCell<Desk>, args: &MultiValue) -> Reply {
    let mut desk = desk.borrow_mut();
    desk.clear_args();
    for arg in args {
        match arg {
            Value::String(text) => desk.push_arg(&text.as_bytes()),
            other => match number(other) {
                Some(number) => desk.push_arg(print_float(number).as_bytes()),
                None => {
                    return Reply::Error(ErrorReply::fixed("ERR Lua redis lib command arguments must be strings or integers"));
                }
            },
        }
    }
    desk.call().into()
}

/// What Redis would have raised where we raised an error of Rust.
fn raised(lua: &Lua, error: Value) -> mlua::Result<Value> {
    let Value::Error(error) = &error else { return Ok(error) };
    let text = match error.downcast_ref::<ErrorReply>() {
        Some(error) => error.0.to_string(),
        None => format!("ERR {error}"),
    };
    error_table(lua, &text).map(Value::Table)
}

/// Adds to an error where it was raised.
fn locate(lua: &Lua, error: Table) -> mlua::Result<()> {
    // 0 is this function, 1 the handler in the sandbox.
    for level in 2..100 {
        let line = lua.inspect_stack(level, |frame| {
            let is_script = frame.source().source.as_deref() == Some(CHUNK_NAME);
            is_script.then(|| frame.current_line()).flatten()
        });
        match line {
            None => break,
            Some(None) => {}
            Some(Some(line)) => {
                error.raw_set("source", CHUNK_NAME)?;
                return error.raw_set("line", line);
            }
        }
    }
    Ok(())
}

/// Whether the sandbox protects a table: `sandbox.lua` hides the metatables of those that it does behind `false`.
fn is_protected(table: &Table) -> bool {
    table.metatable().is_some_and(|metatable| matches!(metatable.raw_get("__metatable"), Ok(Value::Boolean(false))))
}

fn unprotected(table: &Table) -> mlua::Result<()> {
    match is_protected(table) {
        true => Err(mlua::Error::external(ErrorReply::fixed("ERR Attempt to modify a readonly table"))),
        false => Ok(()),
    }
}

fn rawset(_: &Lua, (table, key, value): (Table, Value, Value)) -> mlua::Result<Table> {
    unprotected(&table)?;
    table.raw_set(key, value)?;
    Ok(table)
}

fn setmetatable(_: &Lua, (table, metatable): (Table, Option<Table>)) -> mlua::Result<Table> {
    unprotected(&table)?;
    if table.metatable().is_some_and(|old| old.contains_key("__metatable").unwrap_or(true)) {
        return Err(mlua::Error::external(ErrorReply::fixed("ERR cannot change a protected metatable")));
    }
    table.set_metatable(metatable)?;
    Ok(table)
}

fn sha1hex(_: &Lua, args: MultiValue) -> mlua::Result<String> {
    match args.iter().collect::<Vec<_>>()[..] {
        [Value::String(text)] => Ok(Sha::of(&text.as_bytes()).to_string()),
        [other] => Ok(Sha::of(number(other).map(print_float).unwrap_or_default().as_bytes()).to_string()),
        _ => Err(mlua::Error::external(ErrorReply::fixed("ERR wrong number of arguments"))),
    }
}

/// `-CODE text` says its own code; anything else is an ERR.
fn error_reply(lua: &Lua, args: MultiValue) -> mlua::Result<Table> {
    let [Value::String(text)] = args.iter().collect::<Vec<_>>()[..] else {
        return error_table(lua, ARGUMENTS);
    };
    let text = text.to_string_lossy();
    let text = text.strip_prefix('-').unwrap_or(&text).trim_matches(['\r', '\n']);
    error_table(lua, &if text.contains(' ') { text.to_string() } else { format!("ERR {text}") })
}

fn status_reply(lua: &Lua, args: MultiValue) -> mlua::Result<Table> {
    match args.iter().collect::<Vec<_>>()[..] {
        [Value::String(text)] => lua.create_table_from([("ok", text)]),
        _ => error_table(lua, ARGUMENTS),
    }
}

/// Nobody reads a simulated server's log; but it is refused what Redis refuses.
fn log(_: &Lua, args: MultiValue) -> mlua::Result<()> {
    let refuse = |text| Err(mlua::Error::external(ErrorReply::fixed(text)));
    match args.iter().collect::<Vec<_>>()[..] {
        [] | [_] => refuse("ERR redis.log() requires two arguments or more."),
        [level, ..] => match number(level) {
            Some(level) if (0.0..4.0).contains(&level) => Ok(()),
            Some(_) => refuse("ERR Invalid debug level."),
            None => refuse("ERR First argument must be a number (log level)."),
        },
    }
}

fn setresp(_: &Lua, version: Value) -> mlua::Result<()> {
    match number(&version) {
        Some(2.0) => Ok(()),
        _ => Err(mlua::Error::external(ErrorReply::fixed("ERR RESP3 is not simulated"))),
    }
}
