//! The Lua of a thread: what it compiled, and how it runs it.

use super::super::reply::{ErrorReply, Outcome};
use super::super::server::Server;
use super::convert::{string_field, to_reply};
use super::desk::Desk;
use super::host;
use super::library::Sha;
use super::shebang::{self, Writes};
use mlua::chunk::ChunkMode;
use mlua::{Function, HookTriggers, IntoLua, Lua, LuaOptions, StdLib, Table, Value, VmState};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// The name that Redis gives the code of every script.
pub(super) const CHUNK_NAME: &str = "@user_script";
/// How often a running script's budget is looked at, in instructions.
const HOOK_EVERY: u32 = 10_000;
/// More distinct scripts than this on one thread, and compiling begins anew.
const MOST_SCRIPTS: usize = 4096;
/// A script's memory, in bytes, looked at as often; a real server would take all there is. Lua's own limit would make every call of
/// a command several times slower.
const MOST_MEMORY: usize = 256 << 20;

/// A compiled script.
pub(super) struct Script {
    pub sha: Sha,
    function: Function,
    writes: Writes,
}

/// A Lua state in Redis's sandbox.
pub(super) struct Interpreter {
    lua: Lua,
    globals: Table,
    run: Function,
    desk: Rc<RefCell<Desk>>,
    compiled: RefCell<BTreeMap<Box<[u8]>, Rc<Script>>>,
}

/// Does something with this thread's interpreter.
pub(super) fn with<R>(body: impl FnOnce(&Interpreter) -> R) -> R {
    thread_local! {
        static INTERPRETER: Interpreter = Interpreter::new().expect("a Lua state can be made");
    }
    INTERPRETER.with(body)
}

impl Interpreter {
    fn new() -> mlua::Result<Self> {
        let lua = Lua::new_with(StdLib::STRING | StdLib::TABLE | StdLib::MATH, LuaOptions::default())?;
        let desk = Rc::new(RefCell::new(Desk::idle()));
        let sandbox = lua.load(include_str!("sandbox.lua")).set_name("=sandbox").into_function()?;
        let (globals, run) = sandbox.call(host::functions(&lua, &desk)?)?;
        let budget = desk.clone();
        lua.set_global_hook(HookTriggers::new().every_nth_instruction(HOOK_EVERY), move |lua, _| {
            let mut desk = budget.borrow_mut();
            desk.spend(if lua.used_memory() > MOST_MEMORY { u64::MAX } else { HOOK_EVERY.into() });
            desk.check_budget().map(|()| VmState::Continue).map_err(mlua::Error::external)
        })?;
        Ok(Interpreter { lua, globals, run, desk, compiled: RefCell::default() })
    }

    /// A script's function, compiled once.
    pub fn compile(&self, body: &[u8]) -> Result<Rc<Script>, ErrorReply> {
        if let Some(script) = self.compiled.borrow().get(body) {
            return Ok(script.clone());
        }
        let (writes, code) = shebang::split(body)?;
        let chunk = self.lua.load(code).set_name(CHUNK_NAME).set_mode(ChunkMode::Text);
        let function = chunk.set_environment(self.globals.clone()).into_function().map_err(|error| {
            let message = match error {
                mlua::Error::SyntaxError { message, .. } => message,
                other => other.to_string(),
            };
            ErrorReply::quoting(format!("ERR Error compiling script (new function): {message}"))
        })?;
        let script = Rc::new(Script { sha: Sha::of(body), function, writes });
        let mut compiled = self.compiled.borrow_mut();
        if compiled.len() >= MOST_SCRIPTS {
            compiled.clear();
        }
        compiled.insert(body.into(), script.clone());
        Ok(script)
    }

    /// Runs a script over a node's memory.
    pub fn run(&self, script: &Script, server: &mut Server, keys: &[&[u8]], argv: &[&[u8]], now: i64) -> Outcome {
        self.desk.borrow_mut().begin(server, script.writes, now);
        let ended = self.call(script, keys, argv);
        self.desk.borrow_mut().end(server);
        match ended {
            Ok((true, value)) => Ok(to_reply(&value, 0)),
            Ok((false, raised)) => Err(failure(script, &raised)),
            // Outside the script: too little memory even for its arguments.
            Err(error) => Err(ErrorReply::quoting(format!("ERR {error}"))),
        }
    }

    fn call(&self, script: &Script, keys: &[&[u8]], argv: &[&[u8]]) -> mlua::Result<(bool, Value)> {
        let keys = self.lua.create_sequence_from(keys.iter().map(|key| Bytes(key)))?;
        let argv = self.lua.create_sequence_from(argv.iter().map(|arg| Bytes(arg)))?;
        self.run.call((&script.function, keys, argv))
    }
}

/// Bytes that become a Lua string.
struct Bytes<'a>(&'a [u8]);

impl IntoLua for Bytes<'_> {
    fn into_lua(self, lua: &Lua) -> mlua::Result<Value> {
        lua.create_string(self.0).map(Value::String)
    }
}

/// What a client is told of a script that failed.
fn failure(script: &Script, raised: &Value) -> ErrorReply {
    let Value::Table(raised) = raised else {
        return ErrorReply::quoting(format!("ERR Error running script {}, execution failure", script.sha));
    };
    let text = string_field(raised, "err").unwrap_or_else(|| "ERR unknown error".into());
    let at = (string_field(raised, "source"), raised.raw_get::<Option<i64>>("line"));
    ErrorReply::quoting(match at {
        (Some(source), Ok(Some(line))) => format!("{text} script: {}, on {source}:{line}.", script.sha),
        _ => text,
    })
}
