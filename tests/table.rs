//! The README's table of what breaks and what holds is made from runs: every scenario is run in simulation, and what came out is put beside what is
//! done. That real Redis comes to the same is `tests/scenarios.rs`'s to see.
//!
//! `FENCEPOST_WRITE=1 cargo test --test table` writes it anew.

mod ran;

use checker::finding::{Judgement, Kind};
use fencepost::scenario::{self, Scenario};
use fencepost::world::WorldKind;
use ran::ran;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::Path;

const ROWS: &str = include_str!("table/rows.toml");
const BEGIN: &str = "<!-- Made by tests/table.rs: FENCEPOST_WRITE=1 cargo test --test table -->\n";
const END: &str = "<!-- end -->";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rows {
    row: Vec<Row>,
}

/// Scenarios of which the same is to be said.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    /// By name; `healthy-*` is all whose names begin so.
    scenarios: Vec<String>,
    /// What happens to the lock.
    done: String,
    /// What is worth saying of what came out, besides what it was.
    #[serde(default)]
    says: String,
}

impl Row {
    fn has(&self, name: &str) -> bool {
        self.scenarios.iter().any(|listed| match listed.strip_suffix('*') {
            Some(beginning) => name.starts_with(beginning),
            None => listed == name,
        })
    }

    fn line(&self) -> String {
        let mine: Vec<&Scenario> = scenario::all().iter().filter(|scenario| self.has(scenario.name)).collect();
        assert!(!mine.is_empty(), "there is no scenario {:?}", self.scenarios);
        let judged: Vec<Judgement> = mine.iter().map(|scenario| judged(scenario)).collect();
        let broken: BTreeSet<bool> = mine.iter().zip(&judged).map(|(scenario, judged)| breaks(scenario, judged)).collect();
        assert_eq!(broken.len(), 1, "of {:?} some break and some hold: they are two rows", self.scenarios);
        let verdict = if broken.contains(&true) { "**breaks**" } else { "**holds**" };
        // In the order in which the checker names them.
        let found = Kind::ALL.into_iter().filter(|kind| judged.iter().any(|judged| finds(judged, *kind)));
        let found = found.map(|kind| kind.name().replace('-', " ")).collect::<Vec<_>>().join(", ");
        let names = self.scenarios.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let out = [format!("{verdict}{}{found}", if found.is_empty() { "" } else { ": " }), self.says.clone()];
        let out = out.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        format!("| {names} | {} | {out} |\n", self.done)
    }
}

fn finds(judged: &Judgement, kind: Kind) -> bool {
    judged.findings.iter().any(|finding| finding.kind == kind)
}

/// A stale holder whose writes are refused is what fencing is for, and what a plan lets be is no harm to its lock.
fn breaks(scenario: &Scenario, judged: &Judgement) -> bool {
    let (fenced, allowed) = (judged.counts.rejected_stale_writes > 0, scenario.plan().expect.allow);
    judged.findings.iter().any(|finding| !(fenced && finding.kind == Kind::StaleHolder || allowed.contains(&finding.kind)))
}

fn judged(scenario: &Scenario) -> Judgement {
    let (ran, _) = ran(WorldKind::Sim, &scenario.plan()).expect("a simulation needs nothing");
    assert!(ran.judgement.broken.is_empty(), "{}: {:?}", scenario.name, ran.judgement.broken);
    ran.judgement
}

#[test]
fn the_table_is_what_runs_come_to() {
    let Rows { row: rows } = toml::from_str(ROWS).expect("rows");
    for scenario in scenario::all() {
        let listed = rows.iter().filter(|row| row.has(scenario.name)).count();
        assert_eq!(listed, 1, "{} is in {listed} rows of tests/table/rows.toml", scenario.name);
    }
    let head = "| scenario | what is done | what comes out |\n|---|---|---|\n";
    let table: String = std::iter::once(head.to_owned()).chain(rows.iter().map(Row::line)).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&path).expect("the README");
    let (before, rest) = readme.split_once(BEGIN).expect("the table's beginning");
    let (there, after) = rest.split_once(END).expect("the table's end");
    if std::env::var_os("FENCEPOST_WRITE").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{table}{END}{after}")).expect("the README is ours");
    } else {
        assert_eq!(
            there, table,
            "the README's table is not what runs come to; write it anew: FENCEPOST_WRITE=1 cargo test --test table"
        );
    }
}
