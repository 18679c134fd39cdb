//! `fencepost matrix`: every cell, each verdict against the expected one.

mod settings;
mod tally;

pub use settings::Args;

use super::output::{look, say, say_json};
use super::signal::Stop;
use super::{Exit, Failure, machine};
use crate::folder::RunFolder;
use crate::folder::utc::rfc3339;
use crate::matrix::attempt::Place;
use crate::matrix::compare::compare;
use crate::matrix::crew::{self, News, Orders, not_run};
use crate::matrix::record::{self, Record};
use crate::matrix::{CameOut, Cell, Matrix, Outcome, State, junit, markdown, page, table};
use settings::{Compare, Settings};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::{Instant, SystemTime};
use tally::Tally;

/// Runs it.
///
/// # Errors
/// There is nothing to run, or what came out cannot be kept.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    match &args.compare() {
        Some(two) => compared(two),
        None => whole(&args.settings()?),
    }
}

/// Cells ─▶ runs ─▶ outcomes ─▶ reports.
fn whole(settings: &Settings) -> Result<Exit, Failure> {
    let cells = settings.cells()?;
    let choice = machine::choose(settings.world())
        .map_err(|sentence| Failure::new(Exit::CannotStart, sentence).replay(settings.replay(None)))?;
    let world_name = machine::world_name(choice.kind);
    eprintln!("world: {world_name} ({})", choice.why);
    let folder = settings.folder()?;
    let replay = settings.replay(Some(world_name));
    let unwritable = |why| Failure::new(Exit::CannotStart, format!("{} cannot be written: {why}", folder.path().display()));

    let (began, started) = (Instant::now(), rfc3339(SystemTime::now()));
    let before = settings.done_before(&cells)?;
    let mut record = Record::open(folder.path()).map_err(unwritable)?;
    let stop = Stop::on_signal();
    let place = Place { world: choice.kind, world_name, folder: folder.path() };
    let (left, mut outcomes): (Vec<Cell>, BTreeMap<String, Outcome>) = split(&cells, before);
    let mut tally = Tally::new(left.len(), outcomes.len());
    let mut lost = None;
    let orders = Orders { until: settings.max_time().map(|most| began + most), ..settings.orders() };
    crew::run(
        &left,
        orders,
        place,
        || stop.wanted(),
        || stop.is_wanted(),
        |news| match news {
            News::Begun(index) => tally.begun(left[index].name()),
            News::Over(index, outcome) => {
                tally.over(&outcome);
                lost = record.add(&left[index], &outcome).err().or(lost.take());
                outcomes.insert(left[index].name().to_owned(), *outcome);
            }
        },
    );
    drop(tally);
    if let Some(why) = lost {
        return Err(unwritable(why));
    }
    let matrix = Matrix {
        world: world_name.to_owned(),
        started,
        took_ms: began.elapsed().as_millis().try_into().unwrap_or(u64::MAX),
        partition: settings.partition().map(|partition| partition.to_string()),
        versions: versions(&outcomes),
        cells: cells.iter().map(|cell| outcomes.remove(cell.name()).unwrap_or_else(|| not_run(cell, stop.is_wanted()))).collect(),
        run: folder.path().display().to_string(),
        replay,
    };
    keep(&matrix, &folder, settings).map_err(unwritable)?;
    tell(&matrix, settings)?;
    if stop.is_wanted() {
        eprintln!("interrupted; go on with: {} --resume {}", matrix.replay, super::shell::quoted(&matrix.run));
        return Ok(Exit::Interrupted);
    }
    Ok(exit(&matrix))
}

fn split(cells: &[Cell], before: Vec<Option<Outcome>>) -> (Vec<Cell>, BTreeMap<String, Outcome>) {
    let (mut left, mut done) = (Vec::new(), BTreeMap::new());
    for (cell, outcome) in cells.iter().zip(before) {
        match outcome {
            Some(outcome) => {
                done.insert(cell.name().to_owned(), outcome);
            }
            None => left.push(cell.clone()),
        }
    }
    (left, done)
}

fn versions(outcomes: &BTreeMap<String, Outcome>) -> BTreeMap<String, String> {
    outcomes.values().flat_map(|outcome| &outcome.attempts).flat_map(|attempt| attempt.versions.clone()).collect()
}

