//! L4d `set-nx-px-delex`: SET NX PX, released by the server's own compare-and-delete: `DELEX key IFEQ token` (Redis 8.4) or
//! `DELIFEQ key token` (Valkey 9), whichever the server has.

use super::{Attempt, Done, Impossible, Io, Lock, Step, script, set_nx_px};
use crate::client::Clock;
use redis::aio::ConnectionLike;
use redis::{Value, cmd};
use std::time::Duration;

/// SET NX PX, and a release by one command that compares.
#[derive(Default)]
pub struct SetNxPxDelex {
    /// What the server has; known once prepared.
    command: Option<Command>,
}

#[derive(Clone, Copy)]
enum Command {
    Delex,
    Delifeq,
}

impl<C: ConnectionLike, K: Clock> Lock<C, K> for SetNxPxDelex {
    fn prepare<'a>(&'a mut self, io: &'a mut Io<C, K>) -> Step<'a, Result<(), Impossible>> {
        Box::pin(async move {
            let answer = cmd("COMMAND").arg("INFO").arg("DELEX").arg("DELIFEQ").query_async::<Vec<Value>>(io.node()).await;
            self.command = match answer.as_deref() {
                Err(error) => return Err(Impossible(format!("the server was asked for DELEX and DELIFEQ: {error}"))),
                Ok([delex, ..]) if *delex != Value::Nil => Some(Command::Delex),
                Ok([_, delifeq]) if *delifeq != Value::Nil => Some(Command::Delifeq),
                Ok(_) => return Err(absent()),
            };
            script::load(&mut io.nodes, &[&script::COMPARE_AND_PEXPIRE]).await
        })
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(set_nx_px::acquire(io, key, ttl))
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move {
            let (name, command) = match self.command {
                Some(Command::Delex) => ("DELEX", cmd("DELEX").arg(key).arg("IFEQ").arg(token).take()),
                Some(Command::Delifeq) => ("DELIFEQ", cmd("DELIFEQ").arg(key).arg(token).take()),
                None => return Done::No(absent().0),
            };
            match command.query_async(io.node()).await {
                Ok(deleted) => Done::deleted(deleted),
                Err(error) => Done::failed(name, &error),
            }
        })
    }
}

fn absent() -> Impossible {
    Impossible("the server has neither DELEX (Redis since 8.4) nor DELIFEQ (Valkey since 9)".into())
}
