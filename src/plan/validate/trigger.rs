//! The events that steps and clients wait for.

use super::{Invalid, Names, extension, strs, too_long};
use crate::plan::{Persistence, Plan};
use crate::suggest::{advice, one_of};
use nemesis::{OpName, OpPattern, Trigger};

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
        Trigger::Invoked(pattern) => found.extend(operation(plan, names, &format!("{path}.invoked"), pattern)),
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
            found.extend(too_long(&format!("{path}.step.after_ms"), pattern.after_ms));
        }
        Trigger::Synced(node) => found.extend(disk(plan, names, &format!("{path}.synced"), node)),
        Trigger::AtMs(at) if *at >= plan.time_limit_ms => found.push(
            Invalid::value(
                format!("{path}.at-ms"),
                format!("the run is cut short after {} ms, before this comes", plan.time_limit_ms),
            )
            .help("come earlier, or raise `time_limit_ms`"),
        ),
        Trigger::AtMs(_) => {}
    }
    found
}

fn disk(plan: &Plan, names: &Names, path: &str, node: &str) -> Option<Invalid> {
    if !names.nodes.iter().any(|known| known == node) {
        return Some(Invalid::value(path, format!("there is no node `{node}`")).help(advice(node, strs(&names.nodes))));
    }
    let never = match plan.topology.persistence {
        Persistence::AofEverysec => return None,
        Persistence::None => "never syncs its disk: it writes nothing there",
        Persistence::AofAlways => "syncs its disk before every reply, and at no other time",
    };
    let help = "set `persistence = \"aof-everysec\"` under `[topology]`, or wait for something else";
    Some(Invalid::value(path, format!("`{node}` {never}")).help(help))
}

fn operation(plan: &Plan, names: &Names, path: &str, pattern: &OpPattern) -> Vec<Invalid> {
    let mut found = Vec::new();
    found.extend(client(names, &format!("{path}.client"), &pattern.client));
    found.extend(nth(path, pattern.nth));
    let never = match pattern.op {
        OpName::Read | OpName::Write if plan.resource.is_none() => {
            Some(("no client reads or writes anything here", "add a `[resource]`"))
        }
        OpName::Check if !plan.workload.check => {
            Some(("no client asks whether it still holds the lock", "set `check = true` under `[workload]`"))
        }
        OpName::Extend if !extension::is_done_by(plan, &pattern.client) => {
            Some(("this client never extends its lease", "set `extend_every_ms` under `[workload]`, or `extends` for the client"))
        }
        _ => None,
    };
    found.extend(never.map(|(sentence, help)| Invalid::value(format!("{path}.op"), sentence).help(help)));
    found
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
