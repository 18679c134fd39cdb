//! The options of a quorum lock, which no other lock has.

use super::{Invalid, too_long};
use crate::plan::{Deadline, LockKind, Plan, TopologyKind};

pub(super) fn check(plan: &Plan) -> Vec<Invalid> {
    let lock = &plan.lock;
    if lock.kind != LockKind::Redlock {
        return foreign(plan);
    }
    let mut found = Vec::new();
    let nodes = plan.topology.master_count() as usize;
    match lock.quorum {
        Some(0) => {
            found.push(Invalid::value("lock.quorum", "a quorum of 0 nodes grants the lock to everybody").help("at least 1"))
        }
        Some(quorum) if quorum as usize > nodes && nodes > 0 => {
            let there = if nodes == 1 { "is 1 node".into() } else { format!("are {nodes} nodes") };
            let help = match plan.topology.kind {
                TopologyKind::Single => "give it more: `kind = \"independent\"` under `[topology]`".into(),
                TopologyKind::Independent | TopologyKind::Replicas | TopologyKind::Sentinel | TopologyKind::Cluster => {
                    format!("at most {nodes}")
                }
            };
            found
                .push(Invalid::value("lock.quorum", format!("no grant can be on {quorum} nodes where there {there}")).help(help));
        }
        _ => {}
    }
    match lock.node_timeout_ms {
        Some(0) => {
            found.push(Invalid::value("lock.node_timeout_ms", "no node answers within 0 ms").help("at least 1"));
        }
        Some(timeout) => found.extend(too_long("lock.node_timeout_ms", timeout)),
        None => {}
    }
    if lock.deadline == Deadline::Checked {
        found.push(
            Invalid::key("lock.deadline", "`redlock` measures its grants by a rule of its own")
                .help("say `elapsed = \"monotonic\"`, \"wall\" or \"unchecked\""),
        );
    }
    found
}

/// Options that this lock does not have.
fn foreign(plan: &Plan) -> Vec<Invalid> {
    let lock = &plan.lock;
    let options = [
        ("quorum", lock.quorum.is_some()),
        ("node_timeout_ms", lock.node_timeout_ms.is_some()),
        ("elapsed", lock.elapsed.is_some()),
        ("on_failure", lock.on_failure.is_some()),
        ("on_error", lock.on_error.is_some()),
    ];
    let said = options.into_iter().filter(|(_, said)| *said);
    said.map(|(option, _)| {
        Invalid::key(format!("lock.{option}"), format!("only `redlock` has an option `{option}`")).help("remove it")
    })
    .collect()
}
