//! What a run must have had for a green verdict to mean something. A run in which nothing happened is never green.

use crate::finding::{BrokenAssumption, Counts};
use crate::history::{Header, Moment, Phase, What};
use std::collections::BTreeMap;

/// Watches what the run did, against what its header says that it would do.
#[derive(Debug)]
pub struct Assumptions {
    /// Each step of the header, and how far it came.
    steps: BTreeMap<String, Step>,
    contention: bool,
    resources: bool,
    /// Whether this is a run of ours, with phases.
    is_run: bool,
    ended: bool,
    broken: Vec<BrokenAssumption>,
}

#[derive(Debug, Clone, Default)]
struct Step {
    begun: bool,
    verified: bool,
    failed: Option<String>,
}

fn broken(name: &str, sentence: String) -> BrokenAssumption {
    BrokenAssumption { name: name.to_string(), sentence }
}

impl Assumptions {
    /// What the header promises.
    pub fn new(header: &Header) -> Self {
        Assumptions {
            steps: header.steps.iter().map(|step| (step.clone(), Step::default())).collect(),
            contention: header.contention,
            resources: !header.resources.is_empty(),
            is_run: !header.world.is_empty() || !header.steps.is_empty(),
            ended: false,
            broken: Vec::new(),
        }
    }

    /// Looks at what happened.
    pub fn see(&mut self, what: &What) {
        match what {
            What::Fault(fault) => {
                let step = self.steps.entry(fault.step.clone()).or_default();
                match fault.moment {
                    Moment::Begin => step.begun = true,
                    Moment::Verified => step.verified = true,
                    Moment::End => {}
                    Moment::Failed => step.failed = Some(fault.text.clone()),
                }
            }
            What::Phase(Phase::Sick(why)) => {
                self.broken.push(broken("sick-world", format!("the world was sick before the first fault: {why}")));
            }
            What::Phase(Phase::Interrupted(why)) => {
                self.broken.push(broken("interrupted", format!("the run was cut short: {why}")))
            }
            What::Phase(Phase::End) => self.ended = true,
            _ => {}
        }
    }

    /// What was missing.
    pub fn end(self, counts: &Counts) -> Vec<BrokenAssumption> {
        let mut all = self.broken;
        let sick = all.iter().any(|broken| broken.name == "sick-world");
        for (name, step) in &self.steps {
            let why = match step {
                Step { failed: Some(why), .. } => format!("the fault of step {name} failed: {why}"),
                Step { verified: true, .. } => continue,
                Step { begun: true, .. } => format!("the fault of step {name} was begun and never seen to work"),
                _ if sick => continue,
                _ => format!("step {name} never began: what it waits for did not happen"),
            };
            all.push(broken("fault-not-injected", why));
        }
        if self.is_run && !self.ended {
            all.push(broken("unfinished", "the history ends before its run does: the runner was killed".to_string()));
        }
        if self.contention && counts.contended == 0 && !sick {
            all.push(broken("no-contention", "nobody ever had to wait for a lock, so nothing was tried".to_string()));
        }
        if self.resources && counts.writes + counts.rejected_stale_writes == 0 && !sick {
            all.push(broken("nothing-written", "the resource was never written, so nothing was protected".to_string()));
        }
        all
    }
}
