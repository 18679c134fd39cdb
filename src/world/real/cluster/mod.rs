//! Redis Cluster on real nodes: how one is formed, who serves what by its own word, and who is promoted.
//!
//! The nodes meet at the wire's gates, and so do their buses: the wire sees every link, and a partition cuts the bus with the rest. Each node has a config
//! epoch of its own from the begin, as `redis-cli --cluster create` gives it.

mod line;

use super::faults::{Injected, dead};
use super::node::Node;
use super::replicas::{Role, role};
use super::{RealWorld, sick};
use crate::slot;
use crate::world::WorldError;
use crate::world::look::{Look, look};
use line::Line;
use nemesis::{Evidence, NotInjected};
use redis::{RedisResult, Value};
use std::net::SocketAddr;
use std::path::Path;
use std::time::{Duration, Instant};

/// When a node takes another for dead, in milliseconds (`cluster-node-timeout`).
const NODE_TIMEOUT_MS: u64 = 1000;
/// How long the nodes may take to be one cluster, and one of them to be promoted.
const PATIENCE: Duration = Duration::from_secs(15);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// How far the port of a node's bus is from its own.
pub const BUS: u16 = 10_000;

/// Where a node's bus is.
pub fn bus(node: SocketAddr) -> SocketAddr {
    SocketAddr::new(node.ip(), node.port() + BUS)
}

/// What a node is started with that listens at `node` and that everybody finds at `gate`, and that keeps what it knows of the cluster in a file. It is not its data: it outlives
/// their loss.
pub fn options(node: SocketAddr, gate: SocketAddr, known: &Path, min_replicas: Option<u32>) -> Vec<String> {
    let mut options = vec!["--cluster-enabled".into(), "yes".into(), "--cluster-config-file".into()];
    options.push(known.to_string_lossy().into_owned());
    let more = format!(
        "--cluster-port {} --cluster-node-timeout {NODE_TIMEOUT_MS} --cluster-replica-validity-factor 0 --cluster-migration-barrier 99 \
         --cluster-announce-ip {} --cluster-announce-port {} --cluster-announce-bus-port {} \
         --repl-diskless-sync no --min-replicas-to-write {} --min-replicas-max-lag 1",
        bus(node).port(),
        gate.ip(),
        gate.port(),
        bus(gate).port(),
        min_replicas.unwrap_or(0)
    );
    options.extend(more.split(' ').map(str::to_owned));
    options
}

/// What a node knows of its cluster; none where it cannot be asked.
async fn view(node: &Node) -> Option<Vec<Line>> {
    let text: String = cluster(node, &["NODES"]).await?.ok()?;
    text.lines().map(Line::read).collect()
}

/// Asks a node a CLUSTER command; none where it cannot be asked.
async fn cluster<T: redis::FromRedisValue>(node: &Node, args: &[&str]) -> Option<RedisResult<T>> {
    node.with(async |connection: &mut _| redis::cmd("CLUSTER").arg(args).query_async(connection).await).await
}

/// A field of what CLUSTER INFO says.
fn field<'a>(info: &'a str, name: &str) -> Option<&'a str> {
    info.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
}

async fn tell(node: &Node, args: &[&str]) -> Result<(), String> {
    match cluster::<Value>(node, args).await {
        Some(Ok(_)) => Ok(()),
        Some(Err(error)) => Err(format!("{} was told CLUSTER {}: {error}", node.name, args.join(" "))),
        None => Err(format!("{} cannot be told CLUSTER {}: it is dead or paused", node.name, args.join(" "))),
    }
}

impl RealWorld {
    /// Makes the nodes, which know nothing of each other, one cluster.
    ///
    /// # Errors
    /// One of them refuses, or they do not get there.
    pub(super) async fn form_cluster(&self) -> Result<(), WorldError> {
        self.form().await.map_err(|why| sick("the cluster cannot be formed", why))
    }

    async fn form(&self) -> Result<(), String> {
        let masters = self.plan.topology.master_count() as usize;
        for ((index, node), epoch) in self.nodes.iter().enumerate().zip(1..) {
            if let Some((first, last)) = slot::shares(masters).get(index) {
                tell(node, &["ADDSLOTSRANGE", &first.to_string(), &last.to_string()]).await?;
            }
            let epoch: u64 = epoch;
            tell(node, &["SET-CONFIG-EPOCH", &epoch.to_string()]).await?;
        }
        let [first, others @ ..] = self.nodes.as_slice() else { return Ok(()) };
        for node in others {
            let gate = self.gate(&node.name);
            let (ip, port, bus) = (gate.ip().to_string(), gate.port().to_string(), bus(gate).port().to_string());
            tell(first, &["MEET", &ip, &port, &bus]).await?;
        }
        let known = |view: &[Line]| view.len() == self.nodes.len() && !view.iter().any(|line| line.is("handshake"));
        self.until_all_see(known).await.map_err(|who| format!("{who} does not know all others"))?;
        for shard in self.plan.topology.shards() {
            let [master, replicas @ ..] = shard.as_slice() else { continue };
            let id: String = match cluster(self.member_node(master)?, &["MYID"]).await {
                Some(Ok(id)) => id,
                other => return Err(format!("{master} was asked who it is, and said {other:?}")),
            };
            for replica in replicas {
                tell(self.member_node(replica)?, &["REPLICATE", &id]).await?;
            }
        }
        Ok(())
    }

