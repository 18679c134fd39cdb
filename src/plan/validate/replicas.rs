//! Replicas: how many there are, who asks for them, and who is promoted.

use super::{Invalid, Names, sides, strs, too_long};
use crate::lock::facts;
use crate::plan::{LockKind, Plan, Topology, TopologyKind};
use crate::suggest::{advice, one_of};
use nemesis::{Fault, Partition};

/// The locks that take their key by one SET on one node.
const SETTING: [LockKind; 6] = [
    LockKind::SetNxPx,
    LockKind::SetNxPxDel,
    LockKind::SetNxPxGetDel,
    LockKind::SetNxPxWatch,
    LockKind::SetNxPxDelex,
    LockKind::Fenced,
];

/// WAIT blocks its connection, and a client waits no longer than this for any reply.
const LONGEST_WAIT_MS: u64 = 4_000;

pub(super) fn check(plan: &Plan) -> Vec<Invalid> {
    let mut found = Vec::new();
    let topology = &plan.topology;
    if topology.kind != TopologyKind::Sentinel && topology.sentinels.is_some() {
        found.push(
            Invalid::key("topology.sentinels", "nobody watches the master here").help("say `kind = \"sentinel\"`, or remove it"),
        );
    }
    match topology.sentinels {
        Some(0) => {
            found.push(Invalid::value("topology.sentinels", "with no sentinel nobody is ever promoted").help("at least 1"))
        }
        Some(sentinels) if sentinels > Topology::MOST_SENTINELS => found.push(
            Invalid::value("topology.sentinels", format!("{sentinels} sentinels are more than one machine is asked to bear"))
                .help(format!("at most {}", Topology::MOST_SENTINELS)),
        ),
        _ => {}
    }
    if topology.kind == TopologyKind::Single || topology.kind == TopologyKind::Independent && topology.replicas.is_none() {
        let options =
            [("replicas", topology.replicas.is_some()), ("min_replicas_to_write", topology.min_replicas_to_write.is_some())];
        found.extend(options.into_iter().filter(|(_, said)| *said).map(|(option, _)| {
            Invalid::key(format!("topology.{option}"), "there are no replicas here")
                .help("say `kind = \"replicas\"`, or remove it")
        }));
        found.extend(plan.lock.wait.map(|_| {
            Invalid::key("lock.wait", "there are no replicas here that could acknowledge anything")
                .help("say `kind = \"replicas\"` under `[topology]`")
        }));
        return found;
    }
    if topology.nodes.is_some() && matches!(topology.kind, TopologyKind::Replicas | TopologyKind::Sentinel) {
        found.push(Invalid::key("topology.nodes", "a master with replicas counts these").help("say `replicas = 2`"));
    }
    match topology.replicas {
        Some(0) if topology.kind != TopologyKind::Cluster => found.push(
            Invalid::value("topology.replicas", "with no replica there is nothing to fail over to")
                .help("at least 1, or leave the topology away"),
        ),
        Some(replicas) if replicas > Topology::MOST_REPLICAS => found.push(
            Invalid::value("topology.replicas", format!("{replicas} replicas are more than one machine is asked to bear"))
                .help(format!("at most {}", Topology::MOST_REPLICAS)),
        ),
        _ => {}
    }
    if topology.kind == TopologyKind::Sentinel && plan.lock.waits.is_some() {
        found.push(
            Invalid::key("lock.waits", "a client hears what one node publishes, and sentinels may move the lock to another")
                .help("remove it, or take `kind = \"replicas\"` under `[topology]`"),
        );
    }
    if plan.lock.kind == LockKind::Redlock && topology.master_count() == 1 {
        found.push(
            Invalid::value("topology.kind", "`redlock` asks for masters that know nothing of each other")
                .help("say `kind = \"independent\"`"),
        );
    }
    let there = topology.replica_count();
    let too_many = |path: &str, asked: u32| {
        let sentence = match asked {
            0 => "no replica is asked for".into(),
            _ if asked > there => format!("{asked} replicas cannot acknowledge where there are {there}"),
            _ => return None,
        };
        Some(Invalid::value(path, sentence).help(format!("from 1 to {there}")))
    };
    found.extend(topology.min_replicas_to_write.and_then(|asked| too_many("topology.min_replicas_to_write", asked)));
    if let Some(wait) = plan.lock.wait {
        found.extend(too_many("lock.wait.replicas", wait.replicas));
        match wait.timeout_ms {
            0 => found.push(
                Invalid::value("lock.wait.timeout_ms", "a WAIT of 0 ms waits for ever")
                    .help(format!("from 1 to {LONGEST_WAIT_MS}")),
            ),
            1..=LONGEST_WAIT_MS => {}
            _ => found.push(
                Invalid::value("lock.wait.timeout_ms", "a client waits no longer than 5 s for any reply")
                    .help(format!("from 1 to {LONGEST_WAIT_MS}")),
            ),
        }
        found.extend(too_long("lock.wait.timeout_ms", wait.timeout_ms));
        if !SETTING.contains(&plan.lock.kind) {
            let name = facts::of(plan.lock.kind).name;
            found.push(Invalid::key("lock.wait", format!("`{name}` is not taken by one SET on one node")).help("remove it"));
        }
    }
    found
}

