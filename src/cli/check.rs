//! `fencepost check HISTORY…`.

use super::output::{ColourChoice, look, say, say_json};
use super::shell::quoted;
use super::{Exit, Failure, expect};
use crate::judged::{Keep, judge};
use crate::plan::{self, Expectation};
use crate::report::html::page;
use crate::report::json::Object;
use crate::report::terminal::terminal;
use crate::report::{Subject, compare, injected};
use checker::history::Header;
use serde_json::json;
use std::path::{Path, PathBuf};

/// Which histories, and what they must prove.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The histories
    #[arg(required = true, value_name = "HISTORY")]
    histories: Vec<PathBuf>,
    /// What must come out: `safe`, or kinds of finding with commas between; absent: what the plan in the history expects, else safety
    #[arg(long, value_name = "safe|KIND,…", value_parser = expect::expectation)]
    expect: Option<Expectation>,
    /// Write a page that shows the whole history, to be opened in a browser; of one history
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,
    /// When to use colours
    #[arg(long, visible_alias = "colour", default_value = "auto", value_name = "WHEN")]
    color: ColourChoice,
}

/// Judges them; of several the worst decides how the command ends.
///
/// # Errors
/// One cannot be read. Of several, the others are still judged.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    if let [history] = args.histories.as_slice() {
        let subject = subject(history, args)?;
        if let Some(file) = &args.html {
            write_page(file, &subject)?;
        }
        if args.json {
            say_json(&Object::new(&subject, None));
        } else {
            say(&terminal(&subject, look(args.color)));
        }
        return Ok(Exit::from(&subject.standing));
    }
    if args.html.is_some() {
        return Err(Failure::new(Exit::Usage, "a page shows one history: give --html one history at a time"));
    }
    let mut worst = Exit::AsExpected;
    let mut objects = Vec::new();
    let mut summary = Vec::new();
    for history in &args.histories {
        let (exit, words) = match subject(history, args) {
            Ok(subject) => {
                if args.json {
                    objects.push(json!({ "history": history, "report": Object::new(&subject, None) }));
                } else {
                    say(&format!("{}\n{}\n", history.display(), terminal(&subject, look(args.color))));
                }
                (Exit::from(&subject.standing), subject.standing.sentence())
            }
            Err(failure) => {
                objects.push(json!({ "history": history, "error": failure.sentence }));
                (failure.exit, failure.sentence)
            }
        };
        worst = worst.worse(exit);
        summary.push(format!("{:>3}  {}  {words}", exit.code(), history.display()));
    }
    if args.json {
        say_json(&json!({ "as_expected": worst == Exit::AsExpected, "histories": objects }));
    } else {
        say(&(summary.join("\n") + "\n"));
    }
    Ok(worst)
}

fn write_page(file: &Path, subject: &Subject) -> Result<(), Failure> {
    std::fs::write(file, page(subject))
        .map_err(|why| Failure::new(Exit::CannotStart, format!("{} cannot be written: {why}", file.display())))
}

fn subject(path: &Path, args: &Args) -> Result<Subject, Failure> {
    let mut replay = format!("fencepost check {}", quoted(&path.display().to_string()));
    if let Some(expected) = &args.expect {
        replay.push_str(&format!(" --expect {}", expect::written(expected)));
    }
    let keep = if args.html.is_some() { Keep::Everything } else { Keep::Telling };
    let history = judge(path, keep).map_err(|bad| Failure::from(bad).replay(&replay))?;
    let mut warnings = history.warnings;
    let expected = args.expect.clone().unwrap_or_else(|| expected(&history.header, &mut warnings));
    // Whoever stopped the run has had their answer; to whoever checks its history it is a run that was cut short.
    let standing = compare(&expected, &history.judgement, false);
    Ok(Subject {
        injected: injected(&history.events, history.origin),
        origin: history.origin,
        events: history.events,
        header: history.header,
        judgement: history.judgement,
        expected,
        standing,
        run: None,
        replay,
        warnings,
    })
}

/// What the plan in a history expects. A history is judged even where its plan cannot be read, as that of a later version.
fn expected(header: &Header, warnings: &mut Vec<String>) -> Expectation {
    let Some(text) = &header.plan else { return Expectation::default() };
    match plan::read("the plan in the history", text) {
        Ok(plan) => plan.expect,
        Err(bad) => {
            warnings
                .push(format!("the plan in the history cannot be read, so safety was expected: {}", bad.problems[0].sentence));
            Expectation::default()
        }
    }
}
