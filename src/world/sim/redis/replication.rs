//! What a node knows of its master and of its replicas. Effects travel, not commands: each key that changed, and what it holds now.

use super::keyspace::Entry;
use super::reply::{ErrorReply, Reply};

pub(super) const READONLY: ErrorReply = ErrorReply::fixed("READONLY You can't write against a read only replica.");
pub(super) const NOREPLICAS: ErrorReply = ErrorReply::fixed("NOREPLICAS Not enough good replicas to write.");

/// A replica that has said nothing for longer, in whole seconds, is not near (`min-replicas-max-lag 1`).
const MAX_LAG_S: i64 = 1;

/// Whether a node takes writes, or whom it follows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Role {
    /// It takes writes.
    #[default]
    Master,
    /// It takes what its master sends, and nothing else.
    Replica(Address),
}

/// Where a node is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// The host; in a simulated world the node's name.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// How a replica stands with its master, as ROLE says it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LinkState {
    /// It looks for it.
    #[default]
    Connect,
    /// It receives what its master writes.
    Connected,
}

/// Keys that changed, with what they hold now; or everything.
#[derive(Debug, Clone, PartialEq)]
pub struct Effects {
    pub(super) keys: Vec<(Box<[u8]>, Option<Entry>)>,
    pub(super) scope: Scope,
    /// The offset of whoever has applied them.
    pub(super) offset: u64,
}

/// What of a replica's data effects replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Changes,
    Everything,
}

impl Effects {
    /// About how many bytes they are on the wire.
    pub fn size(&self) -> usize {
        self.keys.iter().map(|(key, _)| key.len() + 40).sum::<usize>() + 20
    }
}

/// A replica, as its master knows it.
#[derive(Debug)]
pub(super) struct Follower {
    address: Address,
    acknowledged: u64,
    /// When it last said anything, by the master's wall clock.
    heard_ms: i64,
}

/// A node's part in replication.
#[derive(Debug, Default)]
pub(super) struct Replication {
    pub role: Role,
    pub link: LinkState,
    /// How often its role was changed, so that whoever carries its messages notices.
    pub changes: u64,
    /// In keys changed, where Redis counts bytes; 0 for a master that never had a replica, as in Redis.
    pub offset: u64,
    pub min_replicas: u32,
    pub followers: Vec<Follower>,
}

impl Replication {
    pub fn become_role(&mut self, role: Role) {
        if self.role != role {
            self.changes += 1;
            self.link = LinkState::Connect;
            self.role = role;
        }
    }

    /// Why nobody but its master may write to this node now, if so.
    pub fn refusal(&self, now: i64) -> Option<ErrorReply> {
        match self.role {
            Role::Replica(_) => Some(READONLY),
            Role::Master if self.near(now) < self.min_replicas as usize => Some(NOREPLICAS),
            Role::Master => None,
        }
    }

    /// How many replicas have said something lately.
    fn near(&self, now: i64) -> usize {
        let second = |ms: i64| ms.div_euclid(1000);
        self.followers.iter().filter(|follower| second(now) - second(follower.heard_ms) <= MAX_LAG_S).count()
    }

    pub fn followed_by(&mut self, address: Address, now: i64) {
        self.abandoned_by(&address);
        self.followers.push(Follower { address, acknowledged: 0, heard_ms: now });
    }

    pub fn abandoned_by(&mut self, address: &Address) {
        self.followers.retain(|follower| follower.address != *address);
    }

    pub fn has_acknowledged(&self, address: &Address, offset: u64) -> bool {
        self.followers.iter().any(|follower| follower.address == *address && follower.acknowledged >= offset)
    }

    pub fn heard(&mut self, address: &Address, offset: u64, now: i64) {
        if let Some(follower) = self.followers.iter_mut().find(|follower| follower.address == *address) {
            (follower.acknowledged, follower.heard_ms) = (follower.acknowledged.max(offset), now);
        }
    }

    /// How many replicas have acknowledged everything up to an offset.
    pub fn acknowledged(&self, offset: u64) -> usize {
        self.followers.iter().filter(|follower| follower.acknowledged >= offset).count()
    }

    pub fn follower_count(&self) -> usize {
        self.followers.len()
    }

    /// What ROLE answers.
    pub fn role_reply(&self) -> Reply {
        let number = |n: u64| Reply::bulk(n.to_string());
        match &self.role {
            Role::Master => Reply::Array(vec![
                Reply::bulk("master"),
                Reply::Int(self.offset as i64),
                Reply::Array(
                    self.followers
                        .iter()
                        .map(|Follower { address, acknowledged, .. }| {
                            Reply::Array(vec![
                                Reply::bulk(address.host.as_str()),
                                number(address.port.into()),
                                number(*acknowledged),
                            ])
                        })
                        .collect(),
                ),
            ]),
            Role::Replica(master) => Reply::Array(vec![
                Reply::bulk("slave"),
                Reply::bulk(master.host.as_str()),
                Reply::Int(master.port.into()),
                Reply::bulk(match self.link {
                    LinkState::Connect => "connect",
                    LinkState::Connected => "connected",
                }),
                Reply::Int(if self.link == LinkState::Connected { self.offset as i64 } else { -1 }),
            ]),
        }
    }
}
