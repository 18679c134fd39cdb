//! How and when leases are extended.

use super::{Invalid, too_long};
use crate::lock::facts::{self, Extension};
use crate::plan::{Extend, Plan};

pub(super) fn check(plan: &Plan) -> Vec<Invalid> {
    let mut found = Vec::new();
    let extension = facts::of(plan.lock.kind).extension;
    let every = |path: String, every_ms: Option<u64>| every_ms.map(|every_ms| (path, every_ms));
    let own =
        plan.clients.iter().enumerate().map(|(i, client)| every(format!("client[{i}].extend_every_ms"), client.extend_every_ms));
    for (path, every_ms) in
        [every("workload.extend_every_ms".into(), plan.workload.extend_every_ms)].into_iter().chain(own).flatten()
    {
        if every_ms == 0 {
            found.push(Invalid::value(&path, "a client that extends every 0 ms does nothing else").help("at least 1"));
        }
        found.extend(too_long(&path, every_ms));
        found.extend((extension == Extension::None).then(|| impossible(path)));
    }
    for (i, _) in plan.clients.iter().enumerate().filter(|(_, client)| client.extends.is_some()) {
        found.extend((extension == Extension::None).then(|| impossible(format!("client[{i}].extends"))));
    }
    match (plan.lock.extend, extension) {
        (Some(Extend::Retake), _) if plan.lock.is_reentrant() => {
            found.push(
                Invalid::value("lock.extend", "this lock never sets a key that is gone anew when it extends")
                    .help("remove it, or say \"blind\""),
            );
        }
        (None, _) | (Some(_), Extension::Quorum) | (Some(Extend::Retake | Extend::Blind), Extension::Atomic) => {}
        (Some(_), Extension::None) => found.push(impossible("lock.extend".into())),
        (Some(_), Extension::Atomic) => found.push(
            Invalid::value("lock.extend", "a lock of one node has no quorum to extend on")
                .help("remove it, or say \"retake\" or \"blind\""),
        ),
    }
    found
}

/// Whether a client extends its leases at all.
pub(super) fn is_done_by(plan: &Plan, client: &str) -> bool {
    let own = plan.client(client);
    let every_ms = own.and_then(|own| own.extend_every_ms).or(plan.workload.extend_every_ms);
    plan.lock.is_renewed() || every_ms.is_some() || own.is_some_and(|own| own.extends.is_some())
}

fn impossible(path: String) -> Invalid {
    Invalid::key(path, "this lock has no lease to extend")
        .help("remove it, or use another lock: `fencepost list locks` says which have")
}
