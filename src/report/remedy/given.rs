//! What a plan must say for an advice to be one: nobody is to be told to do what he does.

use crate::plan::{Deadline, Elapsed, Extend, Persistence, Plan, Scripts, Watchdog};
use serde::Deserialize;

/// The circumstances of an advice; what is absent does not matter.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Given {
    fenced: Option<bool>,
    replicated: Option<bool>,
    synced: Option<bool>,
    min_replicas: Option<bool>,
    deadline: Option<Deadline>,
    elapsed: Option<Elapsed>,
    extend: Option<Extend>,
    watchdog: Option<Watchdog>,
    scripts: Option<Scripts>,
}

impl Given {
    /// Whether a plan is so.
    pub(super) fn holds_of(&self, plan: &Plan) -> bool {
        let (lock, topology) = (&plan.lock, &plan.topology);
        let syncs = |node: &String| topology.persistence_of(node) == Persistence::AofAlways;
        is(self.fenced, plan.resource.as_ref().is_some_and(|resource| resource.fenced))
            && is(self.replicated, topology.replica_count() > 0)
            && is(self.synced, topology.nodes().iter().all(syncs))
            && is(self.min_replicas, topology.min_replicas_to_write.unwrap_or(0) > 0)
            && is(self.deadline, lock.deadline)
            && is(self.elapsed, lock.elapsed.unwrap_or_default())
            && is(self.extend, lock.extend.unwrap_or_default())
            && is(self.watchdog, lock.watchdog.unwrap_or_default())
            && is(self.scripts, lock.scripts.unwrap_or_default())
    }

    /// Whether it says nothing of the lock: then it is an advice too where no plan is known, and no storage that was fenced.
    pub(super) fn leaves_the_lock_open(&self) -> bool {
        Given { fenced: None, ..self.clone() } == Given::default() && self.fenced != Some(true)
    }
}

fn is<T: PartialEq>(wanted: Option<T>, has: T) -> bool {
    wanted.is_none_or(|wanted| wanted == has)
}
