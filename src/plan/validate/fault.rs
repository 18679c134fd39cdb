//! What the nemesis does, and to whom.

use super::{Invalid, Names, replicas, strs, toxic, wire};
use crate::plan::{Persistence, Plan};
use crate::suggest::advice;
use crate::world::PROBE;
use nemesis::{Data, Fault};

/// The name of the resource's own node.
const STORE: &str = "store";

/// Ten years in milliseconds, the farthest that a clock may jump.
const FARTHEST_MS: u64 = 10 * 365 * 24 * 60 * 60 * 1000;

/// How many times as fast, or as slow, a drifting clock may go.
const FASTEST: f64 = 1000.0;

/// For how long an event loop can be blocked.
const BLOCKED_MS: std::ops::RangeInclusive<u64> = 200..=4_000;

/// The least drift that is seen to work within the patience of a hand.
const LEAST_DRIFT: f64 = 0.001;

pub(super) fn check(plan: &Plan, names: &Names) -> Vec<Invalid> {
    let mut found = Vec::new();
    for (i, step) in plan.steps.iter().enumerate() {
        let path = format!("step[{i}]");
        if step.name.trim().is_empty() {
            found.push(Invalid::value(format!("{path}.name"), "a step needs a name, by which the report speaks of it"));
        } else if plan.steps[..i].iter().any(|other| other.name == step.name) {
            found.push(Invalid::value(format!("{path}.name"), format!("two steps are named `{}`", step.name)));
        }
        if step.until.is_some() && !step.fault.lasts() {
            found.push(
                Invalid::key(format!("{path}.until"), format!("a `{}` is over as soon as it is done", step.fault.kind()))
                    .help("remove it"),
            );
        }
        found.extend(target(&format!("{path}.fault"), &step.fault, names));
        if let Fault::Wire(fault) = &step.fault {
            found.extend(wire::check(&format!("{path}.fault.wire"), fault, names));
        }
        if let Fault::Toxic(fault) = &step.fault {
            found.extend(toxic::check(&format!("{path}.fault.toxic"), fault, names));
        }
        found.extend(replicas::fault(&format!("{path}.fault"), &step.fault, plan, names));
        found.extend(impossible(&format!("{path}.fault"), &step.fault, plan, names));
    }
    found
}

/// What no fault of the kind can be, whoever it hits.
fn impossible(path: &str, fault: &Fault, plan: &Plan, names: &Names) -> Option<Invalid> {
    match fault {
        Fault::Clock { jump_ms, .. } => {
            let invalid = |sentence| Some(Invalid::value(format!("{path}.clock.jump_ms"), sentence));
            match jump_ms.unsigned_abs() {
                0 => invalid("a jump of 0 ms does nothing"),
                1..=FARTHEST_MS => None,
                _ => invalid("a clock cannot jump by more than ten years").map(|it| it.help(format!("at most {FARTHEST_MS}"))),
            }
        }
        Fault::Drift { rate, .. } => {
            let sentence = match *rate {
                1.0 => "a clock that goes as fast as true time does not drift",
                rate if rate.is_nan() || rate <= 0.0 => "a clock that stands still or goes backwards does not drift",
                rate if !(1.0 / FASTEST..=FASTEST).contains(&rate) => "no clock drifts so much",
                rate if (rate - 1.0).abs() < LEAST_DRIFT => "so small a drift cannot be told from true time in a run",
                _ => return None,
            };
            let help = format!("from {} to {FASTEST}, and at least {LEAST_DRIFT} away from 1", 1.0 / FASTEST);
            Some(Invalid::value(format!("{path}.drift.rate"), sentence).help(help))
        }
        Fault::Power { node }
            if matches!(plan.topology.persistence_of(node), Persistence::None | Persistence::Rdb)
                && names.nodes.contains(node) =>
        {
            let writes = if plan.topology.persistence_of(node) == Persistence::Rdb { "only snapshots" } else { "nothing" };
            let sentence = format!("`{node}` writes {writes} to its disk, so a loss of power takes no more than a kill");
            let help = "use `kill`, or set `persistence` under `[topology]` to `aof-everysec` or `aof-always`";
            Some(Invalid::value(format!("{path}.power.node"), sentence).help(help))
        }
        Fault::Block { for_ms, .. } if !BLOCKED_MS.contains(for_ms) => {
            let sentence = match *for_ms {
                ms if ms < *BLOCKED_MS.start() => "so short a block cannot be told from a busy machine",
                _ => "longer than a client waits for its reply there is only silence: use `pause`",
            };
            let help = format!("from {} to {}", BLOCKED_MS.start(), BLOCKED_MS.end());
            Some(Invalid::value(format!("{path}.block.for_ms"), sentence).help(help))
        }
        Fault::Kill { node, data: Data::Kept } | Fault::Restart { node, data: Data::Kept, .. }
            if plan.topology.persistence_of(node) == Persistence::None && names.nodes.contains(node) =>
        {
            let sentence = format!("`{node}` writes nothing to its disk, so there is nothing that it could keep");
            let help = "say `data = \"lost\"`, or set `persistence` under `[topology]` to `rdb`, `aof-everysec` or `aof-always`";
            Some(Invalid::value(format!("{path}.{}.data", fault.kind()), sentence).help(help))
        }
        _ => None,
    }
}

