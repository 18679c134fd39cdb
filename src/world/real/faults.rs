//! Faults, injected into processes and seen to have worked.

use super::RealWorld;
use super::client::Client;
use super::clock::{self, Toward};
use super::cluster::Takeover;
use super::node::Node;
use super::power::{self, Cut};
use super::preload::Leash;
use super::pressure;
use super::replicas;
use super::toxiproxy::Poison;
use crate::plan::TopologyKind;
use nemesis::hand::signal;
use nemesis::{Data, Evidence, Fault, NotInjected, Stop};
use rustix::process::Pid;

/// What comes of an injection.
pub type Injected = Result<Evidence, NotInjected>;

pub async fn inject(world: &RealWorld, fault: &Fault) -> Injected {
    match fault {
        Fault::Pause(member) => match world.member(member)? {
            Member::Client(client) => {
                let evidence = signal::pause(client.pid().ok_or_else(|| dead(member))?).await?;
                client.is_paused(true);
                Ok(evidence)
            }
            Member::Node(node) => {
                let pid = node.pid().ok_or_else(|| dead(member))?;
                // Before it stands still, so that nobody begins to ask it.
                node.is_paused(true);
                signal::pause(pid).await.inspect_err(|_| node.is_paused(false))
            }
        },
        Fault::Crash(member) => match world.member(member)? {
            Member::Client(client) => crash(world, &client).await,
            Member::Node(_) => Err(NotInjected(format!("{member} is a node: kill it, it can be started again"))),
        },
        Fault::Kill { node, .. } => kill(world, world.node(node)?).await,
        Fault::Restart { node, data, stop } => {
            let node = world.node(node)?;
            let Evidence(ended) = end(world, node, *stop).await?;
            let Evidence(started) = start(world, node, *data).await?;
            Ok(Evidence(if *stop == Stop::Clean { format!("{ended}; {started}") } else { started }))
        }
        Fault::Clock { .. } | Fault::Drift { .. } => clock::bend(world, fault, Toward::Fault).await,
        Fault::Power { node } => lose_power(world, world.node(node)?).await,
        Fault::Evict { node } => pressure::evict(world, world.node(node)?).await,
        Fault::ScriptFlush { node } => pressure::flush_scripts(world.node(node)?).await,
        Fault::Block { node, for_ms } => pressure::block(world, world.node(node)?, *for_ms).await,
        Fault::Reset(member) => {
            world.member(member)?;
            match world.wire.reset(member).await {
                0 => Err(NotInjected(format!("{member} has no connection that could be reset"))),
                count => Ok(Evidence(format!("{count} connections of {member} were reset and are closed"))),
            }
        }
        Fault::Wire(fault) => Ok(world.wire_faults.begin(fault, |rule| world.wire.rule(rule))),
        Fault::Partition(partition) => Ok(world.severed.part(partition, |from, to, how| world.wire.sever(from, to, how))),
        Fault::Toxic(toxic) => poison(world)?.begin(toxic, &world.wire).await,
        Fault::FreezeReplication { node } => {
            world.node(node)?.pid().ok_or_else(|| dead(node))?;
            let master = match world.plan.topology.kind {
                TopologyKind::Cluster => world.cluster_master_of(node).await,
                _ => super::sentinel::master(world).await,
            };
            let master = master.or_else(|| world.masters.of(node)).ok_or_else(|| NotInjected(format!("{node} has no master")))?;
            Ok(world.severed.freeze(fault, &master, node, |from, to, how| world.wire.sever(from, to, how)))
        }
        Fault::Promote { node, .. } if world.plan.topology.kind == TopologyKind::Cluster => {
            world.cluster_failover(node, Takeover::Alone).await
        }
        Fault::Failover { to } if world.plan.topology.kind == TopologyKind::Cluster => {
            world.cluster_failover(to, Takeover::Agreed).await
        }
        Fault::Promote { node, told } => replicas::promote(world, node, told.as_deref()).await,
        Fault::Failover { to } => replicas::failover(world, to).await,
    }
}

pub async fn heal(world: &RealWorld, fault: &Fault) -> Injected {
    match fault {
        Fault::Pause(member) => match world.member(member)? {
            Member::Client(client) => {
                let evidence = signal::resume(client.pid().ok_or_else(|| dead(member))?).await?;
                client.is_paused(false);
                Ok(evidence)
            }
            Member::Node(node) => {
                let evidence = signal::resume(node.pid().ok_or_else(|| dead(member))?).await?;
                node.is_paused(false);
                Ok(evidence)
            }
        },
        Fault::Kill { node, data } => start(world, world.node(node)?, *data).await,
        Fault::Clock { .. } | Fault::Drift { .. } => clock::bend(world, fault, Toward::Truth).await,
        Fault::Power { node } => start(world, world.node(node)?, Data::Kept).await,
        Fault::Wire(fault) => {
            let (rules, ended) = world.wire_faults.end(fault, |rule| world.wire.hits(rule));
            for rule in rules {
                world.wire.lift(rule).await;
            }
            ended
        }
        Fault::Partition(_) | Fault::FreezeReplication { .. } => {
            let (links, ended) = world.severed.end(fault, |link| world.wire.toll(link));
            for link in links {
                world.wire.mend(link).await;
            }
            ended
        }
        Fault::Toxic(toxic) => poison(world)?.end(toxic, &world.wire).await,
        Fault::Block { node, .. } => pressure::unblocked(world.node(node)?).await,
        Fault::Crash(_)
        | Fault::Restart { .. }
        | Fault::Evict { .. }
        | Fault::ScriptFlush { .. }
        | Fault::Reset(_)
        | Fault::Promote { .. }
        | Fault::Failover { .. } => Err(NotInjected(format!("a {} is over at once: nothing to end", fault.kind()))),
    }
}

