//! What a plan cannot mean although it can be read: impossible values, names of nobody, waits that never end.

mod cluster;
mod expect;
mod extension;
mod fault;
mod lock;
mod quorum;
mod replicas;
mod sides;
pub mod topology;
mod toxic;
mod trigger;
mod waits;
mod wire;
mod workload;

use super::Plan;
use super::locate::Part;

/// Something that cannot be meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Where: `step[1].when.completed.client`.
    pub path: String,
    /// Whether its key or its value is what is wrong.
    pub part: Part,
    /// What is wrong, in a sentence.
    pub sentence: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Invalid {
    /// A value that cannot be meant.
    pub fn value(path: impl Into<String>, sentence: impl Into<String>) -> Invalid {
        Invalid { path: path.into(), part: Part::Value, sentence: sentence.into(), help: None }
    }

    /// A key that cannot be meant.
    pub fn key(path: impl Into<String>, sentence: impl Into<String>) -> Invalid {
        Invalid { part: Part::Key, ..Invalid::value(path, sentence) }
    }

    /// In one line.
    pub fn in_words(&self) -> String {
        let help = self.help.as_ref().map(|help| format!(": {help}")).unwrap_or_default();
        format!("{}{help}", self.sentence)
    }

    /// Says what to do about it.
    pub fn help(self, help: impl Into<String>) -> Invalid {
        Invalid { help: Some(help.into()), ..self }
    }
}

/// Everything that a plan cannot mean; empty where it is sound.
pub fn validate(plan: &Plan) -> Vec<Invalid> {
    let names = Names::of(plan);
    let mut all = Vec::new();
    all.extend(lock::check(plan));
    all.extend(topology::check(plan));
    all.extend(quorum::check(plan));
    all.extend(replicas::check(plan));
    all.extend(cluster::check(plan));
    all.extend(extension::check(plan));
    all.extend(expect::check(plan));
    all.extend(workload::check(plan, &names));
    if names.clients.is_empty() {
        return all;
    }
    all.extend(fault::check(plan, &names));
    all.extend(trigger::check(plan, &names));
    // Whether waits end is only worth asking where everybody who is waited for exists.
    if all.is_empty() {
        all.extend(waits::check(plan));
    }
    all
}

/// Everybody whom a plan can name.
struct Names {
    clients: Vec<String>,
    nodes: Vec<String>,
    sentinels: Vec<String>,
    steps: Vec<String>,
}

/// The most clients that a plan can have.
const MOST_CLIENTS: u32 = 1_000;

impl Names {
    fn of(plan: &Plan) -> Names {
        Names {
            clients: (1..=plan.workload.clients.min(MOST_CLIENTS)).map(|i| format!("c{i}")).collect(),
            nodes: plan.topology.nodes(),
            sentinels: plan.topology.sentinels(),
            steps: plan.steps.iter().map(|step| step.name.clone()).collect(),
        }
    }
}

fn strs(names: &[String]) -> impl Iterator<Item = &str> + Clone {
    names.iter().map(String::as_str)
}

/// A day: no time in a plan is longer, so that no arithmetic on nanoseconds can overflow and no typing error waits for years.
const LONGEST_MS: u64 = 24 * 60 * 60 * 1000;

fn too_long(path: &str, ms: u64) -> Option<Invalid> {
    (ms > LONGEST_MS).then(|| Invalid::value(path, format!("{ms} ms is longer than a day")).help(format!("at most {LONGEST_MS}")))
}