fn target(path: &str, fault: &Fault, names: &Names) -> Option<Invalid> {
    let both: Vec<String> = names.clients.iter().chain(&names.nodes).cloned().collect();
    let everybody: Vec<String> = both.iter().chain(&names.sentinels).cloned().collect();
    let servers: Vec<String> = names.nodes.iter().chain(&names.sentinels).cloned().collect();
    let (path, target, possible, what) = match fault {
        Fault::Pause(member) => (format!("{path}.pause"), member, &everybody, "client or node"),
        Fault::Crash(member) => (format!("{path}.crash"), member, &names.clients, "client"),
        Fault::Kill { node, .. } => (format!("{path}.kill.node"), node, &servers, "node"),
        Fault::Restart { node, .. } => (format!("{path}.restart.node"), node, &names.nodes, "node"),
        Fault::Clock { of, .. } => (format!("{path}.clock.of"), of, &both, "client or node"),
        Fault::Drift { of, .. } => (format!("{path}.drift.of"), of, &both, "client or node"),
        Fault::Power { node } => (format!("{path}.power.node"), node, &names.nodes, "node"),
        Fault::Evict { node } => (format!("{path}.evict.node"), node, &names.nodes, "node"),
        Fault::ScriptFlush { node } => (format!("{path}.script-flush.node"), node, &names.nodes, "node"),
        Fault::Block { node, .. } => (format!("{path}.block.node"), node, &names.nodes, "node"),
        Fault::Reset(member) => (format!("{path}.reset"), member, &both, "client or node"),
        Fault::Wire(_)
        | Fault::Partition(_)
        | Fault::Toxic(_)
        | Fault::FreezeReplication { .. }
        | Fault::Promote { .. }
        | Fault::Failover { .. } => return None,
    };
    if possible.contains(target) {
        return None;
    }
    let invalid = |sentence: String| Invalid::value(path.clone(), sentence);
    Some(match target.as_str() {
        STORE => invalid("no fault may hit `store`: it is the resource's own, and what is written there is the evidence".into())
            .help(advice(target, strs(possible))),
        PROBE => {
            invalid("no fault may hit `probe`: it looks whether the world is healthy".into()).help(advice(target, strs(possible)))
        }
        _ if names.nodes.contains(target) => {
            invalid(format!("`{target}` is a node, and only a client can crash")).help("use `kill`")
        }
        _ if names.clients.contains(target) => match fault {
            Fault::Evict { .. } | Fault::ScriptFlush { .. } | Fault::Block { .. } => {
                invalid(format!("`{target}` is a client, and this is done to a node")).help(advice(target, strs(possible)))
            }
            _ => invalid(format!("`{target}` is a client, and only a node can be started again")).help("use `crash`"),
        },
        _ => invalid(format!("there is no {what} `{target}`")).help(advice(target, strs(possible))),
    })
}
