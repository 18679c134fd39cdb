//! The commands: a table of names, arities and functions, and a file a family.

mod cluster;
mod compare_and_delete;
mod connection;
mod counter;
mod expiry;
mod flush;
mod hash;
mod introspection;
mod key;
pub(super) mod pubsub;
mod replication;
mod scripting;
mod set;
mod sorted_set;
mod string;
mod string_expiry;
mod table;
mod transaction;
mod zinterstore;
mod zrange;

use super::keyspace::Keyspace;
use super::reply::{ErrorReply, Outcome};
use super::server::{Imitates, Server};
use super::session::Session;

/// A command of the table.
pub(super) struct Command {
    /// In lower case, as errors say it; a subcommand with its container: `script|load`.
    pub name: &'static str,
    /// How many arguments there are, the name counted; if negative, at least how many.
    arity: i8,
    pub run: Run,
    /// Only these servers have it; all, where there is none.
    only: Option<Imitates>,
    writes: bool,
    in_transaction: InTransaction,
}

/// What a command works on.
pub(super) enum Run {
    /// On keys alone: what scripts may call too.
    Keys(fn(&mut Keyspace, &[&[u8]], i64) -> Outcome),
    /// On the server and the connection it came by.
    Connection(fn(&mut Server, &mut Session, &[&[u8]], i64) -> Outcome),
    /// On nothing: it has subcommands.
    Container(&'static [Command]),
}

/// What happens to a command between MULTI and EXEC.
#[derive(Clone, Copy, PartialEq, Eq)]
enum InTransaction {
    Queued,
    Runs,
}

impl Command {
    const fn new(name: &'static str, arity: i8, run: Run) -> Self {
        Command { name, arity, run, only: None, writes: false, in_transaction: InTransaction::Queued }
    }

    const fn reads(name: &'static str, arity: i8, run: fn(&mut Keyspace, &[&[u8]], i64) -> Outcome) -> Self {
        Self::new(name, arity, Run::Keys(run))
    }

    const fn writes(name: &'static str, arity: i8, run: fn(&mut Keyspace, &[&[u8]], i64) -> Outcome) -> Self {
        Command { writes: true, ..Self::new(name, arity, Run::Keys(run)) }
    }

    const fn connection(name: &'static str, arity: i8, run: fn(&mut Server, &mut Session, &[&[u8]], i64) -> Outcome) -> Self {
        Self::new(name, arity, Run::Connection(run))
    }

    const fn only(self, server: Imitates) -> Self {
        Command { only: Some(server), ..self }
    }

    const fn runs_at_once(self) -> Self {
        Command { in_transaction: InTransaction::Runs, ..self }
    }

    /// Whether it may change keys, so that a replica refuses it.
    pub fn changes_keys(&self) -> bool {
        self.writes && self.name != "publish"
    }

    pub fn is_write(&self) -> bool {
        self.writes
    }

    pub fn runs_in_transactions(&self) -> bool {
        self.in_transaction == InTransaction::Runs
    }

    /// Whether so many arguments, the name counted, can be right.
    fn takes(&self, args: usize) -> bool {
        let wanted = usize::from(self.arity.unsigned_abs());
        if self.arity < 0 { args >= wanted } else { args == wanted }
    }
}

/// Why a command is refused before it runs.
pub(super) enum Refusal {
    /// There is no such command.
    Unknown(ErrorReply),
    /// This command cannot have so many arguments.
    Arity(&'static Command),
}

/// The command that is named, with a right number of arguments.
pub(super) fn find(args: &[&[u8]], imitates: Imitates) -> Result<&'static Command, Refusal> {
    let (name, rest) = args.split_first().ok_or(Refusal::Unknown(ErrorReply::fixed("ERR empty command")))?;
    let command = named(name, imitates).ok_or_else(|| Refusal::Unknown(unknown(name, rest)))?;
    let command = match (&command.run, rest.first()) {
        (Run::Container(subcommands), Some(sub)) => {
            subcommand(subcommands, sub, imitates).ok_or_else(|| Refusal::Unknown(unknown_subcommand(name, sub)))?
        }
        _ => command,
    };
    if command.takes(args.len()) { Ok(command) } else { Err(Refusal::Arity(command)) }
}

/// The command of this name, in upper or lower case.
fn named(name: &[u8], imitates: Imitates) -> Option<&'static Command> {
    const LONGEST: usize = 24;
    let mut lower = [0; LONGEST];
    let lower = lower.get_mut(..name.len())?;
    lower.copy_from_slice(name);
    lower.make_ascii_lowercase();
    let lower: &[u8] = lower;
    let found = table::COMMANDS.binary_search_by(|command| command.name.as_bytes().cmp(lower)).ok()?;
    Some(&table::COMMANDS[found]).filter(|command| command.only.is_none_or(|server| server == imitates))
}

fn subcommand(of: &'static [Command], name: &[u8], imitates: Imitates) -> Option<&'static Command> {
    of.iter().find(|command| {
        let own = command.name.split('|').next_back().unwrap_or_default();
        own.as_bytes().eq_ignore_ascii_case(name) && command.only.is_none_or(|server| server == imitates)
    })
}

/// Redis quotes at most 128 bytes of the name, and arguments until it has quoted 128 bytes of them.
fn unknown(name: &[u8], rest: &[&[u8]]) -> ErrorReply {
    let mut quoted = String::new();
    for arg in rest {
        if quoted.len() >= 128 {
            break;
        }
        let room = 128 - quoted.len();
        quoted += &format!("'{}' ", text(arg, room));
    }
    ErrorReply::quoting(format!("ERR unknown command '{}', with args beginning with: {quoted}", text(name, 128)))
}

fn unknown_subcommand(container: &[u8], sub: &[u8]) -> ErrorReply {
    let container = text(container, 128).to_uppercase();
    ErrorReply::quoting(format!("ERR unknown subcommand '{}'. Try {container} HELP.", text(sub, 128)))
}

/// At most so many bytes of an argument, as C prints them: up to the first zero byte.
fn text(arg: &[u8], at_most: usize) -> std::borrow::Cow<'_, str> {
    let arg = &arg[..arg.len().min(at_most)];
    String::from_utf8_lossy(arg.split(|b| *b == 0).next().unwrap_or_default())
}

/// Whether an argument is an option's name, in upper or lower case.
fn is(arg: &[u8], option: &str) -> bool {
    arg.eq_ignore_ascii_case(option.as_bytes())
}