    fn member_node(&self, name: &str) -> Result<&Node, String> {
        self.node(name).map_err(|error| error.to_string())
    }

    /// Waits until every node sees the cluster so; who does not.
    async fn until_all_see(&self, sees: impl Fn(&[Line]) -> bool) -> Result<(), String> {
        let begun = Instant::now();
        for node in &self.nodes {
            while !view(node).await.is_some_and(|view| sees(&view)) {
                if begun.elapsed() > PATIENCE {
                    return Err(node.name.clone());
                }
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
        Ok(())
    }

    /// Whether every node that can be asked takes the cluster for healthy.
    pub(super) async fn cluster_is_well(&self) -> bool {
        for node in &self.nodes {
            if matches!(cluster::<String>(node, &["INFO"]).await, Some(Ok(info)) if field(&info, "cluster_state") != Some("ok")) {
                return false;
            }
        }
        true
    }

    /// Sees that every node takes the cluster for healthy, that all agree on the epoch, and that every replica has what its master writes.
    ///
    /// # Errors
    /// In words, who does not.
    pub(super) async fn cluster_health(&self) -> Result<(), String> {
        let begun = Instant::now();
        let mut agreed = None;
        for node in &self.nodes {
            loop {
                let info = match cluster::<String>(node, &["INFO"]).await {
                    Some(Ok(info)) => info,
                    other => return Err(format!("{} was asked for CLUSTER INFO: {other:?}", node.name)),
                };
                let epoch = field(&info, "cluster_current_epoch").map(str::to_owned);
                if field(&info, "cluster_state") == Some("ok") && agreed.as_ref().is_none_or(|agreed| *agreed == epoch) {
                    agreed = Some(epoch);
                    break;
                }
                if begun.elapsed() > PATIENCE {
                    return Err(format!("{} says of the cluster: {}", node.name, info.replace("\r\n", " ")));
                }
                tokio::time::sleep(LOOK_AGAIN).await;
            }
        }
        let replicas = self.plan.topology.replica_count();
        for master in self.plan.topology.masters() {
            let master = self.member_node(&master)?;
            let slots = view(master).await.and_then(|view| view.into_iter().find(|line| line.is("myself")));
            let mark = slots.and_then(|line| line.mark()).ok_or_else(|| format!("{} serves no slot", master.name))?;
            super::replicas::replicated(master, &mark, replicas).await?;
        }
        Ok(())
    }

    /// What the masters of a lock's slots hold of it.
    pub(super) async fn look_in_cluster(&self, lock: &str) -> Option<Look> {
        let mut seen = vec![];
        for key in self.plan.keys_in_cluster(lock) {
            seen.push(match self.cluster_owner(&key).await {
                Some(owner) => super::look::keys(owner, &key, &self.plan.lock).await,
                None => None,
            });
        }
        look(seen, self.plan.quorum())
    }

    /// The node that serves the slot of a key, by the word of the one that was made its master last, as far as any node that can be asked knows.
    async fn cluster_owner(&self, key: &str) -> Option<&Node> {
        let slot = slot::of(key.as_bytes());
        let mut newest: Option<Line> = None;
        for node in &self.nodes {
            let lines = view(node).await.unwrap_or_default();
            for line in lines.into_iter().filter(|line| line.serves(slot)) {
                if newest.as_ref().is_none_or(|newest| newest.epoch < line.epoch) {
                    newest = Some(line);
                }
            }
        }
        let at = newest?.at;
        self.nodes.iter().find(|node| self.gate(&node.name) == at)
    }

    /// The master that a replica follows, by its own word.
    pub(super) async fn cluster_master_of(&self, replica: &str) -> Option<String> {
        let view = view(self.node(replica).ok()?).await?;
        let master = view.iter().find(|line| line.is("myself"))?.master.clone()?;
        let at = view.iter().find(|line| line.id == master)?.at;
        self.nodes.iter().find(|node| self.gate(&node.name) == at).map(|node| node.name.clone())
    }

    /// Has a replica take over the slots of its master: without asking anybody (TAKEOVER), or once it has all that the master has.
    pub(super) async fn cluster_failover(&self, to: &str, how: Takeover) -> Injected {
        let not = |why: String| NotInjected(format!("{to} did not take over: {why}"));
        let new = self.node(to)?;
        match role(new).await {
            None => return Err(dead(to)),
            Some(Role::Master { .. }) => return Err(not("it is a master already".into())),
            Some(Role::Replica { .. }) => {}
        }
        let old = self.cluster_master_of(to).await.unwrap_or_else(|| "its master".into());
        let args: &[&str] = match how {
            Takeover::Alone => &["FAILOVER", "TAKEOVER"],
            Takeover::Agreed => &["FAILOVER"],
        };
        tell(new, args).await.map_err(not)?;
        let begun = Instant::now();
        loop {
            match role(new).await {
                Some(Role::Master { offset }) => {
                    return Ok(Evidence(format!("{to} says that it is a master, at offset {offset}, in place of {old}")));
                }
                _ if begun.elapsed() > PATIENCE => {
                    return Err(not(format!("ROLE did not say so within {} s", PATIENCE.as_secs())));
                }
                _ => tokio::time::sleep(LOOK_AGAIN).await,
            }
        }
    }
}

/// How a replica takes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takeover {
    /// Whatever the others think of it.
    Alone,
    /// Its master hands over, and the other masters agree.
    Agreed,
}
