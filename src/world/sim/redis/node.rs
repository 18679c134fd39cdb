//! A node: a server that can be killed, and the disk that outlives it.

use super::args::gathered;
use super::cluster::ClusterView;
use super::journal::Journal;
use super::keyspace::Keyspace;
use super::replication::{Address, Effects, LinkState, Replication, Role, Scope};
use super::server::{Imitates, Server};
use super::session::{Session, SessionId};
use super::value::Value;
use crate::plan::Persistence;
use crate::world::sim::connection::words;
use nemesis::Data;

/// How a node is set up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NodeConfig {
    /// What it writes to its disk.
    pub persistence: Persistence,
    /// Which server it imitates.
    pub imitates: Imitates,
    /// How many replicas must be near for it to take a write.
    pub min_replicas_to_write: u32,
}

/// A simulated Redis node. It is up when made.
#[derive(Debug)]
pub struct Node {
    config: NodeConfig,
    server: Server,
    up: bool,
    life: u64,
    sessions_opened: i64,
    /// What its replicas have not been sent.
    unsent: Vec<Effects>,
}

/// Why a node gives no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Disconnected {
    /// It is down.
    #[error("connection refused: the node is down")]
    Down,
    /// It died since this connection was opened.
    #[error("connection reset: the node died since it was opened")]
    Reset,
}

impl Node {
    /// A node that holds nothing.
    pub fn new(config: NodeConfig) -> Self {
        let server = server(config, empty(config.persistence));
        Node { config, server, up: true, life: 0, sessions_opened: 0, unsent: Vec::new() }
    }

    /// Opens a connection.
    ///
    /// # Errors
    /// [`Disconnected::Down`] where the node is down.
    pub fn open(&mut self) -> Result<Session, Disconnected> {
        if !self.up {
            return Err(Disconnected::Down);
        }
        self.sessions_opened += 1;
        Ok(Session {
            id: SessionId(self.sessions_opened),
            life: self.life,
            name: Vec::new(),
            transaction: None,
            executing: false,
            written: 0,
            blocked: None,
        })
    }

    /// Closes a connection: its watches and its unfinished transaction are gone.
    pub fn close(&mut self, session: Session) {
        if self.has(&session).is_ok() {
            self.server.forget(session.id);
        }
    }

    /// Executes one command, the name first, and answers as a server does; an error reply is a [`redis::Value::ServerError`].
    ///
    /// `now_ms` is what the node's own wall clock shows, in milliseconds since 1970; it may jump either way between commands and
    /// stands still within one. `WAIT` answers at once; where it [blocks](Session::take_blocked), letting
    /// time pass is the caller's.
    ///
    /// # Errors
    /// Where the node is down, or died since the session was opened: then nothing was executed.
    pub fn execute(&mut self, session: &mut Session, args: &[&[u8]], now_ms: u64) -> Result<redis::Value, Disconnected> {
        self.has(session)?;
        let now = i64::try_from(now_ms).unwrap_or(i64::MAX);
        session.blocked = None;
        let reply = super::reply::Reply::from(self.server.answer(session, args, now));
        if self.note_changes() {
            session.written = self.server.replication.offset;
        }
        Ok(reply.into())
    }

    /// Executes a command as the client library packed it; see [`Node::execute`].
    ///
    /// # Errors
    /// As [`Node::execute`].
    pub fn execute_cmd(&mut self, session: &mut Session, cmd: &redis::Cmd, now_ms: u64) -> Result<redis::Value, Disconnected> {
        gathered(words(cmd), |args| self.execute(session, args, now_ms))
    }

    /// Takes the messages that were published since it was last asked: to whom, by [`Session::number`], and what each hears.
    pub fn pushes(&mut self) -> Vec<(i64, redis::Value)> {
        self.server.keys.channels.take().into_iter().map(|(session, push)| (session.0, push.into())).collect()
    }

    /// Whether a session is still connected.
    fn has(&self, session: &Session) -> Result<(), Disconnected> {
        match (self.up, session.life == self.life) {
            (true, true) => Ok(()),
            (true, false) => Err(Disconnected::Reset),
            (false, _) => Err(Disconnected::Down),
        }
    }

