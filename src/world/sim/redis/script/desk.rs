//! What a running script works on: the node's memory, lent to it, and its time, which stands still.

use super::super::args::gathered;
use super::super::command::{self, Refusal, Run};
use super::super::reply::{ErrorReply, Outcome};
use super::super::server::Server;
use super::random::Lrand48;
use super::shebang::Writes;

/// One run of one script.
#[derive(Debug)]
pub(super) struct Desk {
    pub server: Server,
    now: i64,
    writes: Writes,
    pub random: Lrand48,
    /// Instructions that it may still execute.
    budget: u64,
    /// The arguments of the command being called, one after the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
}

/// Some hundredths of a second: a script of a lock needs a few hundred instructions. A real server would hang in it until
/// somebody sent SCRIPT KILL.
const BUDGET: u64 = 10_000_000;

impl Desk {
    pub fn idle() -> Self {
        Desk {
            server: Server::default(),
            now: 0,
            writes: Writes::Allowed,
            random: Lrand48::seeded(0),
            budget: 0,
            text: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// A script begins: takes the node's memory.
    pub fn begin(&mut self, server: &mut Server, writes: Writes, now: i64) {
        std::mem::swap(&mut self.server, server);
        self.now = now;
        self.writes = writes;
        self.random = Lrand48::seeded(0);
        self.budget = BUDGET;
    }

    /// The script has ended: gives the memory back.
    pub fn end(&mut self, server: &mut Server) {
        std::mem::swap(&mut self.server, server);
    }

    /// So many instructions were executed.
    pub fn spend(&mut self, instructions: u64) {
        self.budget = self.budget.saturating_sub(instructions);
    }

    /// Whether the script may go on.
    pub fn check_budget(&self) -> Result<(), ErrorReply> {
        if self.budget > 0 { Ok(()) } else { Err(ErrorReply::fixed("ERR Script was cut short: it does not end")) }
    }

    /// Forgets the arguments of the last call.
    pub fn clear_args(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    pub fn push_arg(&mut self, arg: &[u8]) {
        self.text.extend_from_slice(arg);
        self.ends.push(self.text.len());
    }

    /// Calls the command whose arguments were pushed.
    pub fn call(&mut self) -> Outcome {
        let Desk { server, now, writes, text, ends, .. } = self;
        let mut begin = 0;
        let args = ends.iter().map(|end| &text[std::mem::replace(&mut begin, *end)..*end]);
        gathered(args, |args| call(server, args, *writes, *now))
    }
}

fn call(server: &mut Server, args: &[&[u8]], writes: Writes, now: i64) -> Outcome {
    if args.is_empty() {
        return Err(ErrorReply::fixed("ERR Please specify at least one argument for this redis lib call"));
    }
    let command = command::find(args, server.imitates).map_err(|refusal| match refusal {
        Refusal::Arity(_) => ErrorReply::fixed("ERR Wrong number of args calling Redis command from script"),
        Refusal::Unknown(_) => ErrorReply::fixed("ERR Unknown Redis command called from script"),
    })?;
    let Run::Keys(run) = command.run else {
        return Err(ErrorReply::fixed("ERR This Redis command is not allowed from script"));
    };
    if command.is_write() && writes == Writes::Forbidden {
        return Err(ErrorReply::fixed("ERR Write commands are not allowed from read-only scripts."));
    }
    if command.changes_keys()
        && let Some(refusal) = server.replication.refusal(now)
    {
        return Err(refusal);
    }
    run(&mut server.keys, args, now)
}
