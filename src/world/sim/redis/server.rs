//! What lives in a server's memory, and how it answers a command.

use super::cluster::ClusterView;
use super::command::{self, Command, Refusal, Run, pubsub};
use super::keyspace::{Expiring, Keyspace};
use super::replication::{Replication, Role};
use super::reply::{ErrorReply, Outcome, Reply};
use super::script::Library;
use super::session::{Session, SessionId};
use crate::plan::Persistence;
use crate::slot;
use std::borrow::Cow;

/// Which server a node imitates. They differ in their own compare-and-delete and in what they say of themselves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Imitates {
    /// Redis 7.0.15, as Debian 12 ships it; every reply is held against it.
    #[default]
    Redis70,
    /// Redis 8.4: has `DELEX`.
    Redis84,
    /// Valkey 9.0: has `DELIFEQ`.
    Valkey9,
}

impl Imitates {
    /// The version that the server says it is.
    pub fn version(self) -> &'static str {
        match self {
            Imitates::Redis70 => "7.0.15",
            Imitates::Redis84 => "8.4.0",
            Imitates::Valkey9 => "9.0.0",
        }
    }
}

/// A server's memory.
#[derive(Debug, Default)]
pub(super) struct Server {
    pub keys: Keyspace,
    pub scripts: Library,
    pub imitates: Imitates,
    pub persistence: Persistence,
    pub replication: Replication,
    /// What it knows of its cluster, where it is of one.
    pub cluster: Option<ClusterView>,
}

impl Server {
    /// Answers a command of a connection: runs it, queues it or refuses it.
    pub fn answer(&mut self, session: &mut Session, args: &[&[u8]], now: i64) -> Outcome {
        let command = match command::find(args, self.imitates) {
            Ok(command) => command,
            Err(Refusal::Unknown(error)) => {
                session.refused();
                return Err(error);
            }
            Err(Refusal::Arity(command)) => {
                session.refused();
                return Err(self.wrong_arity(session, command));
            }
        };
        if let Some(redirect) = self.redirect(session, command, args) {
            session.refused();
            if command.name == "exec" {
                self.discard(session);
            }
            return Err(redirect);
        }
        if self.may_change_keys(session, command)
            && let Some(refusal) = self.replication.refusal(now)
        {
            session.refused();
            if command.name != "exec" {
                return Err(refusal);
            }
            self.discard(session);
            return Err(ErrorReply::quoting(format!("EXECABORT Transaction discarded because of: {refusal}")));
        }
        if self.keys.channels.heard_by(session.id).next().is_some() {
            match command.name {
                "subscribe" | "unsubscribe" => {}
                "ping" => return Ok(pubsub::pong(args.get(1).copied().unwrap_or_default())),
                name => {
                    session.refused();
                    return Err(pubsub::not_while_subscribed(name));
                }
            }
        }
        match &mut session.transaction {
            Some(transaction) if !command.runs_in_transactions() => {
                transaction.queue.push(args.iter().map(|arg| arg.to_vec()).collect());
                Ok(Reply::Status(Cow::Borrowed("QUEUED")))
            }
            _ => self.run(session, command, args, now),
        }
    }

    /// Whether a command, or what EXEC executes, may change keys. What a script does is seen when it does it.
    fn may_change_keys(&self, session: &Session, command: &Command) -> bool {
        let queued = |args: &Vec<Vec<u8>>| {
            let args: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
            command::find(&args, self.imitates).is_ok_and(Command::changes_keys)
        };
        command.changes_keys()
            || command.name == "exec"
                && session.transaction.as_ref().is_some_and(|transaction| transaction.queue.iter().any(queued))
    }

    /// Why a command is for another node of the cluster, if so; of EXEC what was queued.
    fn redirect(&self, session: &Session, command: &Command, args: &[&[u8]]) -> Option<ErrorReply> {
        let cluster = self.cluster.as_ref()?;
        let queued = session.transaction.iter().filter(|_| command.name == "exec").flat_map(|transaction| &transaction.queue);
        let queued: Vec<Vec<&[u8]>> = queued.map(|args| args.iter().map(Vec::as_slice).collect()).collect();
        let own = slot::keys(args);
        cluster.refusal(own.into_iter().chain(queued.iter().flat_map(|args| slot::keys(args))))
    }

    /// A transaction is over, with nothing done.
    fn discard(&mut self, session: &mut Session) {
        session.transaction = None;
        self.keys.watchers.forget(session.id);
    }

    /// Becomes a master or a replica.
    pub fn follow(&mut self, role: Role) {
        self.keys.expiring = if role == Role::Master { Expiring::Itself } else { Expiring::ByMaster };
        self.replication.become_role(role);
    }

    /// EXEC with arguments ends the transaction, and says so.
    fn wrong_arity(&mut self, session: &mut Session, command: &Command) -> ErrorReply {
        let error = ErrorReply::arity(command.name);
        if command.name != "exec" {
            return error;
        }
        self.discard(session);
        let reason = error.0.strip_prefix("ERR ").unwrap_or(&error.0);
        ErrorReply::quoting(format!("EXECABORT Transaction discarded because of: {reason}"))
    }

    /// Runs a command, be there a transaction or not.
    pub fn run(&mut self, session: &mut Session, command: &Command, args: &[&[u8]], now: i64) -> Outcome {
        match command.run {
            Run::Keys(run) => run(&mut self.keys, args, now),
            Run::Connection(run) => run(self, session, args, now),
            // Only COMMAND may come without a subcommand: then it lists every command, in a detail that no client here needs.
            Run::Container(_) => Ok(Reply::Array(Vec::new())),
        }
    }

    /// A connection is gone.
    pub fn forget(&mut self, session: SessionId) {
        self.keys.watchers.forget(session);
        self.keys.channels.forget(session);
    }
}
