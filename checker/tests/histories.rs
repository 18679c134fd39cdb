//! Every history in `histories/` gets the verdict that `histories/expected.toml` says: add a file, add a row.

use checker::finding::{Judgement, Kind, Verdict};
use checker::history::jsonl::Reader;
use checker::judge::Judge;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    verdict: Verdict,
    #[serde(default)]
    find: BTreeSet<Kind>,
    #[serde(default)]
    broken: BTreeSet<String>,
    /// The step to which the first finding is traced.
    cause: Option<String>,
    /// How many stale writes the resource refused.
    rejected: Option<u64>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../histories")
}

fn expected() -> BTreeMap<String, Expected> {
    toml::from_str(&fs::read_to_string(folder().join("expected.toml")).unwrap()).unwrap()
}

fn judge(path: &Path) -> Judgement {
    let mut reader = Reader::new(BufReader::new(File::open(path).unwrap())).unwrap();
    let mut judge = Judge::new(reader.header());
    for event in &mut reader {
        judge.see(&event.unwrap());
    }
    assert_eq!(reader.torn(), None);
    judge.finish()
}

#[test]
fn each_gets_its_verdict() {
    let rows = expected();
    let mut wrong = Vec::new();
    for (file, expected) in &rows {
        let judgement = judge(&folder().join(file));
        let found: BTreeSet<Kind> = judgement.findings.iter().map(|finding| finding.kind).collect();
        let broken: BTreeSet<String> = judgement.broken.iter().map(|broken| broken.name.clone()).collect();
        let step = || judgement.findings.first()?.cause.as_ref()?.step.clone();
        let right = judgement.verdict == expected.verdict
            && found == expected.find
            && broken == expected.broken
            && expected.cause.as_ref().is_none_or(|cause| step().as_ref() == Some(cause))
            && expected.rejected.is_none_or(|rejected| judgement.counts.rejected_stale_writes == rejected);
        if !right {
            wrong.push(format!("{file}: expected {expected:?}, got {judgement:#?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn each_has_a_row() {
    let mut files = BTreeSet::new();
    for property in fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()) {
        for file in fs::read_dir(&property).unwrap().map(|entry| entry.unwrap().path()) {
            files.insert(file.strip_prefix(folder()).unwrap().to_str().unwrap().to_string());
        }
    }
    assert_eq!(files, expected().into_keys().collect());
}

/// Prints what is said of each: `cargo test -p fencepost-checker --test histories -- --ignored --nocapture`.
#[test]
#[ignore = "prints sentences for a person to read"]
fn say_all() {
    for file in expected().keys() {
        println!("{file}");
        let judgement = judge(&folder().join(file));
        judgement.findings.iter().for_each(|finding| println!("    {}: {}", finding.kind, finding.sentence));
        judgement.broken.iter().for_each(|broken| println!("    {}: {}", broken.name, broken.sentence));
    }
}
