//! What the nemesis does, and to whom.

use super::{Invalid, Names, strs, wire};
use crate::plan::Plan;
use crate::suggest::advice;
use crate::world::PROBE;
use nemesis::Fault;

/// The name of the resource's own node.
const STORE: &str = "store";

/// Ten years in milliseconds, the farthest that a clock may jump.
const FARTHEST_MS: u64 = 10 * 365 * 24 * 60 * 60 * 1000;

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
        if let Fault::Clock { jump_ms, .. } = &step.fault {
            let jump = format!("{path}.fault.clock.jump_ms");
            if *jump_ms == 0 {
                found.push(Invalid::value(jump, "a jump of 0 ms does nothing"));
            } else if jump_ms.unsigned_abs() > FARTHEST_MS {
                found.push(
                    Invalid::value(jump, "a clock cannot jump by more than ten years").help(format!("at most {FARTHEST_MS}")),
                );
            }
        }
    }
    found
}

fn target(path: &str, fault: &Fault, names: &Names) -> Option<Invalid> {
    let both: Vec<String> = names.clients.iter().chain(&names.nodes).cloned().collect();
    let (path, target, possible, what) = match fault {
        Fault::Pause(member) => (format!("{path}.pause"), member, &both, "client or node"),
        Fault::Crash(member) => (format!("{path}.crash"), member, &names.clients, "client"),
        Fault::Kill { node, .. } => (format!("{path}.kill.node"), node, &names.nodes, "node"),
        Fault::Restart { node, .. } => (format!("{path}.restart.node"), node, &names.nodes, "node"),
        Fault::Clock { of, .. } => (format!("{path}.clock.of"), of, &both, "client or node"),
        Fault::Wire(_) => return None,
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
        _ if names.clients.contains(target) => {
            invalid(format!("`{target}` is a client, and only a node can be started again")).help("use `crash`")
        }
        _ => invalid(format!("there is no {what} `{target}`")).help(advice(target, strs(possible))),
    })
}
