//! One run of a cell.

use super::Cell;
use crate::cli::shell::quoted;
use crate::conduct::{Conduct, NoReport, conduct};
use crate::folder::RunFolder;
use crate::plan::Expectation;
use crate::report::{Standing, Subject};
use crate::run::{Progress, RunError};
use crate::world::{WorldError, WorldKind};
use checker::finding::Kind;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::future::Future;
use std::path::Path;
use std::time::{Instant, SystemTime};

/// One run of a cell, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// How it stands to what was expected.
    pub came_out: CameOut,
    /// What was found.
    pub found: Vec<Kind>,
    /// What is to be said of it, a sentence each.
    pub sentences: Vec<String>,
    /// How long it took, in milliseconds.
    pub took_ms: u64,
    /// Its folder, seen from the matrix's.
    pub run: Option<String>,
    /// The command that does it again.
    pub replay: String,
    /// Versions of everything that took part.
    #[serde(skip)]
    pub versions: BTreeMap<String, String>,
}

/// How a run ended, as a matrix counts it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CameOut {
    /// Everything came out as expected.
    AsExpected,
    /// These kinds were found and not expected; at least one of them hurts safety.
    Violation(Vec<Kind>),
    /// Something that was expected did not appear.
    Missing(Vec<Kind>),
    /// These kinds were found and not expected; nothing worse than waiting follows from them.
    OnlyLiveness(Vec<Kind>),
    /// The run did not have what it needed; the names of what was lacking.
    Assumptions(Vec<String>),
    /// The search ended without an answer.
    Unknown,
    /// Nothing ran.
    Nothing,
    /// Its user stopped it.
    Interrupted,
    /// The server here does not have what the cell's lock needs.
    Impossible,
    /// The world could not start: not the lock's doing.
    Environment,
}

impl CameOut {
    /// In a few words.
    pub fn words(&self) -> String {
        let kinds = |kinds: &[Kind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        match self {
            CameOut::AsExpected => "as expected".into(),
            CameOut::Violation(found) => format!("not expected: {}", kinds(found)),
            CameOut::Missing(missing) if missing.is_empty() => "missing: refused stale writes".into(),
            CameOut::Missing(missing) => format!("missing: {}", kinds(missing)),
            CameOut::OnlyLiveness(found) => format!("not expected, liveness only: {}", kinds(found)),
            CameOut::Assumptions(names) => format!("assumptions broken: {}", names.join(", ")),
            CameOut::Unknown => "unknown".into(),
            CameOut::Nothing => "nothing ran".into(),
            CameOut::Interrupted => "interrupted".into(),
            CameOut::Impossible => "not possible here".into(),
            CameOut::Environment => "the world could not start".into(),
        }
    }
}

/// Where cells are run, and where they are kept.
#[derive(Debug, Clone, Copy)]
pub struct Place<'a> {
    /// In which world.
    pub world: WorldKind,
    /// How the command line names it.
    pub world_name: &'a str,
    /// The matrix's folder.
    pub folder: &'a Path,
}

/// Runs a cell once, with a seed that is this much higher than its plan's.
pub fn attempt(
    cell: &Cell,
    higher: u64,
    place: Place<'_>,
    progress: &mut dyn FnMut(&Progress),
    stop: impl Future<Output = ()>,
) -> Attempt {
    let began = Instant::now();
    let mut plan = cell.plan.clone();
    plan.seed = plan.seed.wrapping_add(higher);
    let seed = (higher > 0).then_some(plan.seed);
    let text = match seed {
        Some(_) => toml::to_string(&plan).expect("a plan is TOML; a test sees to it"),
        None => cell.text.clone(),
    };
    let folder = match RunFolder::create(&place.folder.join("cells"), cell.name(), &text, SystemTime::now()) {
        Ok(folder) => folder,
        Err(error) => return not_run(CameOut::Environment, error, began, replay(cell, seed, place, None)),
    };
    let again = replay(cell, seed, place, Some(&folder));
    let what = Conduct { plan: &plan, name: cell.name(), world: place.world, folder: &folder, replay: again.clone() };
    let run = folder.path().strip_prefix(place.folder).ok().map(|path| path.display().to_string());
    let took = |attempt: Attempt| Attempt { took_ms: millis(began), run, ..attempt };
    took(match conduct(what, progress, stop) {
        Ok(subject) => told(&subject, again),
        Err(NoReport::Run(RunError::Interrupted)) => not_run(CameOut::Interrupted, RunError::Interrupted, began, again),
        Err(NoReport::Run(RunError::World(WorldError::Impossible(why)))) => {
            not_run(CameOut::Impossible, WorldError::Impossible(why), began, again)
        }
        Err(none) => not_run(CameOut::Environment, none, began, again),
    })
}

fn told(subject: &Subject, replay: String) -> Attempt {
    let judgement = &subject.judgement;
    let mut found: Vec<Kind> = judgement.findings.iter().map(|finding| finding.kind).collect();
    found.sort();
    found.dedup();
    let came_out = match &subject.standing {
        Standing::AsExpected => CameOut::AsExpected,
        Standing::Violation(kinds) => CameOut::Violation(kinds.clone()),
        Standing::Missing { kinds, .. } => CameOut::Missing(kinds.clone()),
        Standing::OnlyLiveness(kinds) => CameOut::OnlyLiveness(kinds.clone()),
        Standing::Assumptions => CameOut::Assumptions(judgement.broken.iter().map(|broken| broken.name.to_string()).collect()),
        Standing::Unknown => CameOut::Unknown,
        Standing::Nothing => CameOut::Nothing,
        Standing::Interrupted => CameOut::Interrupted,
    };
    let broken = judgement.broken.iter().map(|broken| broken.sentence.clone());
    let unexpected = |kind: &Kind| !holds(&subject.expected, *kind);
    // What nobody expected comes first, since it is what is read.
    let (first, then): (Vec<_>, Vec<_>) = judgement.findings.iter().partition(|finding| unexpected(&finding.kind));
    let findings = first.into_iter().chain(then).map(|finding| format!("{}: {}", finding.kind.name(), finding.sentence));
    let sentences = [subject.standing.sentence()].into_iter().chain(broken).chain(findings).collect();
    let versions = subject.header.versions.clone();
    Attempt { came_out, found, sentences, took_ms: 0, run: None, replay, versions }
}

fn holds(expected: &Expectation, kind: Kind) -> bool {
    expected.find.contains(&kind) || expected.allow.contains(&kind)
}

fn not_run(came_out: CameOut, why: impl std::error::Error, began: Instant, replay: String) -> Attempt {
    let sentences = vec![why.to_string()];
    let (found, run, versions) = Default::default();
    Attempt { came_out, found, sentences, took_ms: millis(began), run, replay, versions }
}

fn millis(began: Instant) -> u64 {
    began.elapsed().as_millis().try_into().unwrap_or(u64::MAX)
}

/// The command that runs a cell again, by the scenario's name where it is one, else from the plan that was kept.
fn replay(cell: &Cell, seed: Option<u64>, place: Place<'_>, kept: Option<&RunFolder>) -> String {
    let seed = seed.filter(|_| cell.scenario.is_some()).map_or(String::new(), |seed| format!(" --seed {seed}"));
    let what = match (&cell.scenario, kept) {
        (Some(scenario), _) => format!("reproduce {}", quoted(scenario)),
        (None, Some(folder)) => format!("run {}", quoted(&folder.plan().display().to_string())),
        (None, None) => format!("matrix --filter {}", quoted(&format!("name({})", cell.name()))),
    };
    format!("fencepost {what} --world {}{seed}", place.world_name)
}
