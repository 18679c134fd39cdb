//! The events that steps and clients wait for.

use super::{Invalid, Names, extension, strs};
use crate::plan::{Persistence, Plan};
use crate::suggest::{advice, one_of};
use checker::history::{OpKind, Outcome};
use nemesis::{Fault, OpPattern, StepMoment, StepPattern, Trigger};

pub(super) fn check(plan: &Plan, names: &Names) -> Vec<Invalid> {
    let mut found = Vec::new();
    for (i, client) in plan.clients.iter().enumerate() {
        let own = [
            ("starts", &client.starts),
            ("extends", &client.extends),
            ("writes", &client.writes),
            ("releases", &client.releases),
        ];
        for (key, trigger) in own {
            if let Some(trigger) = trigger {
                found.extend(one(plan, names, &format!("client[{i}].{key}"), trigger));
            }
        }
    }
    for (i, step) in plan.steps.iter().enumerate() {
        found.extend(one(plan, names, &format!("step[{i}].when"), &step.when));
        if let Some(until) = &step.until {
            found.extend(one(plan, names, &format!("step[{i}].until"), until));
        }
    }
    found
}

fn one(plan: &Plan, names: &Names, path: &str, trigger: &Trigger) -> Vec<Invalid> {
    let mut found = Vec::new();
    match trigger {
        Trigger::Invoked(pattern) => {
            let path = format!("{path}.invoked");
            if pattern.outcome.is_some() {
                let sentence = "an operation that is only about to begin has no outcome yet";
                found.push(Invalid::key(format!("{path}.outcome"), sentence).help("remove it, or say `completed`"));
            }
            found.extend(operation(plan, names, &path, pattern));
        }
        Trigger::Completed(pattern) => found.extend(operation(plan, names, &format!("{path}.completed"), pattern)),
        Trigger::Wire(pattern) => {
            let path = format!("{path}.wire");
            found.extend(client(names, &format!("{path}.client"), &pattern.client));
            if let Some(node) = pattern.node.as_ref().filter(|node| !names.nodes.contains(node)) {
                found.push(
                    Invalid::value(format!("{path}.node"), format!("there is no node `{node}`"))
                        .help(advice(node, strs(&names.nodes))),
                );
            }
            if pattern.command.trim().is_empty() {
                found.push(Invalid::value(format!("{path}.command"), "no command has an empty name").help("such as `SET`"));
            }
            found.extend(nth(&path, pattern.nth));
        }
        Trigger::Step(pattern) => {
            if !names.steps.contains(&pattern.name) {
                found.push(
                    Invalid::value(format!("{path}.step.name"), format!("there is no step `{}`", pattern.name))
                        .help(advice(&pattern.name, strs(&names.steps))),
                );
            }
            found.extend(never_ends(plan, path, pattern));
            found.extend(after_the_end(plan, &format!("{path}.step.after_ms"), pattern.after_ms));
        }
        Trigger::Synced(node) => found.extend(disk(plan, names, &format!("{path}.synced"), node)),
        Trigger::Promoted(node) => found.extend(promotion(plan, names, &format!("{path}.promoted"), node)),
        Trigger::AtMs(at) => found.extend(after_the_end(plan, &format!("{path}.at_ms"), *at)),
    }
    found
}

fn after_the_end(plan: &Plan, path: &str, ms: u64) -> Option<Invalid> {
    (ms >= plan.time_limit_ms).then(|| {
        Invalid::value(path, format!("the run is cut short after {} ms, before this comes", plan.time_limit_ms))
            .help("come earlier, or raise `time_limit_ms`")
    })
}

/// The end of a step that has none before the run is over.
fn never_ends(plan: &Plan, path: &str, pattern: &StepPattern) -> Option<Invalid> {
    let step = plan.steps.iter().find(|step| step.name == pattern.name && pattern.moment == StepMoment::End)?;
    let (sentence, help) = match &step.fault {
        fault if !fault.lasts() => {
            (format!("a `{}` is over as soon as it is done and has no end of its own", fault.kind()), "say `moment = \"begin\"`")
        }
        Fault::Pause(member) if plan.steps.iter().any(|other| takes_the_life_of(&other.fault, member)) => return None,
        _ if step.until.is_some() => return None,
        _ => (format!("`{}` has no `until`, so it ends only when the run does", step.name), "say when it ends"),
    };
    Some(Invalid::value(format!("{path}.step.moment"), sentence).help(help))
}