/// Everything that machines and people read later.
fn keep(matrix: &Matrix, folder: &RunFolder, settings: &Settings) -> std::io::Result<()> {
    folder.keep("matrix.json", matrix)?;
    folder.keep_text("matrix.html", &page::page(matrix))?;
    folder.keep_text("junit.xml", &junit::junit(matrix))?;
    folder.keep_text("summary.md", &markdown::summary(matrix))?;
    if let Some(path) = settings.junit() {
        written(path, &junit::junit(matrix))?;
    }
    if let Some(path) = settings.markdown() {
        written(path, &markdown::summary(matrix))?;
    }
    Ok(())
}

fn written(path: &Path, text: &str) -> std::io::Result<()> {
    std::fs::write(path, text).map_err(|why| std::io::Error::new(why.kind(), format!("{}: {why}", path.display())))
}

fn tell(matrix: &Matrix, settings: &Settings) -> Result<(), Failure> {
    if let Some(summary) = std::env::var_os("GITHUB_STEP_SUMMARY") {
        let file = std::fs::File::options().create(true).append(true).open(&summary);
        if let Err(why) = file.and_then(|mut file| file.write_all(markdown::summary(matrix).as_bytes())) {
            eprintln!("the step's summary cannot be written: {why}");
        }
    }
    if settings.json() {
        return say_json(matrix);
    }
    if std::env::var_os("GITHUB_ACTIONS").is_some() {
        say(&markdown::annotations(matrix))?;
    }
    say(&table::table(matrix, look(settings.colour())))
}

/// The worst of all cells; green only where at least one came out as expected and none is trouble.
fn exit(matrix: &Matrix) -> Exit {
    let ended = |came_out: &CameOut| match came_out {
        CameOut::AsExpected | CameOut::Impossible => Exit::AsExpected,
        CameOut::Violation(_) => Exit::Violation,
        CameOut::Missing(_) => Exit::Missing,
        CameOut::OnlyLiveness(_) => Exit::OnlyLiveness,
        CameOut::Assumptions(_) => Exit::Assumptions,
        CameOut::Unknown => Exit::Unknown,
        CameOut::Nothing => Exit::Nothing,
        CameOut::Interrupted => Exit::Interrupted,
        CameOut::Environment => Exit::CannotStart,
    };
    let of = |cell: &Outcome| match cell.state {
        State::AsExpected | State::Impossible => Exit::AsExpected,
        State::NotRun => Exit::Unknown,
        State::Interrupted => Exit::Interrupted,
        State::Environment => Exit::CannotStart,
        State::Changed | State::Unsteady => {
            let judged = cell.attempts.iter().map(|attempt| ended(&attempt.came_out));
            judged.filter(|exit| *exit != Exit::CannotStart).fold(Exit::AsExpected, Exit::worse)
        }
    };
    let ran = |cell: &Outcome| !matches!(cell.state, State::NotRun | State::Impossible);
    if !matrix.cells.iter().any(ran) {
        return Exit::Nothing;
    }
    matrix.cells.iter().map(of).fold(Exit::AsExpected, Exit::worse)
}

fn compared(two: &Compare) -> Result<Exit, Failure> {
    let read = |path: &Path| -> Result<Matrix, Failure> {
        let bad = |why: String| Failure::new(Exit::BadInput, format!("{} is no matrix.json: {why}", path.display()));
        let text = std::fs::read(path).map_err(|why| bad(why.to_string()))?;
        serde_json::from_slice(&text).map_err(|why| bad(why.to_string()))
    };
    let comparison = compare(&read(&two.old)?, &read(&two.new)?);
    match two.json {
        true => say_json(&comparison)?,
        false => say(&comparison.lines())?,
    }
    Ok(if comparison.is_worse() { Exit::Violation } else { Exit::AsExpected })
}

impl Args {
    /// Whether a machine reads the result.
    pub fn json(&self) -> bool {
        self.compare().map_or_else(|| self.json_asked(), |two| two.json)
    }
}

/// Cells that were done before a night was interrupted.
fn resumed(folder: &Path, cells: &[Cell]) -> Result<Vec<Option<Outcome>>, Failure> {
    record::read(folder, cells).map_err(|why| {
        let sentence = format!("{} cannot be gone on with: {}: {why}", folder.display(), record::FILE);
        Failure::new(Exit::BadInput, sentence)
    })
}
