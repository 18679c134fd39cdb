//! What this machine has.

use crate::plan::Plan;
use crate::world::{WorldError, WorldKind, sim, toxiproxy};
use std::env;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// How a missing redis-server is had.
pub const GET_REDIS: &str = "install it (Debian, Ubuntu: `apt-get install redis-server`; Fedora: `dnf install redis`; macOS: `brew install redis`), \
     or run in simulation with `--world sim`";

/// The first program of that name on the PATH.
pub fn on_path(program: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let executable = |file: &PathBuf| file.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0);
    env::split_paths(&path).map(|folder| folder.join(program)).find(executable)
}

/// A world, and why this one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// Which.
    pub kind: WorldKind,
    /// Why, in words.
    pub why: String,
}

/// The world to run in: the one asked for, else `process` where a redis-server is on the PATH, else `sim`.
///
/// # Errors
/// What was asked for is not possible here; says what to do.
pub fn choose(asked: Option<WorldKind>) -> Result<Choice, String> {
    let redis = on_path("redis-server");
    match (asked, redis) {
        (Some(WorldKind::Process), None) => {
            Err(format!("the process world needs a redis-server, and there is none on the PATH: {GET_REDIS}"))
        }
        (Some(kind), _) => Ok(Choice { kind, why: "asked for with --world".into() }),
        (None, Some(path)) => Ok(Choice { kind: WorldKind::Process, why: format!("{} is here", path.display()) }),
        (None, None) => Ok(Choice { kind: WorldKind::Sim, why: "there is no redis-server on the PATH".into() }),
    }
}

/// What carries the messages of a plan in a world, in words.
///
/// # Errors
/// What it needs is not here; says what to do.
pub fn wire(kind: WorldKind, plan: &Plan) -> Result<String, WorldError> {
    let links = toxiproxy::of(plan);
    if kind == WorldKind::Sim {
        return sim::toxics::simulated(plan).map(|()| "simulated".into()).map_err(WorldError::Impossible);
    }
    if links.is_empty() {
        return Ok("our own".into());
    }
    let program = toxiproxy::program::find()?;
    let links: Vec<String> = links.iter().map(|link| link.words()).collect();
    Ok(format!("our own, and Toxiproxy ({}) from {}", program.display(), links.join(", from ")))
}

/// A world's public name.
pub fn world_name(kind: WorldKind) -> &'static str {
    kind.name()
}

/// Reads a world from the command line.
///
/// # Errors
/// There is no such world.
pub fn world(name: &str) -> Result<WorldKind, String> {
    let all = WorldKind::ALL;
    let advice = || crate::suggest::advice(name, all.map(world_name));
    all.into_iter().find(|kind| world_name(*kind) == name).ok_or_else(|| format!("there is no world `{name}`: {}", advice()))
}
