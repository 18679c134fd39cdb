//! What would have helped: the last word of a report, from a table.

use super::Subject;
use crate::plan::{self, LockKind, Plan, TopologyKind};
use checker::finding::{Finding, Kind};
use given::Given;
use serde::Deserialize;
use std::sync::LazyLock;

mod given;

/// A protection, and what it is one against.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Remedy {
    find: Vec<Kind>,
    #[serde(default)]
    prevents: Option<Vec<Kind>>,
    #[serde(default)]
    fault: Vec<String>,
    #[serde(default)]
    lock: Vec<LockKind>,
    #[serde(default)]
    topology: Vec<TopologyKind>,
    #[serde(default)]
    given: Given,
    /// What to do, in a sentence or two.
    pub advice: String,
    /// The scenarios that show that it holds.
    pub shown: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    remedy: Vec<Remedy>,
}

static TABLE: LazyLock<Vec<Remedy>> = LazyLock::new(|| {
    let table: Table = toml::from_str(include_str!("remedies.toml")).expect("the table is built in, and tested to be sound");
    table.remedy
});

/// The most that are named in one report.
const NAMED: usize = 3;

/// What would have prevented what was found, the likeliest first.
pub fn remedies(subject: &Subject) -> Vec<&'static Remedy> {
    let plan = subject.header.plan.as_deref().and_then(|text| plan::read("the history's own plan", text).ok());
    let fits = |remedy: &&Remedy| subject.judgement.findings.iter().any(|finding| remedy.fits(finding, plan.as_ref(), subject));
    TABLE.iter().filter(fits).take(NAMED).collect()
}

impl Remedy {
    fn fits(&self, finding: &Finding, plan: Option<&Plan>, subject: &Subject) -> bool {
        let step = finding.cause.as_ref().and_then(|cause| cause.step.as_ref());
        let fault = subject.injected.iter().find(|injected| Some(&injected.step) == step).map(|injected| &injected.kind);
        self.find.contains(&finding.kind)
            && plan.map_or(self.given.leaves_the_lock_open(), |plan| self.given.holds_of(plan))
            && (self.fault.is_empty() || fault.is_some_and(|fault| self.fault.contains(fault)))
            && (self.lock.is_empty() || plan.is_some_and(|plan| self.lock.contains(&plan.lock.kind)))
            && (self.topology.is_empty() || plan.is_some_and(|plan| self.topology.contains(&plan.topology.kind)))
    }

    /// The advice, and what shows it.
    pub fn sentence(&self) -> String {
        match self.shown.as_slice() {
            [] => format!("{} No scenario here shows that it suffices.", self.advice),
            shown => format!("{} Shown by {}.", self.advice, shown.join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario;

    #[test]
    fn each_is_shown_by_scenarios_in_which_nothing_of_the_kind_is_found() {
        for remedy in TABLE.iter() {
            for name in &remedy.shown {
                let plan = scenario::find(name).unwrap_or_else(|none| panic!("{}: {none}", remedy.advice)).plan();
                let prevents = remedy.prevents.as_ref().unwrap_or(&remedy.find);
                let prevented = |kind: &&Kind| prevents.contains(kind);
                let found: Vec<_> = plan.expect.find.iter().chain(&plan.expect.allow).filter(prevented).collect();
                assert!(found.is_empty(), "{name} is to show that this helps, and finds {found:?}: {}", remedy.advice);
            }
        }
    }
}