    /// Whether the node is up.
    pub fn is_up(&self) -> bool {
        self.up
    }

    /// Kills the server (SIGKILL): connections, watches and scripts are gone, and what was not written to its disk.
    /// What was written is on the disk, synced or not: the write came before the reply and the machine lives on. Of snapshots the last is there.
    pub fn kill(&mut self) {
        self.up = false;
        self.life += 1;
        let mut keys = match self.config.persistence {
            Persistence::None => empty(Persistence::None),
            Persistence::Rdb | Persistence::AofEverysec | Persistence::AofAlways => std::mem::take(&mut self.server.keys),
        };
        (keys.watchers, keys.channels) = Default::default();
        self.unsent.clear();
        (keys.changed, keys.expiring) = Default::default();
        if self.config.persistence == Persistence::Rdb {
            keys.roll_back();
        }
        // What it knows of its cluster is in a file of its own.
        let cluster = self.server.cluster.take();
        self.server = Server { cluster, ..server(self.config, keys) };
    }

    /// The machine loses its power: as [`Node::kill`], and what was not synced is gone too.
    pub fn lose_power(&mut self) {
        self.kill();
        self.server.keys.roll_back();
    }

    /// What it writes to its disk.
    pub fn persistence(&self) -> Persistence {
        self.config.persistence
    }

    /// How many scripts it knows.
    pub fn scripts(&self) -> usize {
        self.server.scripts.count()
    }

    /// How many keys were changed since the disk was last synced: what a power loss would take back, or of snapshots a kill.
    pub fn unsynced(&self) -> usize {
        self.server.keys.journal.as_ref().map_or(0, Journal::len)
    }

    /// Everything that was executed until now is safely on the disk; with [`Persistence::AofEverysec`] to be called once a second, with
    /// [`Persistence::Rdb`] at every save point.
    pub fn synced(&mut self) {
        if let Some(journal) = &mut self.server.keys.journal {
            journal.synced();
        }
    }

    /// Starts the server again, on what its disk holds or on an empty one. Expiry times are absolute, so keys expire while it is
    /// down. Does nothing to a node that is up.
    pub fn start(&mut self, data: Data) {
        if self.up {
            return;
        }
        if data == Data::Lost {
            self.server.keys = empty(self.config.persistence);
        }
        self.synced();
        self.up = true;
    }

    /// Evicts a key, as a server does that runs out of memory; whether there was one.
    pub fn evict(&mut self, key: &[u8], now_ms: u64) -> bool {
        self.up && self.server.keys.delete(key, i64::try_from(now_ms).unwrap_or(i64::MAX))
    }

    /// Deletes every expired key, as Redis does in the background ten times a second. It matters only to a clock that is
    /// set back later: what was deleted stays deleted.
    pub fn sweep(&mut self, now_ms: u64) {
        self.server.keys.sweep(i64::try_from(now_ms).unwrap_or(i64::MAX));
    }

    /// What the node holds, in the order of the keys, without disturbing it; nothing while it is down.
    pub fn look(&self, now_ms: u64) -> impl Iterator<Item = Seen<'_>> {
        let now = i64::try_from(now_ms).unwrap_or(i64::MAX);
        self.server.keys.live(now).filter(|_| self.up).map(move |(key, entry)| Seen {
            key,
            kind: entry.value.type_name(),
            string: if let Value::String(bytes) = &entry.value { Some(bytes) } else { None },
            field: if let Value::Hash(hash) = &entry.value {
                hash.iter().next().map(|(field, _)| field.as_slice())
            } else {
                None
            },
            ttl_ms: entry.expires_at.map(|at| at.saturating_sub(now) as u64),
        })
    }
}

/// Replication.
impl Node {
    /// Whether it takes writes, or whom it follows.
    pub fn role(&self) -> &Role {
        &self.server.replication.role
    }

    /// Becomes a master, or a replica that has yet to find its master.
    pub fn follow(&mut self, role: Role) {
        self.server.follow(role);
    }