/// Who is hit.
pub enum Member<'a> {
    Client(std::rc::Rc<Client>),
    Node(&'a Node),
}

impl Member<'_> {
    /// What it is held by.
    pub fn leash(&self) -> &Leash {
        match self {
            Member::Client(client) => &client.leash,
            Member::Node(node) => &node.leash,
        }
    }

    /// Its process id; none when it is dead.
    pub fn pid(&self) -> Option<Pid> {
        match self {
            Member::Client(client) => client.pid(),
            Member::Node(node) => node.pid(),
        }
    }
}

fn poison(world: &RealWorld) -> Result<&Poison, NotInjected> {
    world.poison.as_ref().ok_or_else(|| NotInjected("there is no Toxiproxy: no step of the plan asked for it".into()))
}

/// Nothing can be done to the dead.
pub fn dead(member: &str) -> NotInjected {
    NotInjected(format!("{member} is dead"))
}

async fn crash(world: &RealWorld, client: &Client) -> Injected {
    let pid = client.pid().ok_or_else(|| dead(client.name()))?;
    let ended = client.kill().map_err(|error| NotInjected(format!("{} could not be killed: {error}", client.name())))?;
    world.wire.bury(client.name()).await;
    Ok(Evidence(format!("process {pid} ended ({ended}) and its connections are closed")))
}

async fn kill(world: &RealWorld, node: &Node) -> Injected {
    end(world, node, Stop::Kill).await
}

/// Has a node end so.
async fn end(world: &RealWorld, node: &Node, stop: Stop) -> Injected {
    let before = node.keys().await;
    let pid = node.pid().ok_or_else(|| dead(&node.name))?;
    let ended = match stop {
        Stop::Kill => node.kill(),
        Stop::Clean => node.stop().await,
    };
    let ended = match ended {
        Some(Ok(ended)) => ended,
        Some(Err(error)) => return Err(NotInjected(format!("{} could not be killed: {error}", node.name))),
        None => return Err(dead(&node.name)),
    };
    world.keys_before.borrow_mut().insert(node.name.clone(), before);
    world.wire.shut(&node.name).await;
    Ok(Evidence(format!("process {pid} ended ({ended}) with {}, and {} refuses connections", keys(before), node.name)))
}

async fn lose_power(world: &RealWorld, node: &Node) -> Injected {
    // Only while it lives can be seen whether the library is in it that knows what it synced.
    node.leash.reaches(node.pid().ok_or_else(|| dead(&node.name))?)?;
    let Evidence(killed) = kill(world, node).await?;
    let Cut { kept, lost } = power::cut(node)?;
    Ok(Evidence(format!("{killed}; of {} bytes that it had written {lost} were not synced and were cut off", kept + lost)))
}

async fn start(world: &RealWorld, node: &Node, data: Data) -> Injected {
    let not = |why: String| NotInjected(format!("{} was not started again: {why}", node.name));
    if node.pid().is_some() {
        return Err(not("it lives".into()));
    }
    node.disk(data).map_err(|error| not(format!("its folder could not be emptied: {error}")))?;
    node.start().await.map_err(|error| not(error.to_string()))?;
    if node.is_sentinel() {
        super::sentinel::hurry(node).await.map_err(not)?;
    }
    let after = node.keys().await;
    world.wire.open(&node.name).await.map_err(|error| not(format!("the wire cannot listen for it: {error}")))?;
    let before = world.keys_before.borrow_mut().remove(&node.name).flatten();
    match (data, after) {
        (Data::Lost, Some(1..)) if !node.follows() => {
            Err(NotInjected(format!("{} was to lose its data and has {}", node.name, keys(after))))
        }
        _ if node.is_sentinel() => Ok(Evidence(format!("{} answered PING again", node.name))),
        (_, None) => Err(not("it cannot be asked what it has".into())),
        _ => Ok(Evidence(format!("{} answered PING again; {} before, {} after", node.name, keys(before), number(after)))),
    }
}

fn keys(count: Option<u64>) -> String {
    format!("{} {}", number(count), if count == Some(1) { "key" } else { "keys" })
}

fn number(count: Option<u64>) -> String {
    count.map_or("an unknown number of".into(), |count| count.to_string())
}
