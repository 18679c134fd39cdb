//! What clients do.

use super::{Invalid, MOST_CLIENTS, Names, strs, too_long};
use crate::plan::{Millis, Plan};
use crate::suggest::advice;

pub(super) fn check(plan: &Plan, names: &Names) -> Vec<Invalid> {
    let mut found = Vec::new();
    let work = &plan.workload;
    let counts = [
        ("workload.clients", work.clients, MOST_CLIENTS, "with no client nothing happens"),
        ("workload.locks", work.locks, 1_000, "with no lock nothing happens"),
        ("workload.cycles", work.cycles, 1_000_000, "with no cycle no client ever takes a lock"),
        ("workload.depth", work.depth, 100, "a client that takes the lock no time at all never holds it"),
    ];
    for (path, count, most, none) in counts {
        found.extend(counted(path, count, most, none));
    }
    for (path, range) in
        [("workload.hold_ms", work.hold_ms), ("workload.think_ms", work.think_ms), ("workload.retry_ms", work.retry_ms)]
    {
        found.extend(ranged(path, range));
    }
    if work.retry_ms.1 == 0 {
        found.push(
            Invalid::value("workload.retry_ms", "a refused client that does not wait at all tries without end")
                .help("at least `[0, 1]`"),
        );
    }
    if work.depth > 1 && !plan.lock.is_reentrant() {
        found.push(
            Invalid::value("workload.depth", "a client that takes this lock again while it holds it waits for itself")
                .help("1, or use `kind = \"reentrant-watchdog\"` under `[lock]`"),
        );
    }
    if let Some(patience) = work.patience_ms {
        found.extend(too_long("workload.patience_ms", patience));
    }
    if work.contention && work.clients == 1 {
        found.push(
            Invalid::value("workload.clients", "a single client never has to wait for the lock")
                .help("take more clients, or set `contention = false`"),
        );
    }
    for (i, client) in plan.clients.iter().enumerate() {
        let path = format!("client[{i}]");
        if !names.clients.is_empty() && !names.clients.contains(&client.name) {
            found.push(
                Invalid::value(format!("{path}.name"), format!("there is no client `{}`", client.name))
                    .help(advice(&client.name, strs(&names.clients))),
            );
        } else if plan.clients[..i].iter().any(|other| other.name == client.name) {
            found.push(Invalid::value(format!("{path}.name"), format!("`{}` is described twice", client.name)));
        }
        if let Some(cycles) = client.cycles {
            found.extend(counted(&format!("{path}.cycles"), cycles, 1_000_000, "with no cycle this client never takes a lock"));
        }
        if let Some(patience) = client.patience_ms {
            found.extend(too_long(&format!("{path}.patience_ms"), patience));
        }
        if client.writes.is_some() && plan.resource.is_none() {
            let invalid = Invalid::key(format!("{path}.writes"), "no client writes anything here");
            found.push(invalid.help("add a `[resource]`"));
        }
        if let Some(hold) = client.hold_ms {
            found.extend(ranged(&format!("{path}.hold_ms"), hold));
        }
    }
    found
}

fn counted(path: &str, count: u32, most: u32, none: &str) -> Option<Invalid> {
    match count {
        0 => Some(Invalid::value(path, none).help("at least 1")),
        _ if count > most => {
            Some(Invalid::value(path, format!("{count} are more than one machine bears")).help(format!("at most {most}")))
        }
        _ => None,
    }
}

fn ranged(path: &str, Millis(least, most): Millis) -> Option<Invalid> {
    if least > most {
        return Some(
            Invalid::value(path, format!("the range runs backwards, from {least} to {most} ms"))
                .help(format!("write `[{most}, {least}]`")),
        );
    }
    too_long(path, most)
}
