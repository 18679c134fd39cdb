//! What a cell is of: by these it is found in the matrix, and chosen by a filter.

use super::filter::Predicate;
use crate::lock::facts as locks;
use crate::plan::Plan;
use serde::{Deserialize, Serialize};

/// What a cell is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// The cell's name.
    pub name: String,
    /// The kind of its lock.
    pub lock: String,
    /// The kind of its topology.
    pub topology: String,
    /// The kinds of the faults that are done in it, or `none`.
    pub faults: Vec<String>,
    /// What its lock protects: `redis`, `sqlite-fenced`, …, or `none`.
    pub resource: String,
    /// The kinds of finding that are expected of it, or `safe`.
    pub expect: Vec<String>,
    /// Where its plan comes from: `scenario` or `file`.
    pub from: String,
}

impl Facts {
    /// What a plan says.
    pub fn new(name: &str, from: &str, plan: &Plan) -> Facts {
        let mut faults: Vec<String> = plan.steps.iter().map(|step| step.fault.kind().to_owned()).collect();
        faults.sort();
        faults.dedup();
        let expect = plan.expect.find.iter().map(|kind| kind.name().to_owned()).collect();
        Facts {
            name: name.to_owned(),
            lock: locks::of(plan.lock.kind).name.to_owned(),
            topology: word(&plan.topology.kind),
            faults: or(faults, "none"),
            resource: resource(plan),
            expect: or(expect, "safe"),
            from: from.to_owned(),
        }
    }

    /// What a predicate asks for.
    pub fn of(&self, predicate: Predicate) -> &[String] {
        use std::slice::from_ref;
        match predicate {
            Predicate::Name => from_ref(&self.name),
            Predicate::Lock => from_ref(&self.lock),
            Predicate::Topology => from_ref(&self.topology),
            Predicate::Fault => &self.faults,
            Predicate::Resource => from_ref(&self.resource),
            Predicate::Expect => &self.expect,
            Predicate::From => from_ref(&self.from),
        }
    }
}

fn or(names: Vec<String>, none: &str) -> Vec<String> {
    if names.is_empty() { vec![none.to_owned()] } else { names }
}

fn resource(plan: &Plan) -> String {
    let Some(resource) = &plan.resource else { return "none".into() };
    let what = [(resource.counter, "-counter"), (resource.fenced, "-fenced")];
    what.into_iter().filter(|(is, _)| *is).fold(word(&resource.kind), |name, (_, word)| name + word)
}

/// How a plan writes it.
fn word(choice: &impl Serialize) -> String {
    toml::Value::try_from(choice).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}
