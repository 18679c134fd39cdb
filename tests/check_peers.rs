//! `check` on peers' corpora, as it is called on them: every file in one command, against the verdicts on which all peers agree.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of the corpora; none where it is missing, which is loud, and a failure where skips are.
fn peers() -> Option<PathBuf> {
    let beside = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/peers");
    let folder = std::env::var_os("FENCEPOST_PEERS").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none_or(|value| value != "1"), "{} is missing", folder.display());
    eprintln!("SKIPPED: {} is missing; set FENCEPOST_PEERS to the folder of the peers' corpora", folder.display());
    None
}

/// What `folder/*/*` stands for.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = |folder: &Path| {
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut entries: Vec<PathBuf> = entries.collect();
        entries.sort();
        entries
    };
    entries(folder).into_iter().filter(|entry| entry.is_dir()).flat_map(|corpus| entries(&corpus)).collect()
}

/// Whether each file that a table names is linearizable.
fn expected(table: &Path) -> BTreeMap<PathBuf, bool> {
    let text = std::fs::read_to_string(table).expect("the table is there");
    let mut lines = text.lines().map(|line| line.split('\t').collect::<Vec<_>>());
    let header = lines.next().expect("a header");
    let column = header.iter().position(|name| *name == "linearizable").expect("a column of verdicts");
    let folder = table.parent().expect("it lies in a folder");
    lines.map(|cells| (folder.join(cells[0]), cells[column].eq_ignore_ascii_case("true"))).collect()
}

#[test]
fn every_verdict_is_the_one_on_which_peers_agree() {
    let Some(peers) = peers() else { return };
    let files = files(&peers);
    let (tables, histories): (Vec<PathBuf>, Vec<PathBuf>) =
        files.iter().cloned().partition(|file| file.ends_with("expected.tsv"));
    let expected: BTreeMap<PathBuf, bool> = tables.iter().flat_map(|table| expected(table)).collect();
    assert!(histories.len() > 100 && expected.len() == histories.len(), "{} of {}", expected.len(), histories.len());

    let output =
        Command::new(env!("CARGO_BIN_EXE_fencepost")).args(["check", "--json"]).args(&files).output().expect("it starts");
    let object: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(output.status.code(), Some(1), "some of them are violations, and nothing is worse");
    let told = object["histories"].as_array().expect("histories");
    assert_eq!(told.len(), files.len());
    let mut wrong = Vec::new();
    for (file, told) in files.iter().zip(told) {
        assert_eq!(told["history"].as_str().map(Path::new), Some(file.as_path()));
        let Some(&linearizable) = expected.get(file) else {
            assert_eq!(told["passed_over"], "passed over: a table of verdicts, not a history");
            continue;
        };
        let verdict = told["report"]["verdict"].as_str();
        let agreed = if linearizable { "valid" } else { "violation" };
        // In one of them only the nemesis did anything: an order of nothing is an order, and that it was nothing is said.
        if told["report"]["counts"]["operations"] == 0 {
            let warnings = told["report"]["warnings"].to_string();
            assert!(warnings.contains("no client did anything"), "{}: {warnings}", file.display());
        }
        if verdict != Some(agreed) {
            wrong.push(format!("{}: {verdict:?} {}", file.display(), told["error"]));
        }
        let findings = told["report"]["findings"].as_array().expect("findings");
        let proven = |finding: &Value| finding["events"].as_array().is_some_and(|events| !events.is_empty());
        assert!(findings.iter().all(proven), "{}: {findings:?}", file.display());
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
