//! One whole way: plan ─▶ world ─▶ run ─▶ history ─▶ findings ─▶ report, all of it kept in the run's folder.

use crate::folder::RunFolder;
use crate::judged::{BadHistory, Keep, Source, kept};
use crate::plan::Plan;
use crate::report::html::page;
use crate::report::json::Object;
use crate::report::{Subject, compare, injected};
use crate::run::{Audience, Progress, RunError, Site, run};
use crate::world::WorldKind;
use std::future::Future;
use std::io;

/// What is to be run, where, and how it is run again.
#[derive(Debug)]
pub struct Conduct<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its name.
    pub name: &'a str,
    /// In which world.
    pub world: WorldKind,
    /// Where everything is kept.
    pub folder: &'a RunFolder,
    /// The command that does it again.
    pub replay: String,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum NoReport {
    /// The run did not come about.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Its folder cannot be written.
    #[error("{folder} cannot be written: {why}")]
    Unwritable {
        /// Which.
        folder: String,
        /// Why.
        why: io::Error,
    },
    /// What was just written cannot be read.
    #[error(transparent)]
    History(#[from] BadHistory),
}

/// Runs a plan and holds what came out against what it expects. `stop` resolves when the user wants out.
///
/// # Errors
/// The world cannot start, or the folder cannot be written.
pub fn conduct(
    what: Conduct<'_>,
    progress: &mut dyn FnMut(&Progress),
    stop: impl Future<Output = ()>,
) -> Result<Subject, NoReport> {
    let Conduct { plan, name, world, folder, replay } = what;
    let unwritable = |why| NoReport::Unwritable { folder: folder.path().display().to_string(), why };
    let mut file = folder.open_history().map_err(unwritable)?;
    let site = Site { world, folder: Some(folder.path()), client_program: None };
    let ran = run(site, plan, name, Audience { history: Some(&mut file), progress }, stop)?;
    let history = kept(&Source::new(&folder.history())?, &ran.judgement.findings, Keep::Everything)?;
    let subject = Subject {
        standing: compare(&plan.expect, &ran.judgement, ran.interrupted),
        injected: injected(&history.events, history.origin),
        origin: history.origin,
        events: history.events,
        header: ran.header,
        judgement: ran.judgement,
        expected: plan.expect.clone(),
        run: Some(folder.path().to_owned()),
        searched: None,
        warnings: Vec::new(),
        replay,
    };
    folder
        .keep("versions.json", &subject.header.versions)
        .and_then(|()| folder.keep("findings.json", &Object::new(&subject, None)))
        .and_then(|()| folder.keep_text("report.html", &page(&subject)))
        .map_err(unwritable)?;
    Ok(subject)
}
