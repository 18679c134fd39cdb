//! A run: clients act, the nemesis hurts, and everything goes into one history.

use crate::plan::Plan;
use crate::world::{WorldError, WorldKind};
use checker::Nanos;
use checker::finding::Judgement;
use checker::history::Header;
use std::future::Future;
use std::path::Path;

/// What a run leaves behind, besides the history in its folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Ran {
    /// The history's first line.
    pub header: Header,
    /// What the checker says of the history.
    pub judgement: Judgement,
    /// How long it took, on the history's clock.
    pub took: Nanos,
    /// Whether its user stopped it.
    pub interrupted: bool,
}

/// How far a run is, for the one line of progress.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Operations completed.
    pub operations: u64,
    /// What is happening, in a few words: `starting Redis`, `c1 was paused`, `healing`.
    pub doing: String,
}

/// Runs a plan in a world and judges it.
///
/// `history` is written line by line, each flushed, so that a killed run leaves a readable file. `stop` resolves when the
/// user wants out: the run then heals, keeps its history and reports.
///
/// # Errors
/// The world cannot start, or the history cannot be written.
pub fn run(
    _kind: WorldKind,
    _plan: &Plan,
    _name: &str,
    _folder: Option<&Path>,
    _history: &mut dyn std::io::Write,
    _progress: &mut dyn FnMut(&Progress),
    _stop: impl Future<Output = ()>,
) -> Result<Ran, RunError> {
    todo!("the run loop")
}

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The world could not be started.
    #[error(transparent)]
    World(#[from] WorldError),
    /// The history could not be written.
    #[error("the history could not be written: {0}")]
    History(#[from] std::io::Error),
}
