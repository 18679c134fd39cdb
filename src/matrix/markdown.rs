//! A matrix for GitHub and GitLab: a summary in Markdown, and an annotation for each cell that is to be looked at.

use super::{Matrix, Outcome, State};
use std::fmt::Write;

/// The summary: what is to be looked at first, then everything, folded.
pub fn summary(matrix: &Matrix) -> String {
    let mut out = String::new();
    let part = matrix.partition.as_ref().map_or(String::new(), |partition| format!(", part {partition}"));
    let _ = writeln!(out, "## Fencepost: {}{part}\n", plain(&matrix.summary()));
    let troubles = matrix.troubles();
    if !troubles.is_empty() {
        out.push_str("| cell | lock | topology | expected | came out |\n|---|---|---|---|---|\n");
        for cell in &troubles {
            row(&mut out, cell, &cell.words());
        }
        out.push('\n');
    }
    for cell in &troubles {
        let Some(told) = cell.told() else { continue };
        let _ = writeln!(out, "**{}**\n", plain(&cell.facts.name));
        for sentence in &told.sentences {
            let _ = writeln!(out, "- {}", plain(sentence));
        }
        let _ = writeln!(out, "\n```sh\n{}\n```\n", told.replay.replace("```", "` ` `"));
    }
    out.push_str(
        "<details><summary>Every cell</summary>\n\n| cell | lock | topology | expected | came out |\n|---|---|---|---|---|\n",
    );
    for cell in &matrix.cells {
        row(&mut out, cell, if cell.state == State::AsExpected { "as expected" } else { cell.state.words() });
    }
    out.push_str("\n</details>\n");
    out
}

fn row(out: &mut String, cell: &Outcome, came_out: &str) {
    let facts = &cell.facts;
    let columns = [&facts.name, &facts.lock, &facts.topology, &facts.expect.join(", "), came_out].map(plain);
    let _ = writeln!(out, "| {} |", columns.join(" | "));
}

/// Text that stays what it is in Markdown, also in a table.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '~' | '&' => out.extend(['\\', c]),
            '\n' | '\r' => out.push(' '),
            c => out.push(c),
        }
    }
    out
}

/// What GitHub shows beside the commit: a command a cell, on standard output.
pub fn annotations(matrix: &Matrix) -> String {
    let mut out = String::new();
    for cell in matrix.troubles() {
        let sentences =
            cell.told().map_or(String::new(), |told| format!("{}\nReproduce: {}", told.sentences.join("\n"), told.replay));
        let title = property(&format!("{}: {}", cell.facts.name, cell.words()));
        let _ = writeln!(out, "::error title={title}::{}", message(&sentences));
    }
    out
}

/// As GitHub's runner unescapes a message.
fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// As it unescapes a property.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
