//! A real server and a simulated node that are told the same.

use crate::compare::agree;
use crate::server::{Connection, Server};
use crate::shown;
use crate::step::Step;
use fencepost::world::sim::redis::{Node, NodeConfig, Session};
use redis::Value;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long a key that is to expire still lives; if the commands took longer to arrive, the sequence proves nothing.
const SHORT_MS: u64 = 8;

/// Both sides, empty at first, with two connections each and one for the control of the test.
pub struct Pair {
    real: [Connection; 2],
    control: Connection,
    node: Node,
    sessions: [Session; 2],
    control_session: Session,
    queued: [Vec<Vec<Vec<u8>>>; 2],
}

impl Pair {
    pub fn new(server: &Server) -> Self {
        let mut control = server.connect();
        for command in [["FLUSHALL", "SYNC"].as_slice(), &["SCRIPT", "FLUSH", "SYNC"]] {
            assert_eq!(control.call(command), Value::Okay);
        }
        let mut node = Node::new(NodeConfig::default());
        let mut open = || node.open().expect("a new node is up");
        let (sessions, control_session) = ([open(), open()], open());
        Pair { real: [server.connect(), server.connect()], control, node, sessions, control_session, queued: Default::default() }
    }

    /// Runs a sequence; the first difference, if there is one, with what led to it.
    pub fn run(&mut self, steps: &[Step]) -> Result<(), String> {
        let mut told = String::new();
        for batch in steps.chunk_by(|a, b| a.connection().is_some() && a.connection() == b.connection()) {
            match &batch[0] {
                Step::LetExpire(key) => {
                    told += &format!("\n  let {key} expire");
                    if !self.let_expire(key)? {
                        return Ok(());
                    }
                }
                Step::Command { connection, .. } => self.send(*connection, batch, &mut told)?,
            }
        }
        Ok(())
    }

    /// Sends commands of one connection, the real ones in one go.
    fn send(&mut self, connection: usize, batch: &[Step], told: &mut String) -> Result<(), String> {
        let commands: Vec<&[Vec<u8>]> = batch.iter().filter_map(Step::args).collect();
        let now = wall_ms();
        let real = self.real[connection].pipeline(&commands);
        for (command, real) in commands.iter().zip(real) {
            let args: Vec<&[u8]> = command.iter().map(Vec::as_slice).collect();
            let simulated = self.node.execute(&mut self.sessions[connection], &args, now).map_err(|gone| gone.to_string())?;
            *told += &format!("\n  {connection}> {}", shown(command));
            if !self.agrees(connection, command, &real, &simulated) {
                return Err(format!("{told}\nreal:      {real:?}\nsimulated: {simulated:?}"));
            }
            *told += &format!("   -> {real:?}");
        }
        Ok(())
    }

    /// Whether two replies are the same; those of EXEC are compared by the commands that were queued.
    fn agrees(&mut self, connection: usize, command: &[Vec<u8>], real: &Value, simulated: &Value) -> bool {
        let queue = &mut self.queued[connection];
        let is_exec = command[0].eq_ignore_ascii_case(b"EXEC");
        if is_exec || command[0].eq_ignore_ascii_case(b"DISCARD") {
            let queued = std::mem::take(queue);
            if let (true, Value::Array(real), Value::Array(simulated)) = (is_exec, real, simulated) {
                let all = queued.iter().zip(real.iter().zip(simulated));
                return real.len() == simulated.len() && all.into_iter().all(|(command, (a, b))| agree(command, a, b));
            }
        }
        if *real == Value::SimpleString("QUEUED".into()) {
            queue.push(command.to_vec());
        }
        agree(command, real, simulated)
    }

    /// Gives a key a short life, and lets it pass without anybody touching the key. False if it is not sure to have begun.
    fn let_expire(&mut self, key: &str) -> Result<bool, String> {
        let now = wall_ms();
        let at = now + SHORT_MS;
        let command = ["PEXPIREAT", key, &at.to_string()];
        let real = self.control.call(&command);
        if wall_ms() >= at {
            return Ok(false);
        }
        let args = command.map(str::as_bytes);
        let simulated = self.node.execute(&mut self.control_session, &args, now).map_err(|gone| gone.to_string())?;
        if real != simulated {
            return Err(format!("{command:?}: real {real:?}, simulated {simulated:?}"));
        }
        while wall_ms() <= at {
            std::thread::sleep(Duration::from_micros(200));
        }
        Ok(true)
    }
}

/// What the wall clock of this machine, and so of the real server, shows.
pub fn wall_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}