/// What is wrong with a fault that is about replicas.
pub(super) fn fault(path: &str, fault: &Fault, plan: &Plan, names: &Names) -> Vec<Invalid> {
    let mut found = Vec::new();
    match fault {
        Fault::Promote { node, told } => {
            found.extend(replica(&format!("{path}.promote.node"), node, plan, names));
            if plan.topology.kind == TopologyKind::Cluster && told.is_some() {
                let invalid = Invalid::key(
                    format!("{path}.promote.told"),
                    "a cluster tells clients by itself, whoever asks the wrong node",
                );
                found.push(invalid.help("remove it"));
            }
            for (i, client) in told.iter().flatten().enumerate() {
                found.extend(super::trigger::client(names, &format!("{path}.promote.told[{i}]"), client));
            }
        }
        Fault::Failover { to } => found.extend(replica(&format!("{path}.failover.to"), to, plan, names)),
        Fault::FreezeReplication { node } => {
            found.extend(replica(&format!("{path}.freeze-replication.node"), node, plan, names));
        }
        Fault::Partition(Partition { from, to, .. }) => {
            found.extend(sides::check(&format!("{path}.partition"), from, to, names, "cannot be cut off from itself"));
        }
        _ => {}
    }
    found
}

/// A node that is, or may become, a replica.
fn replica(path: &str, node: &String, plan: &Plan, names: &Names) -> Option<Invalid> {
    if plan.topology.kind == TopologyKind::Sentinel && !path.ends_with("freeze-replication.node") {
        let invalid = Invalid::value(path, "sentinels promote a replica by themselves, and would undo this");
        return Some(invalid.help("kill, pause or cut off the master, or take `kind = \"replicas\"`"));
    }
    if plan.topology.replica_count() == 0 {
        let invalid = Invalid::value(path, "no node has a replica here");
        return Some(invalid.help("give it some: `topology = { kind = \"replicas\", replicas = 2 }`"));
    }
    let replicas = &names.nodes[plan.topology.master_count() as usize..];
    if names.clients.contains(node) {
        return Some(Invalid::value(path, format!("`{node}` is a client, not a replica")));
    }
    if !names.nodes.contains(node) {
        return Some(Invalid::value(path, format!("there is no replica `{node}`")).help(advice(node, strs(replicas))));
    }
    // What was the master at first is a replica only once another was promoted, which a cluster does by itself.
    let changes = plan.steps.iter().filter(|step| matches!(step.fault, Fault::Promote { .. } | Fault::Failover { .. })).count();
    let fixed = changes < 2 && (plan.topology.kind != TopologyKind::Cluster || plan.steps.len() < 2);
    (plan.topology.masters().contains(node) && fixed).then(|| {
        let which = if plan.topology.master_count() == 1 { "the master" } else { "a master" };
        Invalid::value(path, format!("`{node}` is {which}")).help(one_of(strs(replicas)))
    })
}
