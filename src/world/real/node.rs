//! One real Redis server.

use super::cluster;
use super::habitat::{Habitat, Life, Server, Speech, Start};
use super::preload::Leash;
use super::pressure::Block;
use super::scratch::{Log, Scratch, clear};
use crate::client::real::RealNode;
use crate::plan::Persistence;
use crate::world::WorldError;
use nemesis::Data;
use redis::{FromRedisValue, RedisResult};
use rustix::process::{Pid, Signal, kill_process};
use std::cell::{Cell, RefCell};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;
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
    habitat: Rc<dyn Habitat>,
    server: Server,
    scratch: Rc<Scratch>,
    data: PathBuf,
    log: Log,
    persistence: Persistence,
    /// How it takes part in replication, where it does.
    replication: Option<Replication>,
    /// What it is started with where it is a node of a cluster.
    clustered: Option<Vec<String>>,
    /// What it watches, in the words of its configuration, where it is a sentinel.
    watches: Option<String>,
    process: RefCell<Option<Box<dyn Life>>>,
    paused: Cell<bool>,
    block: RefCell<Option<Block>>,
    connection: Mutex<RealNode>,
}

/// How a node takes part in replication.
#[derive(Debug)]
struct Replication {
    /// Where everybody finds it.
    announce: SocketAddr,
    /// Where it finds its master when it is started; none where it is the master.
    master: Cell<Option<SocketAddr>>,
    /// How many replicas must be near for it to take a write.
    min_replicas: Option<u32>,
}

impl Node {
    /// A node that is not started yet.
    ///
    /// # Errors
    /// Its folder or log cannot be made.
    pub fn new(
        name: &str,
        address: SocketAddr,
        habitat: Rc<dyn Habitat>,
        server: Server,
        scratch: &Rc<Scratch>,
        persistence: Persistence,
    ) -> std::io::Result<Node> {
        Ok(Node {
            name: name.to_owned(),
            address,
            leash: Leash::new(name, scratch)?,
            server,
            scratch: scratch.clone(),
            data: scratch.node(name)?,
            log: scratch.log(name)?,
            persistence,
            replication: None,
            clustered: None,
            watches: None,
            process: RefCell::default(),
            paused: Cell::default(),
            block: RefCell::default(),
            connection: Mutex::new(RealNode::new(address).bound_to(habitat.runner()).patience(PATIENCE)),
            habitat,
        })
    }

    /// One that is found at an address, and follows a master or is one.
    pub fn replicated(self, announce: SocketAddr, master: Option<SocketAddr>, min_replicas: Option<u32>) -> Node {
        Node { replication: Some(Replication { announce, master: Cell::new(master), min_replicas }), ..self }
    }

    /// A node of a cluster, which is found at an address.
    pub fn clustered(self, announce: SocketAddr, min_replicas: Option<u32>) -> Node {
        let known = self.data.with_extension("cluster");
        Node { clustered: Some(cluster::options(self.address, announce, &known, min_replicas)), ..self }
    }

    /// A sentinel, with this configuration.
    pub fn sentinel(self, watches: String) -> Node {
        Node { watches: Some(watches), ..self }
    }

    /// Whether it is a sentinel.
    pub fn is_sentinel(&self) -> bool {
        self.watches.is_some()
    }

    /// Whom it follows when it is started again.
    pub fn follow(&self, master: Option<SocketAddr>) {
        if let Some(replication) = &self.replication {
            replication.master.set(master);
        }
    }

    /// Whether it follows another when it is started, or may soon, and takes what that one has.
    pub fn follows(&self) -> bool {
        self.clustered.is_some() || self.replication.as_ref().is_some_and(|replication| replication.master.get().is_some())
    }

