//! The lock, what it protects, and the run's limit.

use super::{Invalid, too_long};
use crate::lock::facts;
use crate::plan::{Deadline, Fencing, LockKind, Plan, Repair};

pub(super) fn check(plan: &Plan) -> Vec<Invalid> {
    let mut found = Vec::new();
    let lock = &plan.lock;
    if lock.ttl_ms == 0 {
        found.push(
            Invalid::value("lock.ttl_ms", "a lease of 0 ms is over before it begins; Redis refuses it, or deletes the key")
                .help("at least 1"),
        );
    }
    found.extend(too_long("lock.ttl_ms", lock.ttl_ms));
    if lock.repair != Repair::None && lock.kind != LockKind::SetnxExpire {
        found.push(Invalid::key("lock.repair", "only `setnx-expire` has something to repair").help("remove it"));
    }
    if lock.deadline == Deadline::Checked && facts::of(lock.kind).expiry == facts::Expiry::Never {
        found.push(Invalid::key("lock.deadline", "this lock never expires, so there is no deadline to check").help("remove it"));
    }
    let fenced = plan.resource.as_ref().is_some_and(|resource| resource.fenced);
    if fenced && !lock.fences() {
        found.push(
            Invalid::key("resource.fenced", "this lock gives no fencing token for the resource to look at")
                .help("use `kind = \"fenced\"` or `fence = \"storage\"` under `[lock]`, or leave the resource unfenced"),
        );
    }
    if lock.scripts.is_some() && !matches!(lock.kind, LockKind::Setnx | LockKind::SetnxExpire | LockKind::SetNxPx) {
        let sentence = "only `setnx`, `setnx-expire` and `set-nx-px` have an option `scripts`";
        found.push(Invalid::key("lock.scripts", sentence).help("remove it"));
    }
    found.extend(fence(plan));
    if lock.kind != LockKind::ReentrantWatchdog {
        for (option, _) in
            [("waits", lock.waits.is_some()), ("watchdog", lock.watchdog.is_some())].into_iter().filter(|(_, said)| *said)
        {
            let sentence = format!("only `reentrant-watchdog` has an option `{option}`");
            found.push(Invalid::key(format!("lock.{option}"), sentence).help("remove it"));
        }
    }
    if plan.time_limit_ms == 0 {
        found.push(Invalid::value("time_limit_ms", "a run of 0 ms does nothing").help("at least 1"));
    }
    found.extend(too_long("time_limit_ms", plan.time_limit_ms));
    found
}

/// Where the fencing token comes from.
fn fence(plan: &Plan) -> Option<Invalid> {
    let wrong = |sentence: &str, help: &str| Some(Invalid::key("lock.fence", sentence).help(help));
    match (plan.lock.fence?, plan.lock.kind) {
        (_, LockKind::Fenced) => wrong("`fenced` counts fencing tokens of its own", "remove it"),
        (Fencing::Counter, LockKind::ReentrantWatchdog) => None,
        (Fencing::Counter, _) => {
            wrong("only `reentrant-watchdog` counts fencing tokens by option", "`fence = \"storage\"`, or `kind = \"fenced\"`")
        }
        (Fencing::Storage, _) if plan.resource.is_none() => {
            wrong("there is no storage to draw fencing tokens from", "a `[resource]`, or remove it")
        }
        (Fencing::Storage, _) => None,
    }
}
