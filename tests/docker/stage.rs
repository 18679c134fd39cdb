//! What the tests of the docker world have in common.

use bollard::Docker;
use bollard::query_parameters::{ListContainersOptionsBuilder, ListNetworksOptionsBuilder};
use fencepost::docker::Engine;
use fencepost::world::{Backend, RealWorld, Setup};
use std::collections::HashMap;
use std::future::Future;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// One test at a time: some look at all that is ours on the engine, and two processors have enough to do with one world.
static TURN: Mutex<()> = Mutex::new(());

/// The engine, for one test at a time; none where there is none, and so a test is passed over.
pub fn engine(test: &str) -> Option<(MutexGuard<'static, ()>, Engine)> {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match on_a_thread(Engine::find()) {
        Ok(engine) => Some((turn, engine)),
        Err(why) => {
            eprintln!("SKIPPED: {test} needs a Docker engine: {why}");
            assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "nothing may be skipped: {why}");
            None
        }
    }
}

pub fn on_a_thread<T>(what: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(what)
}

/// The command, in a folder.
pub fn fencepost(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(args).current_dir(home).env_remove("COLUMNS").env("NO_COLOR", "1");
    command
}

/// What it came to: exit code, standard output, standard error.
pub fn outcome(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code().expect("an exit code"), text(stdout), text(stderr))
}

/// A world whose clients are our own.
pub async fn world(setup: Setup) -> RealWorld {
    let client_program = Some(vec![env!("CARGO_BIN_EXE_fencepost").to_owned(), "client".to_owned()]);
    RealWorld::start(Setup { client_program, ..setup }, Backend::Docker).await.expect("a world")
}

/// The names of the containers and networks of ours that are on the engine.
pub async fn ours(docker: &Docker) -> Vec<String> {
    let filters = HashMap::from([("label", vec!["org.fencepost=run"])]);
    let all = ListContainersOptionsBuilder::new().all(true).filters(&filters).build();
    let containers = docker.list_containers(Some(all)).await.expect("a list");
    let all = ListNetworksOptionsBuilder::new().filters(&filters).build();
    let networks = docker.list_networks(Some(all)).await.expect("a list");
    let names = containers.into_iter().flat_map(|container| container.names.unwrap_or_default());
    let names = names.map(|name| name.trim_start_matches('/').to_owned());
    names.chain(networks.into_iter().filter_map(|network| network.name)).collect()
}

/// Those of one runner.
pub fn of(runner: u32, names: &[String]) -> Vec<&String> {
    names.iter().filter(|name| name.starts_with(&format!("fencepost-{runner}-"))).collect()
}
