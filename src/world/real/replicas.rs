//! A master and its replicas: who follows whom, who is promoted, and which client is led to whom.

use super::faults::Injected;
use super::node::Node;
use super::{RealWorld, faults::dead, sick};
use crate::world::{PROBE, WorldError};
use nemesis::{Evidence, NotInjected};
use redis::{FromRedisValue, RedisResult, Value};
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How long a node may take to become a master, or to be connected to one: a replica that lost its master looks for it every second.
const PATIENCE: Duration = Duration::from_secs(8);
/// How long a replica may take to reach its new master before the promotion is over without it.
const FOLLOWS_WITHIN: Duration = Duration::from_secs(3);
const LOOK_AGAIN: Duration = Duration::from_millis(2);
/// What is set and deleted to see that replicas have what the master writes.
const MARK: &str = "fencepost:replicated";

/// What a node says of itself (ROLE).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// It takes writes, up to this offset so far.
    Master {
        /// Bytes written to replicas.
        offset: u64,
    },
    /// It follows a master.
    Replica {
        /// Where.
        master: SocketAddr,
        /// Whether it receives what the master writes.
        connected: bool,
        /// Bytes received.
        offset: u64,
    },
}

impl Role {
    fn from_reply(reply: &Value) -> Option<Role> {
        let Value::Array(parts) = reply else { return None };
        let text = |at: usize| String::from_redis_value_ref(parts.get(at)?).ok();
        // A replica that was never in step says -1, which redis-rs would wrap around.
        let number = |at: usize| u64::try_from(i64::from_redis_value_ref(parts.get(at)?).ok()?).ok();
        match text(0)?.as_str() {
            "master" => Some(Role::Master { offset: number(1)? }),
            "slave" => Some(Role::Replica {
                master: format!("{}:{}", text(1)?, number(2)?).parse().ok()?,
                connected: text(3)? == "connected",
                offset: number(4).unwrap_or(0),
            }),
            _ => None,
        }
    }

    pub(super) fn is_master(&self) -> bool {
        matches!(self, Role::Master { .. })
    }

    fn offset(&self) -> u64 {
        match self {
            Role::Master { offset } | Role::Replica { offset, .. } => *offset,
        }
    }
}

/// What a node says of itself; none where it cannot be asked.
pub async fn role(node: &Node) -> Option<Role> {
    node.ask::<Value>("ROLE").await.as_ref().and_then(Role::from_reply)
}

/// Sees that every replica has what the master writes.
///
/// # Errors
/// In words, who has not.
pub async fn health(world: &RealWorld) -> Result<(), String> {
    let replicas = world.plan.topology.replica_count();
    for master in world.masters.all() {
        let master = world.node(&master).map_err(|error| error.to_string())?;
        replicated(master, MARK, replicas).await?;
    }
    Ok(())
}

/// Sees that so many replicas of a master have what it writes: this key is set and deleted.
///
/// # Errors
/// In words, how many have not.
pub async fn replicated(master: &Node, mark: &str, replicas: u32) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        let asked = master
            .with(async |connection: &mut _| {
                redis::cmd("SET").arg(mark).arg("").query_async::<Value>(connection).await?;
                let acknowledged = redis::cmd("WAIT").arg(replicas).arg(200).query_async::<u32>(connection).await?;
                redis::cmd("DEL").arg(mark).query_async::<Value>(connection).await?;
                redis::cmd("WAIT").arg(replicas).arg(200).query_async::<u32>(connection).await.map(|both| both.min(acknowledged))
            })
            .await;
        match asked {
            Some(Ok(acknowledged)) if acknowledged >= replicas => return Ok(()),
            _ if begun.elapsed() < PATIENCE => tokio::time::sleep(LOOK_AGAIN).await,
            Some(Ok(acknowledged)) => return Err(format!("{acknowledged} of {replicas} replicas acknowledged a SET")),
            Some(Err(error)) => return Err(format!("the master was asked to SET and WAIT: {error}")),
            None => return Err("the master cannot be asked".into()),
        }
    }
}

/// Makes a replica the master; the other replicas that are alive follow it, and these clients are told, or all of them.
pub async fn promote(world: &RealWorld, node: &str, told: Option<&[String]>) -> Injected {
    let new = world.node(node)?;
    let not = |why: String| NotInjected(format!("{node} was not promoted: {why}"));
    let before = role(new).await.ok_or_else(|| dead(node))?;
    if before.is_master() {
        return Err(not("it is a master already".into()));
    }
    let old = world.master_of(node)?;
    let ahead = match world.node(&old) {
        Ok(old) => role(old).await.map(|role| role.offset()),
        Err(_) => None,
    };
    tell(new, "REPLICAOF", &["NO", "ONE"]).await.map_err(not)?;
    let after = until(new, PATIENCE, Role::is_master)
        .await
        .ok_or_else(|| not(format!("ROLE did not say so within {} s", PATIENCE.as_secs())))?;
    let followers = hand_over(world, node, told).await?;
    let old = match ahead {
        Some(ahead) => format!("{old}, whom it followed, was at {ahead}"),
        None => format!("{old}, whom it followed, cannot be asked"),
    };
    Ok(Evidence(format!("{node} says that it is a master, at offset {}; {old}; {followers}", after.offset())))
}

