//! A plan that is run in one of the worlds.

use checker::history::Event;
use checker::history::jsonl::Reader;
use fencepost::plan::Plan;
use fencepost::run::{Audience, Ran, RunError, Site, run};
use fencepost::world::{WorldError, WorldKind};
use std::future::pending;

/// A run and its events; none where there is no redis-server, which is said.
pub fn ran(world: WorldKind, plan: &Plan) -> Option<(Ran, Vec<Event>)> {
    let client_program = [env!("CARGO_BIN_EXE_fencepost").to_string(), "client".to_string()];
    let mut history = Vec::new();
    let audience = Audience { history: Some(&mut history), progress: &mut |_| {} };
    let site = Site { world, folder: None, client_program: Some(&client_program) };
    match run(site, plan, "a test", audience, pending()) {
        Ok(ran) => Some((ran, Reader::new(history.as_slice()).unwrap().map(Result::unwrap).collect())),
        Err(RunError::World(WorldError::Missing(why))) => {
            assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "{why}");
            eprintln!("SKIPPED: {why}");
            None
        }
        Err(RunError::World(WorldError::Impossible(why))) if !cfg!(feature = "toxiproxy") => {
            assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "{why}");
            eprintln!("SKIPPED: {why}");
            None
        }
        Err(why) => panic!("{why}"),
    }
}
