//! A matrix as one page: the locks of each topology, their faults, and each cell in its colour and leading to the report of its run. It needs no network and no script.

use super::{Matrix, Outcome, State};
use crate::report::html::template::{escape, fill};
use std::collections::BTreeMap;
use std::fmt::Write;

const PAGE: &str = include_str!("page.html");

/// The page, for the matrix's folder.
pub fn page(matrix: &Matrix) -> String {
    let green = matrix.troubles().is_empty() && matrix.count(State::AsExpected) > 0;
    fill(PAGE, |name| match name {
        "title" => escape(&matrix.summary()),
        "tone" => (if green { "good" } else { "bad" }).into(),
        "started" => escape(&matrix.started),
        "versions" => escape(&versions(matrix)),
        "replay" => escape(&matrix.replay),
        "troubles" => troubles(matrix),
        "tables" => tables(matrix),
        _ => unreachable!("the page has no place {name}"),
    })
}

fn versions(matrix: &Matrix) -> String {
    let versions = matrix.versions.iter().map(|(name, version)| format!("{name} {version}"));
    versions.collect::<Vec<_>>().join(", ")
}

fn troubles(matrix: &Matrix) -> String {
    let mut out = String::new();
    for cell in matrix.troubles() {
        let _ = write!(out, "<li>{} {}", chip(cell), escape(&cell.words()));
        let _ = write!(out, " <span class=\"dim\">expected: {}</span>", escape(&cell.facts.expect.join(", ")));
        if let Some(told) = cell.told() {
            for sentence in &told.sentences {
                let _ = write!(out, "<p>{}</p>", escape(sentence));
            }
            let _ = write!(out, "<pre>{}</pre>", escape(&told.replay));
        }
        out.push_str("</li>\n");
    }
    if out.is_empty() {
        String::new()
    } else {
        format!("<section><h2>To be looked at</h2><ul class=\"troubles\">{out}</ul></section>")
    }
}

fn tables(matrix: &Matrix) -> String {
    let mut topologies: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for cell in &matrix.cells {
        topologies.entry(&cell.facts.topology).or_default().push(cell);
    }
    topologies.into_iter().map(|(topology, cells)| table(topology, &cells)).collect()
}

/// A lock after the other, its faults beside it, and beside each its cells.
fn table(topology: &str, cells: &[&Outcome]) -> String {
    let mut locks: BTreeMap<&str, BTreeMap<String, Vec<&Outcome>>> = BTreeMap::new();
    for cell in cells {
        let faults = locks.entry(&cell.facts.lock).or_default();
        faults.entry(cell.facts.faults.join(" + ")).or_default().push(cell);
    }
    let mut out = format!(
        "<section><h2>{}</h2><table><thead><tr><th scope=\"col\">lock</th><th scope=\"col\">fault</th><th scope=\"col\">cells</th></tr></thead>\n",
        escape(topology)
    );
    for (lock, faults) in locks {
        let _ = write!(out, "<tbody><tr><th scope=\"rowgroup\" rowspan=\"{}\">{}</th>", faults.len(), escape(lock));
        for (i, (fault, cells)) in faults.iter().enumerate() {
            let row = if i == 0 { "" } else { "<tr>" };
            let chips: String = cells.iter().map(|cell| chip(cell)).collect();
            let _ =
                writeln!(out, "{row}<td class=\"dim\">{}</td><td><div class=\"chips\">{chips}</div></td></tr>", escape(fault));
        }
        out.push_str("</tbody>\n");
    }
    out.push_str("</table></section>\n");
    out
}

/// A cell, which leads to the report of the run that is told of.
fn chip(cell: &Outcome) -> String {
    let class = match cell.state {
        State::AsExpected => "good",
        State::Changed | State::Unsteady => "bad",
        State::Environment | State::Interrupted => "doubt",
        State::NotRun | State::Impossible => "none",
    };
    let title = format!("{}\nexpected: {}\n{:.1} s", cell.words(), cell.facts.expect.join(", "), cell.took_ms() as f64 / 1000.0);
    let (name, title) = (escape(&cell.facts.name), escape(&title));
    let sign = match cell.state {
        State::AsExpected => "✓",
        State::Changed => "✗",
        State::Unsteady => "≈",
        State::Environment | State::Interrupted => "!",
        State::NotRun | State::Impossible => "–",
    };
    // Only a run that came about has a report.
    let judged = cell.told().filter(|told| !matches!(told.came_out, super::CameOut::Environment | super::CameOut::Impossible));
    match judged.and_then(|told| told.run.as_ref()) {
        Some(run) => {
            format!("<a class=\"chip {class}\" href=\"{}/report.html\" title=\"{title}\">{sign} {name}</a>", escape(run))
        }
        None => format!("<span class=\"chip {class}\" title=\"{title}\">{sign} {name}</span>"),
    }
}