/// Whether a fault ends the life of a client or a node, and with it a pause.
fn takes_the_life_of(fault: &Fault, member: &str) -> bool {
    match fault {
        Fault::Crash(dead) | Fault::Kill { node: dead, .. } | Fault::Restart { node: dead, .. } | Fault::Power { node: dead } => {
            dead == member
        }
        _ => false,
    }
}

fn disk(plan: &Plan, names: &Names, path: &str, node: &str) -> Option<Invalid> {
    if !names.nodes.iter().any(|known| known == node) {
        return Some(Invalid::value(path, format!("there is no node `{node}`")).help(advice(node, strs(&names.nodes))));
    }
    let never = match plan.topology.persistence_of(node) {
        Persistence::AofEverysec => return None,
        Persistence::None => "never syncs its disk: it writes nothing there",
        Persistence::Rdb => "syncs its disk only with a snapshot, every few minutes",
        Persistence::AofAlways => "syncs its disk before every reply, and at no other time",
    };
    let help = "set `persistence = \"aof-everysec\"` under `[topology]`, or wait for something else";
    Some(Invalid::value(path, format!("`{node}` {never}")).help(help))
}

fn promotion(plan: &Plan, names: &Names, path: &str, node: &str) -> Option<Invalid> {
    if !names.nodes.iter().any(|known| known == node) {
        return Some(Invalid::value(path, format!("there is no node `{node}`")).help(advice(node, strs(&names.nodes))));
    }
    let masters = plan.topology.masters();
    let replicas: Vec<String> = names.nodes.iter().filter(|node| !masters.contains(node)).cloned().collect();
    let is_one = replicas.iter().any(|replica| replica == node);
    let sentence = || format!("`{node}` is a master from the beginning, and only a replica becomes one");
    let help = match replicas.is_empty() {
        true => "use a topology with replicas, or wait for something else".into(),
        false => one_of(strs(&replicas)),
    };
    (!is_one).then(|| Invalid::value(path, sentence()).help(help))
}

fn operation(plan: &Plan, names: &Names, path: &str, pattern: &OpPattern) -> Vec<Invalid> {
    let mut found = Vec::new();
    found.extend(client(names, &format!("{path}.client"), &pattern.client));
    found.extend(nth(path, pattern.nth));
    let cycles = plan.client(&pattern.client).and_then(|own| own.cycles).unwrap_or(plan.workload.cycles);
    if (1..pattern.nth).contains(&cycles) && once_a_cycle(path, pattern) {
        let many = if cycles == 1 { "1 cycle".to_string() } else { format!("{cycles} cycles") };
        let sentence = format!("{} does this at most once a cycle, and has {many}", pattern.client);
        found.push(Invalid::value(format!("{path}.nth"), sentence).help("raise `cycles`, or come earlier"));
    }
    let never = match pattern.op {
        OpKind::Read | OpKind::Write if plan.resource.is_none() => {
            Some(("no client reads or writes anything here", "add a `[resource]`"))
        }
        OpKind::Check if !plan.workload.check => {
            Some(("no client asks whether it still holds the lock", "set `check = true` under `[workload]`"))
        }
        OpKind::Extend if !extension::is_done_by(plan, &pattern.client) => {
            Some(("this client never extends its lease", "set `extend_every_ms` under `[workload]`, or `extends` for the client"))
        }
        _ => None,
    };
    found.extend(never.map(|(sentence, help)| Invalid::value(format!("{path}.op"), sentence).help(help)));
    found
}

/// Whether a client comes to this at most once in a cycle. It may try to acquire any number of times, and is granted once.
fn once_a_cycle(path: &str, pattern: &OpPattern) -> bool {
    match pattern.op {
        OpKind::Acquire => path.ends_with(".completed") && pattern.outcome.is_none_or(|outcome| outcome == Outcome::Ok),
        OpKind::Read | OpKind::Write | OpKind::Release => true,
        OpKind::Check | OpKind::Extend => false,
    }
}

/// What is wrong with the name of a client.
pub(super) fn client(names: &Names, path: &str, client: &String) -> Option<Invalid> {
    match names.clients.contains(client) {
        true => None,
        false if names.nodes.contains(client) => {
            Some(Invalid::value(path, format!("`{client}` is a node, not a client")).help(one_of(strs(&names.clients))))
        }
        false => Some(Invalid::value(path, format!("there is no client `{client}`")).help(advice(client, strs(&names.clients)))),
    }
}

fn nth(path: &str, nth: u32) -> Option<Invalid> {
    (nth == 0).then(|| Invalid::value(format!("{path}.nth"), "there is no occurrence number 0").help("the first is 1"))
}
