//! A run: clients act, the nemesis hurts, and everything goes into one history.

mod asked;
mod awaited;
mod course;
mod driver;
mod header;
mod latch;
mod nemesis;
mod occurrence;
mod recorder;
mod schedule;
mod unasked;

use crate::plan::Plan;
use crate::world::{Backend, PROBE, RealWorld, Setup, SimWorld, World, WorldError, WorldKind};
use checker::Nanos;
use checker::finding::Judgement;
use checker::history::Header;
use course::{Ending, course};
use recorder::Recorder;
use std::future::Future;
use std::path::Path;
use std::pin::{Pin, pin};
use std::time::SystemTime;

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

/// Where a run takes place.
#[derive(Debug, Clone, Copy)]
pub struct Site<'a> {
    /// In which world.
    pub world: WorldKind,
    /// Where nodes and clients keep their logs; they are thrown away where there is none.
    pub folder: Option<&'a Path>,
    /// The program that clients in a real world are, and its first arguments; this program, as `fencepost client`, where there is none.
    pub client_program: Option<&'a [String]>,
}

/// Where a run's events go, and who hears of its progress.
pub struct Audience<'a> {
    /// The history, written line by line, each flushed, so that a killed run leaves a readable file; none to judge and forget.
    pub history: Option<&'a mut dyn std::io::Write>,
    /// Called after every operation and whenever something else is done.
    pub progress: &'a mut dyn FnMut(&Progress),
}

/// Runs a plan in a world and judges it.
///
/// `stop` resolves when the user wants out: the run then heals, keeps its history and reports.
///
/// # Errors
/// The world cannot start, or the history cannot be written.
pub fn run(
    site: Site<'_>,
    plan: &Plan,
    name: &str,
    audience: Audience<'_>,
    stop: impl Future<Output = ()>,
) -> Result<Ran, RunError> {
    let Site { world: kind, folder, client_program } = site;
    if kind != WorldKind::Docker && plan.topology.names_images() {
        return Err(WorldError::Impossible(
            "the plan names images, and only the docker world has any: add `--world docker`".into(),
        )
        .into());
    }
    let mut stop = pin!(stop);
    let setup = Setup {
        plan: plan.clone(),
        patterns: schedule::wire_patterns(plan),
        folder: folder.map(Path::to_path_buf),
        client_program: client_program.map(<[String]>::to_vec),
    };
    match kind {
        WorldKind::Sim => {
            crate::world::sim::toxics::simulated(plan).map_err(WorldError::Impossible)?;
            let world = SimWorld::new(setup);
            world.block_on(whole(&world, kind, plan, name, None, audience, stop)).map_err(RunError::StoodStill)?
        }
        WorldKind::Process | WorldKind::Docker => {
            let backend = backend(kind)?;
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            runtime.block_on(async {
                let started = Some(crate::folder::utc::rfc3339(SystemTime::now()));
                let world = unless_stopped(stop.as_mut(), RealWorld::start(setup, backend)).await??;
                whole(&world, kind, plan, name, started, audience, stop).await
            })
        }
    }
}

/// What the nodes and clients of a real world live in.
fn backend(kind: WorldKind) -> Result<Backend, WorldError> {
    match kind {
        #[cfg(feature = "docker")]
        WorldKind::Docker => Ok(Backend::Docker),
        #[cfg(not(feature = "docker"))]
        WorldKind::Docker => Err(WorldError::Missing(
            "this fencepost was built without the docker world: build it with `--features docker`, or use `--world process`"
                .into(),
        )),
        WorldKind::Sim | WorldKind::Process => Ok(Backend::Process),
    }
}

async fn whole<W: World>(
    world: &W,
    kind: WorldKind,
    plan: &Plan,
    name: &str,
    started: Option<String>,
    audience: Audience<'_>,
    mut stop: Pin<&mut impl Future<Output = ()>>,
) -> Result<Ran, RunError> {
    let Audience { history, progress } = audience;
    let header = header::header(plan, name, kind.name(), started, world.versions());
    let recorder = Recorder::begin(&header, history, progress)?;
    recorder.say("starting clients");
    let clients: Vec<String> = [PROBE.to_string()].into_iter().chain(plan.client_names()).collect();
    unless_stopped(stop.as_mut(), world.start_clients(&clients)).await??;
    let began = world.now();
    let ending = course(world, plan, &recorder, stop).await;
    let took = world.now() - began;
    Ok(Ran { header, judgement: recorder.end()?, took, interrupted: ending == Ending::Stopped })
}

/// Starts something, unless the user wants out first.
async fn unless_stopped<T>(stop: Pin<&mut impl Future<Output = ()>>, start: impl Future<Output = T>) -> Result<T, RunError> {
    tokio::select! {
        biased;
        () = stop => Err(RunError::Interrupted),
        started = start => Ok(started),
    }
}

/// Why there is no run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The world could not be started.
    #[error(transparent)]
    World(#[from] WorldError),
    /// Its user wanted out before it had begun.
    #[error("interrupted before the run began")]
    Interrupted,
    /// The history could not be written.
    #[error("the history could not be written: {0}")]
    History(#[from] std::io::Error),
    /// A bug of ours.
    #[error(transparent)]
    StoodStill(crate::world::sim::universe::StoodStill),
}
