//! The first line of a run's history, from its plan.

use crate::plan::Plan;
use checker::history::{Header, LockTerms, ResourceKind, ResourceTerms, VERSION, Value};
use std::collections::BTreeMap;

/// What a history says of its run before anything has happened.
pub fn header(plan: &Plan, name: &str, world: &str, started: Option<String>, versions: BTreeMap<String, String>) -> Header {
    let terms = LockTerms {
        ttl_ms: plan.lease_ms(),
        reentrant: plan.lock.is_reentrant(),
        margin_ms: Plan::MARGIN_MS,
        ..LockTerms::default()
    };
    let numbers = 1..=plan.workload.locks;
    let resource = plan.resource.as_ref().map(|resource| ResourceTerms {
        kind: if resource.counter { ResourceKind::Counter } else { ResourceKind::Register },
        initial: Value::Nil,
        fenced: resource.fenced,
        group: None,
    });
    Header {
        fencepost: VERSION,
        name: name.to_string(),
        world: world.to_string(),
        seed: plan.seed,
        started,
        versions,
        plan: toml::to_string(plan).ok(),
        locks: numbers.clone().map(|n| (Plan::lock_name(n), terms.clone())).collect(),
        resources: resource.map(|terms| numbers.map(|n| (Plan::resource_name(n), terms.clone())).collect()).unwrap_or_default(),
        steps: plan.steps.iter().map(|step| step.name.clone()).collect(),
        contention: plan.workload.contention,
    }
}