    /// Starts it on what is in its folder, and returns when it answers.
    ///
    /// # Errors
    /// It cannot be started, or does not answer in time; the text names its log.
    pub async fn start(&self) -> Result<(), WorldError> {
        let sick = |why: String| WorldError::Sick(format!("{} {why}; its log is {}", self.name, self.log.path.display()));
        let unstarted = |error| sick(format!("could not be started: {error}"));
        let command = self.command().map_err(unstarted)?;
        let start = Start {
            name: &self.name,
            at: self.address.ip(),
            scratch: &self.scratch,
            command,
            log: &self.log,
            speech: Speech::None,
        };
        let life = self.habitat.start(start).await.map_err(unstarted)?;
        self.process.replace(Some(life));
        let begun = Instant::now();
        while self.ask::<String>("PING").await.is_none_or(|answer| answer != "PONG") {
            if let Some(status) = self.process.borrow_mut().as_mut().and_then(|life| life.ended()) {
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
        let mut command = Command::new(&self.server.program);
        if let Some(watches) = &self.watches {
            // A sentinel keeps what it knows there.
            let file = self.data.join("sentinel.conf");
            if !file.exists() {
                std::fs::write(&file, watches)?;
            }
            command.arg(file).arg("--sentinel");
        }
        command
            .args(["--bind", &ip, "--bind-source-addr", &ip, "--port", &port, "--protected-mode", "no", "--daemonize", "no"])
            .args(self.server.allowing_debug())
            .arg("--dir")
            .arg(&self.data)
            .args(match self.persistence {
                Persistence::None => &["--save", "", "--appendonly", "no"][..],
                Persistence::Rdb => &["--appendonly", "no", "--save", "3600 1", "--save", "300 100", "--save", "60 10000"],
                Persistence::AofEverysec => &["--save", "", "--appendonly", "yes", "--appendfsync", "everysec"],
                Persistence::AofAlways => &["--save", "", "--appendonly", "yes", "--appendfsync", "always"],
            })
            .args(self.replication.iter().flat_map(Replication::options))
            .args(self.clustered.iter().flatten());
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
        Some(format!("{} ended by itself ({status}); its log is {}", self.name, self.log.path.display()))
    }

    /// Kills it (SIGKILL) and reaps it; none where it was dead already.
    pub fn kill(&self) -> Option<std::io::Result<String>> {
        self.pid()?;
        self.paused.set(false);
        self.process.borrow_mut().as_mut().map(|life| life.kill())
    }

    /// Has it end by itself (SIGTERM), as an operator stops it, and says how it ended; none where it was dead already.
    ///
    /// # Errors
    /// It could not be signalled, or does not end in time.
    pub async fn stop(&self) -> Option<std::io::Result<String>> {
        let pid = self.pid()?;
        if let Err(error) = kill_process(pid, Signal::TERM) {
            return Some(Err(error.into()));
        }
        let begun = Instant::now();
        loop {
            if let Some(ended) = self.process.borrow_mut().as_mut().and_then(|life| life.ended()) {
                self.paused.set(false);
                return Some(Ok(ended));
            }
            if begun.elapsed() > HEALTHY_WITHIN {
                return Some(Err(std::io::ErrorKind::TimedOut.into()));
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
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

    /// Remembers what keeps it busy, so that nobody waits for its answers meanwhile.
    pub fn blocked_by(&self, block: Block) {
        self.block.replace(Some(block));
    }

    /// What keeps or kept it busy.
    pub fn unblocked(&self) -> Option<Block> {
        self.block.take()
    }

    /// Whether something keeps it busy.
    pub fn is_blocked(&self) -> bool {
        self.block.borrow().as_ref().is_some_and(Block::is_in_force)
    }

    /// Whether it can be asked anything.
    pub fn answers(&self) -> bool {
        !self.paused.get() && !self.is_blocked() && self.pid().is_some()
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

impl Replication {
    fn options(&self) -> Vec<String> {
        let (ip, port) = (self.announce.ip(), self.announce.port());
        // A diskless sync, the default, leaves a replica deaf for up to a second after it is online.
        let mut options = format!("--repl-diskless-sync no --replica-announce-ip {ip} --replica-announce-port {port}");
        if let Some(master) = self.master.get() {
            options += &format!(" --replicaof {} {}", master.ip(), master.port());
        }
        if let Some(replicas) = self.min_replicas {
            options += &format!(" --min-replicas-to-write {replicas} --min-replicas-max-lag 1");
        }
        options.split(' ').map(str::to_owned).collect()
    }
}
