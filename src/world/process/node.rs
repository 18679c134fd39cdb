//! One real Redis server.

use super::child::Child;
use super::preload::Leash;
use super::scratch::{Scratch, clear};
use crate::client::real::RealNode;
use crate::plan::Persistence;
use crate::world::WorldError;
use nemesis::Data;
use redis::{FromRedisValue, RedisResult};
use rustix::process::Pid;
use std::cell::{Cell, RefCell};
use std::fs::File;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use tokio::sync::Mutex;

/// A node answers its first PING after 25 ms; a large append-only file or a busy machine takes longer.
const HEALTHY_WITHIN: Duration = Duration::from_secs(10);
/// How long the runner's own questions may take. A node that is dead or paused is not asked.
const PATIENCE: Duration = Duration::from_millis(500);

/// A Redis server of a world, and the runner's own connection to it, past the wire.
pub struct Node {
    /// Its name.
    pub name: String,
    /// Where it really listens.
    pub address: SocketAddr,
    /// What holds its clock and knows its disk.
    pub leash: Leash,
    program: PathBuf,
    data: PathBuf,
    log: (File, PathBuf),
    persistence: Persistence,
    process: RefCell<Option<Child>>,
    paused: Cell<bool>,
    connection: Mutex<RealNode>,
}

impl Node {
    /// A node that is not started yet, and that the runner will ask from this address.
    ///
    /// # Errors
    /// Its folder or log cannot be made.
    pub fn new(
        name: &str,
        address: SocketAddr,
        runner: IpAddr,
        program: &Path,
        scratch: &Scratch,
        persistence: Persistence,
    ) -> std::io::Result<Node> {
        Ok(Node {
            name: name.to_owned(),
            address,
            leash: Leash::new(name, scratch)?,
            program: program.to_owned(),
            data: scratch.node(name)?,
            log: scratch.log(name)?,
            persistence,
            process: RefCell::default(),
            paused: Cell::default(),
            connection: Mutex::new(RealNode::new(address).bound_to(runner).patience(PATIENCE)),
        })
    }

    /// Starts it on what is in its folder, and returns when it answers.
    ///
    /// # Errors
    /// It cannot be started, or does not answer in time; the text names its log.
    pub async fn start(&self) -> Result<(), WorldError> {
        let sick = |why: String| WorldError::Sick(format!("{} {why}; its log is {}", self.name, self.log.1.display()));
        let child = self.command().and_then(|mut command| Child::spawn(&mut command));
        *self.process.borrow_mut() = Some(child.map_err(|error| sick(format!("could not be started: {error}")))?);
        let begun = Instant::now();
        while self.ask::<String>("PING").await.is_none_or(|answer| answer != "PONG") {
            if let Some(status) = self.process.borrow_mut().as_mut().and_then(Child::ended) {
                return Err(sick(format!("ended at its start ({status})")));
            }
            if begun.elapsed() > HEALTHY_WITHIN {
                return Err(sick(format!("did not answer PING within {} s", HEALTHY_WITHIN.as_secs())));
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }

    fn command(&self) -> std::io::Result<Command> {
        let (ip, port) = (self.address.ip().to_string(), self.address.port().to_string());
        let mut command = Command::new(&self.program);
        command
            .args(["--bind", &ip, "--bind-source-addr", &ip, "--port", &port, "--protected-mode", "no", "--daemonize", "no"])
            .args(["--save", "", "--dir"])
            .arg(&self.data)
            .args(match self.persistence {
                Persistence::None => &["--appendonly", "no"][..],
                Persistence::AofEverysec => &["--appendonly", "yes", "--appendfsync", "everysec"],
                Persistence::AofAlways => &["--appendonly", "yes", "--appendfsync", "always"],
            })
            .stdin(Stdio::null())
            .stdout(self.log.0.try_clone()?)
            .stderr(self.log.0.try_clone()?);
        self.leash.tie(&mut command);
        Ok(command)
    }

    /// Its process id; none while it is dead.
    pub fn pid(&self) -> Option<Pid> {
        self.process.borrow_mut().as_mut().and_then(|child| child.ended().is_none().then(|| child.pid()))
    }

    /// In words that it ended, where nobody here had killed it.
    pub fn died(&self) -> Option<String> {
        let status = self.process.borrow_mut().as_mut()?.died()?;
        Some(format!("{} ended by itself ({status}); its log is {}", self.name, self.log.1.display()))
    }

    /// Kills it (SIGKILL) and reaps it; none where it was dead already.
    pub fn kill(&self) -> Option<std::io::Result<ExitStatus>> {
        self.pid()?;
        self.paused.set(false);
        self.process.borrow_mut().as_mut().map(Child::kill)
    }

    /// Does to its disk, while it is dead, what a plan says.
    ///
    /// # Errors
    /// Its folder cannot be emptied.
    pub fn disk(&self, data: Data) -> std::io::Result<()> {
        match data {
            Data::Kept => Ok(()),
            Data::Lost => {
                self.leash.forget_files();
                clear(&self.data)
            }
        }
    }

    /// The folder of its data.
    pub fn data(&self) -> &Path {
        &self.data
    }

    /// Remembers that it is stopped or goes on, so that nobody waits for its answers.
    pub fn is_paused(&self, paused: bool) {
        self.paused.set(paused);
    }

    /// Whether it can be asked anything.
    pub fn answers(&self) -> bool {
        !self.paused.get() && self.pid().is_some()
    }

    /// How many keys it has; none where it cannot be asked.
    pub async fn keys(&self) -> Option<u64> {
        self.ask("DBSIZE").await
    }

    /// Asks it a command without arguments; none where it cannot be asked.
    pub async fn ask<T: FromRedisValue>(&self, command: &str) -> Option<T> {
        self.with(async |connection| redis::cmd(command).query_async(connection).await).await?.ok()
    }

    /// Does something with the runner's own connection; none where the node is dead or paused.
    pub async fn with<T>(&self, what: impl AsyncFnOnce(&mut RealNode) -> RedisResult<T>) -> Option<RedisResult<T>> {
        if !self.answers() {
            return None;
        }
        Some(what(&mut *self.connection.lock().await).await)
    }
}
