//! Scripts: a real Lua 5.1, in Redis's sandbox, over the node's own keys.
//!
//! One interpreter a thread serves every node on it and keeps what it compiled; a node keeps which scripts it knows. While a script
//! runs, the node's memory is lent to the interpreter, so nothing is shared and nothing is unsafe.

mod convert;
mod desk;
mod host;
mod interpreter;
mod library;
mod random;
mod shebang;

use super::reply::{ErrorReply, Outcome};
use super::server::Server;
use std::sync::Arc;

pub(super) use library::{Library, Sha};

/// Runs a script, which the node knows from then on.
pub(super) fn eval(server: &mut Server, body: &[u8], keys: &[&[u8]], argv: &[&[u8]], now: i64) -> Outcome {
    interpreter::with(|interpreter| {
        let script = interpreter.compile(body)?;
        if !server.scripts.knows(&script.sha) {
            server.scripts.add(script.sha, Arc::from(body));
        }
        interpreter.run(&script, server, keys, argv, now)
    })
}

/// Runs a script by its digest; `None` if the node does not know it.
pub(super) fn eval_known(server: &mut Server, sha: Sha, keys: &[&[u8]], argv: &[&[u8]], now: i64) -> Option<Outcome> {
    let body = server.scripts.body(&sha)?.clone();
    Some(interpreter::with(|interpreter| {
        let script = interpreter.compile(&body)?;
        interpreter.run(&script, server, keys, argv, now)
    }))
}

/// Compiles a script, which the node knows from then on.
pub(super) fn load(server: &mut Server, body: &[u8]) -> Result<Sha, ErrorReply> {
    let sha = interpreter::with(|interpreter| interpreter.compile(body).map(|script| script.sha))?;
    server.scripts.add(sha, Arc::from(body));
    Ok(sha)
}
