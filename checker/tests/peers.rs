//! Peer checkers' histories, with the verdict on which all of them agree.

use checker::engine::{Limits, Outcome};
use checker::format::{self, BadLines, Content};
use checker::model::Name;
use std::path::PathBuf;
use std::time::Duration;

/// The folder of the corpora; none where it is missing, which is loud, and a failure where skips are.
fn corpus(name: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/peers");
    let folder = std::env::var_os("FENCEPOST_PEERS").map_or(beside, PathBuf::from).join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none_or(|value| value != "1"), "{} is missing", folder.display());
    eprintln!("SKIPPED: {} is missing; set FENCEPOST_PEERS to the folder of the peers' corpora", folder.display());
    None
}

/// File and expected verdict, from the column of this name.
fn expected(folder: &std::path::Path) -> Vec<(PathBuf, bool)> {
    let table = std::fs::read_to_string(folder.join("expected.tsv")).expect("the table is there");
    let mut lines = table.lines();
    let column =
        lines.next().expect("a header").split('\t').position(|name| name == "linearizable").expect("a column of verdicts");
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            (folder.join(cells[0]), cells[column].eq_ignore_ascii_case("true"))
        })
        .collect()
}

/// Whether a file is linearizable, by the model that its content suggests.
fn verdict(path: &std::path::Path) -> bool {
    let limits = Limits { time: Duration::from_secs(20), ..Limits::default() };
    let (records, model, initial) = match format::open(path, BadLines::Refuse).unwrap_or_else(|error| panic!("{error}")) {
        Content::Objects(objects) => (objects.records, objects.model, objects.initial),
        Content::Locks(locks) => {
            (locks.records().unwrap_or_else(|error| panic!("{error}")).0, Name::FencedMutex, Default::default())
        }
        Content::Events(_) => panic!("{} holds no events", path.display()),
    };
    let parts = model.check(&initial, &records, &limits).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    for part in &parts {
        if let Outcome::Unknown(stuck, bound) = &part.outcome {
            panic!("{}: no answer within {bound:?}, stuck at {stuck:?}", path.display());
        }
        assert_eq!(
            part.outcome.is_violation(),
            !part.minimal.is_empty(),
            "{}: a violation is proved, and nothing else",
            path.display()
        );
    }
    parts.iter().all(|part| part.outcome.is_linearizable())
}

fn agrees(name: &str) {
    let Some(folder) = corpus(name) else { return };
    let files = expected(&folder);
    assert!(files.len() > 10, "{} names {} files", folder.display(), files.len());
    let wrong: Vec<_> = files.iter().filter(|(path, linearizable)| verdict(path) != *linearizable).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn etcd_registers() {
    agrees("etcd");
}

#[test]
fn knossos_histories() {
    agrees("knossos");
}

#[test]
fn locks_and_fenced_registers() {
    agrees("locks");
}