/// Has the master hand over to a replica that has everything, and tells every client.
pub async fn failover(world: &RealWorld, to: &str) -> Injected {
    let not = |why: String| NotInjected(format!("{to} did not take over: {why}"));
    let (old, new) = (world.master_of(to)?, world.node(to)?);
    let old_node = world.node(&old)?;
    if old == to {
        return Err(not("it is the master".into()));
    }
    let gate = world.gate(to);
    let (ip, port, timeout) = (gate.ip().to_string(), gate.port().to_string(), PATIENCE.as_millis().to_string());
    tell(old_node, "FAILOVER", &["TO", &ip, &port, "TIMEOUT", &timeout]).await.map_err(not)?;
    let late = || not(format!("ROLE did not say so within {} s", PATIENCE.as_secs()));
    let after = until(new, PATIENCE, Role::is_master).await.ok_or_else(late)?;
    let follows = |role: &Role| matches!(role, Role::Replica { master, connected: true, .. } if *master == gate);
    let behind = until(old_node, PATIENCE, follows).await.ok_or_else(late)?;
    let followers = hand_over(world, to, None).await?;
    Ok(Evidence(format!(
        "{to} says that it is a master, at offset {}; {old} follows it, at {}; {followers}",
        after.offset(),
        behind.offset()
    )))
}

/// The service means this node from now on: replicas that are alive follow it, and so does whoever is started again; these clients are told.
async fn hand_over(world: &RealWorld, master: &str, told: Option<&[String]>) -> Result<String, NotInjected> {
    let gate = world.gate(master);
    let (ip, port) = (gate.ip().to_string(), gate.port().to_string());
    let mut followers = vec![];
    let group = world.masters.group(master);
    for node in world.nodes.iter().filter(|node| group.contains(&node.name)) {
        node.follow((node.name != master).then_some(gate));
        let strays = |role: Role| matches!(role, Role::Replica { master, connected, .. } if master != gate || !connected);
        if node.name != master && role(node).await.is_some_and(strays) {
            tell(node, "REPLICAOF", &[&ip, &port]).await.map_err(NotInjected)?;
            followers.push(node);
        }
    }
    let mut said = vec![];
    for node in followers {
        let connected = |role: &Role| matches!(role, Role::Replica { connected: true, .. });
        said.push(match until(node, FOLLOWS_WITHIN, connected).await {
            Some(_) => format!("{} follows it", node.name),
            None => format!("{} is told to follow it, and has not reached it", node.name),
        });
    }
    world.masters.is_now(master);
    let clients: Vec<String> = world.clients.borrow().keys().cloned().collect();
    let is_told = |client: &String| client == PROBE || told.is_none_or(|told| told.contains(client));
    let led: Vec<String> = clients.into_iter().filter(is_told).collect();
    for client in &led {
        world
            .lead(client, master)
            .await
            .map_err(|error| NotInjected(format!("{client} could not be led to {master}: {error}")))?;
    }
    said.push(format!("told: {}", if told.is_none() { "everybody".into() } else { led.join(", ") }));
    Ok(said.join("; "))
}

/// Asks a node until its role is what it should be; none where that takes too long.
async fn until(node: &Node, patience: Duration, is: impl Fn(&Role) -> bool) -> Option<Role> {
    let begun = Instant::now();
    loop {
        match role(node).await {
            Some(role) if is(&role) => return Some(role),
            _ if begun.elapsed() > patience => return None,
            _ => tokio::time::sleep(LOOK_AGAIN).await,
        }
    }
}

async fn tell(node: &Node, command: &str, args: &[&str]) -> Result<(), String> {
    let told = async |connection: &mut _| -> RedisResult<Value> { redis::cmd(command).arg(args).query_async(connection).await };
    match node.with(told).await {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => Err(format!("{} was told {command}: {error}", node.name)),
        None => Err(format!("{} cannot be told {command}: it is dead or paused", node.name)),
    }
}

impl RealWorld {
    /// Who is the master of a node, as the service says.
    pub(super) fn master_of(&self, node: &str) -> Result<String, NotInjected> {
        self.masters.of(node).ok_or_else(|| NotInjected(format!("{node} has no master")))
    }

    /// Where everybody finds a node.
    pub(super) fn gate(&self, node: &str) -> SocketAddr {
        let index = self.nodes.iter().position(|known| known.name == node).unwrap_or_default();
        self.habitat.gate(index as u8)
    }

    /// Has the service mean this node for a client from now on.
    ///
    /// # Errors
    /// The client has no address, or the wire cannot listen there.
    pub(super) async fn lead(&self, client: &str, node: &str) -> Result<(), WorldError> {
        let place = self.masters.place(node).unwrap_or_default();
        let door = self.doors.borrow().get(client).and_then(|doors| doors.get(place).copied());
        let door = door.ok_or_else(|| sick("no address", format!("{client} was never started")))?;
        self.wire.lead(door, node).await.map_err(|error| sick("the wire cannot listen", error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_is_read() {
        let bulk = |text: &str| Value::BulkString(text.into());
        let master = Value::Array(vec![bulk("master"), Value::Int(42), Value::Array(vec![])]);
        assert_eq!(Role::from_reply(&master), Some(Role::Master { offset: 42 }));
        let replica = |state| Value::Array(vec![bulk("slave"), bulk("127.0.0.1"), Value::Int(7), bulk(state), Value::Int(-1)]);
        let follows = |connected| Role::Replica { master: "127.0.0.1:7".parse().unwrap(), connected, offset: 0 };
        assert_eq!(Role::from_reply(&replica("connect")), Some(follows(false)));
        assert_eq!(Role::from_reply(&replica("connected")), Some(follows(true)));
        assert_eq!(Role::from_reply(&Value::Array(vec![bulk("sentinel")])), None);
    }
}