    /// It is of a cluster, of which it knows this.
    pub fn knows(&mut self, cluster: ClusterView) {
        self.server.cluster = Some(cluster);
    }

    /// What it knows of its cluster, where it is of one.
    pub fn cluster(&self) -> Option<&ClusterView> {
        self.server.cluster.as_ref()
    }

    /// How often its role was changed.
    pub fn role_changes(&self) -> u64 {
        self.server.replication.changes
    }

    /// How far it has come; in keys changed, where Redis counts bytes.
    pub fn offset(&self) -> u64 {
        self.server.replication.offset
    }

    /// A replica asks for everything, and for what changes from now on.
    pub fn followed_by(&mut self, replica: Address, now_ms: u64) -> Effects {
        self.note_changes();
        if self.config.persistence == Persistence::Rdb {
            // What a replica is sent first is a snapshot on the disk.
            self.synced();
        }
        self.server.keys.changed.get_or_insert_default();
        self.server.replication.followed_by(replica, now_ms as i64);
        Effects { keys: self.server.keys.everything(), scope: Scope::Everything, offset: self.offset() }
    }

    /// A replica's connection has ended.
    pub fn abandoned_by(&mut self, replica: &Address) {
        self.server.replication.abandoned_by(replica);
    }

    /// A replica has said how far it has come.
    pub fn heard(&mut self, replica: &Address, offset: u64, now_ms: u64) {
        self.server.replication.heard(replica, offset, now_ms as i64);
    }

    /// How many replicas have acknowledged everything up to an offset.
    pub fn acknowledged(&self, offset: u64) -> usize {
        self.server.replication.acknowledged(offset)
    }

    /// Whether one replica has acknowledged everything up to an offset.
    pub fn has_acknowledged(&self, replica: &Address, offset: u64) -> bool {
        self.server.replication.has_acknowledged(replica, offset)
    }

    /// What is to be sent to its replicas, in order.
    pub fn take_unsent(&mut self) -> Vec<Effects> {
        std::mem::take(&mut self.unsent)
    }

    /// Its master has sent this.
    pub fn apply(&mut self, effects: Effects) {
        let Effects { keys, scope, offset } = effects;
        if scope == Scope::Everything {
            self.server.keys.clear();
        }
        for (key, entry) in keys {
            self.server.keys.apply(&key, entry);
        }
        self.server.replication.link = LinkState::Connected;
        self.note_changes();
        self.server.replication.offset = offset;
    }

    /// It has lost its master.
    pub fn lost_master(&mut self) {
        self.server.replication.link = LinkState::Connect;
    }

    /// Whether it receives what its master writes.
    pub fn link_state(&self) -> LinkState {
        self.server.replication.link
    }

    /// Takes note for its replicas of what has changed; whether anything has.
    fn note_changes(&mut self) -> bool {
        let keys = self.server.keys.take_changed();
        let any = !keys.is_empty();
        if any {
            self.server.replication.offset += keys.len() as u64;
            self.unsent.push(Effects { keys, scope: Scope::Changes, offset: self.offset() });
        }
        any
    }
}

/// A key that a look at a node found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen<'a> {
    /// The key.
    pub key: &'a [u8],
    /// Its type, as TYPE says it.
    pub kind: &'static str,
    /// Its value, if that is a string.
    pub string: Option<&'a [u8]>,
    /// Its first field, if it is a hash.
    pub field: Option<&'a [u8]>,
    /// Milliseconds to its expiry; none if it has none.
    pub ttl_ms: Option<u64>,
}

fn empty(persistence: Persistence) -> Keyspace {
    Keyspace::new(matches!(persistence, Persistence::Rdb | Persistence::AofEverysec).then(Journal::default))
}

fn server(config: NodeConfig, keys: Keyspace) -> Server {
    let replication = Replication { min_replicas: config.min_replicas_to_write, ..Replication::default() };
    Server { keys, imitates: config.imitates, persistence: config.persistence, replication, ..Server::default() }
}
