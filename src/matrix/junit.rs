//! JUnit's XML, as GitLab, Jenkins and GitHub read it: a suite a topology, a case a cell.

use super::{Matrix, Outcome, State};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The whole matrix.
pub fn junit(matrix: &Matrix) -> String {
    let mut suites: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for cell in &matrix.cells {
        suites.entry(&cell.facts.topology).or_default().push(cell);
    }
    let all: Vec<&Outcome> = matrix.cells.iter().collect();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"fencepost\" {}>", counts(&all));
    for (topology, cells) in suites {
        let (name, started) = (escaped(topology), escaped(matrix.started.trim_end_matches('Z')));
        let _ = writeln!(out, "  <testsuite name=\"{name}\" {} timestamp=\"{started}\">", counts(&cells));
        out.push_str("    <properties>\n");
        let world = [("world", matrix.world.as_str())];
        for (name, value) in world.into_iter().chain(matrix.versions.iter().map(|(name, value)| (name.as_str(), value.as_str())))
        {
            let _ = writeln!(out, "      <property name=\"{}\" value=\"{}\"/>", escaped(name), escaped(value));
        }
        out.push_str("    </properties>\n");
        for cell in cells {
            case(&mut out, cell);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// What becomes of a cell in JUnit's three words.
enum Ended {
    Passed,
    Failed,
    Errored,
    Skipped,
}

fn ended(state: State) -> Ended {
    match state {
        State::AsExpected => Ended::Passed,
        State::Changed | State::Unsteady => Ended::Failed,
        State::Environment | State::Interrupted => Ended::Errored,
        State::NotRun | State::Impossible => Ended::Skipped,
    }
}

fn counts(cells: &[&Outcome]) -> String {
    let count = |of: fn(&Ended) -> bool| cells.iter().filter(|cell| of(&ended(cell.state))).count();
    let failures = count(|ended| matches!(ended, Ended::Failed));
    let errors = count(|ended| matches!(ended, Ended::Errored));
    let skipped = count(|ended| matches!(ended, Ended::Skipped));
    let time = seconds(cells.iter().map(|cell| cell.took_ms()).sum());
    format!("tests=\"{}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\" time=\"{time}\"", cells.len())
}

fn case(out: &mut String, cell: &Outcome) {
    let facts = &cell.facts;
    let (name, time) = (escaped(&facts.name), seconds(cell.took_ms()));
    let class = escaped(&format!("fencepost.{}.{}", facts.topology, facts.lock));
    let _ = write!(out, "    <testcase name=\"{name}\" classname=\"{class}\" time=\"{time}\"");
    let (element, kind) = match ended(cell.state) {
        Ended::Passed => {
            out.push_str("/>\n");
            return;
        }
        Ended::Failed => ("failure", " type=\"verdict\""),
        Ended::Errored => ("error", " type=\"environment\""),
        Ended::Skipped => ("skipped", ""),
    };
    let message = escaped(&format!("{}; expected: {}", cell.words(), facts.expect.join(", ")));
    let _ = write!(out, ">\n      <{element} message=\"{message}\"{kind}>");
    if let Some(told) = cell.told() {
        let reproduce = format!("Reproduce: {}", told.replay);
        let lines: Vec<&str> = told.sentences.iter().map(String::as_str).chain([reproduce.as_str()]).collect();
        out.push_str(&escaped(&lines.join("\n")));
    }
    let _ = writeln!(out, "</{element}>\n    </testcase>");
}

fn seconds(ms: u64) -> String {
    format!("{:.3}", ms as f64 / 1000.0)
}

/// Text that XML 1.0 can hold: what it cannot, even escaped, is replaced.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push_str("&#9;"),
            '\u{0}'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}
