//! `fencepost check HISTORY…`.

use super::judging::Judging;
use super::output::{ColourChoice, look, say, say_json};
use super::{Exit, Failure, expect};
use crate::judged::{How, Judged, Keep, Source, judge, write_edn};
use crate::plan::{self, Expectation};
use crate::report::html::page;
use crate::report::json::Object;
use crate::report::terminal::terminal;
use crate::report::{Subject, compare, injected};
use checker::history::Header;
use serde_json::json;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read};
use std::path::{Path, PathBuf};

/// Which histories, and what they must prove.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The histories: of runs, operations as JSONL, Jepsen's EDN or console log, plain, .gz or .zst; - is standard input
    #[arg(required = true, value_name = "HISTORY")]
    histories: Vec<PathBuf>,
    /// What must come out: `safe`, or kinds of finding with commas between; absent: what the plan in the history expects, else safety
    #[arg(long, value_name = "safe|KIND,…", value_parser = expect::expectation)]
    expect: Option<Expectation>,
    #[command(flatten)]
    judging: Judging,
    /// Write the history as Jepsen's EDN; of one history
    #[arg(long, value_name = "FILE")]
    write_edn: Option<PathBuf>,
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
    match args.histories.as_slice() {
        [history] => one(history, args),
        _ if args.html.is_some() => Err(Failure::new(Exit::Usage, "a page shows one history: give --html one history at a time")),
        _ if args.write_edn.is_some() => {
            Err(Failure::new(Exit::Usage, "a file of EDN holds one history: give --write-edn one history at a time"))
        }
        several => all(several, args),
    }
}

fn one(history: &Path, args: &Args) -> Result<Exit, Failure> {
    let (source, subject) = subject(history, args)?;
    if let Some(file) = &args.write_edn {
        let written = match File::create(file) {
            Ok(out) => write_edn(&source, args.judging.bad_lines(), &mut BufWriter::new(out))?,
            Err(why) => Err(why),
        };
        written.map_err(|why| unwritten(file, &why))?;
    }
    if let Some(file) = &args.html {
        std::fs::write(file, page(&subject)).map_err(|why| unwritten(file, &why))?;
    }
    if args.json {
        say_json(&Object::new(&subject, None))?;
    } else {
        say(&terminal(&subject, look(args.color)))?;
    }
    Ok(Exit::from(&subject.standing))
}

fn unwritten(file: &Path, why: &std::io::Error) -> Failure {
    Failure::new(Exit::CannotStart, format!("{} cannot be written: {why}", file.display()))
}

/// What a table of verdicts is called that lies beside the histories.
const TABLE: &str = "passed over: a table of verdicts, not a history";

fn all(histories: &[PathBuf], args: &Args) -> Result<Exit, Failure> {
    let mut worst = Exit::AsExpected;
    let mut objects = Vec::new();
    let mut summary = Vec::new();
    for history in histories {
        if is_table(history) {
            objects.push(json!({ "history": history, "passed_over": TABLE }));
            summary.push(format!("  -  {}  {TABLE}", history.display()));
            continue;
        }
        let (exit, words) = match subject(history, args) {
            Ok((_, subject)) => {
                if args.json {
                    objects.push(json!({ "history": history, "report": Object::new(&subject, None) }));
                } else {
                    let look = look(args.color);
                    say(&format!("{}\n{}\n", look.prose(&history.display().to_string()), terminal(&subject, look)))?;
                }
                (Exit::from(&subject.standing), subject.standing.sentence())
            }
            Err(failure) => {
                objects.push(json!({ "history": history, "error": failure.sentence }));
                (failure.exit, failure.sentence)
            }
        };
        worst = worst.worse(exit);
        summary.push(format!("{:>3}  {}  {words}", exit.code(), look(args.color).prose(&history.display().to_string())));
    }
    if args.json {
        say_json(&json!({ "as_expected": worst == Exit::AsExpected, "histories": objects }))?;
    } else {
        say(&(summary.join("\n") + "\n"))?;
    }
    Ok(worst)
}

/// Whether a file is a table of expected verdicts, as peers' corpora have one in each folder: tabs between columns, the first of which is the file.
fn is_table(path: &Path) -> bool {
    let first_line = |file: File| {
        let mut line = Vec::new();
        BufReader::new(file).take(1 << 12).read_until(b'\n', &mut line).map(|_| line)
    };
    path.extension().is_some_and(|extension| extension == "tsv")
        && File::open(path).and_then(first_line).is_ok_and(|line| line.starts_with(b"file\t"))
}

fn subject(history: &Path, args: &Args) -> Result<(Source, Subject), Failure> {
    let expect = args.expect.as_ref().map(|expected| format!(" --expect {}", expect::written(expected))).unwrap_or_default();
    let replay =
        format!("fencepost check {}{}{expect}", super::shell::quoted(&history.display().to_string()), args.judging.written());
    let keep = if args.html.is_some() { Keep::Everything } else { Keep::Telling };
    let how: How = args.judging.how(keep);
    let failed = |bad| Failure::from(bad).replay(&replay);
    let source = Source::new(history).map_err(failed)?;
    let Judged { header, origin, events, judgement, searched, mut warnings } = judge(&source, &how).map_err(failed)?;
    let expected = args.expect.clone().unwrap_or_else(|| expected(&header, &mut warnings));
    // Whoever stopped the run has had their answer; to whoever checks its history it is a run that was cut short.
    let standing = compare(&expected, &judgement, false);
    let subject = Subject {
        injected: injected(&events, origin),
        origin,
        events,
        header,
        judgement,
        expected,
        standing,
        run: None,
        replay,
        searched,
        warnings,
    };
    Ok((source, subject))
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
