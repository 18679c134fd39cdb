//! The command line of `matrix`.

use super::super::images::{self, Image};
use super::super::output::ColourChoice;
use super::super::shell::quoted;
use super::super::{Exit, Failure, machine};
use crate::folder::RunFolder;
use crate::matrix::cell::cells;
use crate::matrix::crew::Orders;
use crate::matrix::file::{self, MatrixFile};
use crate::matrix::filter::Filter;
use crate::matrix::partition::Partition;
use crate::matrix::{Cell, Outcome};
use crate::world::WorldKind;
use clap::Subcommand;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// `fencepost matrix [FILE.toml]`.
#[derive(Debug, Clone, clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Args {
    #[command(subcommand)]
    what: Option<What>,
    #[command(flatten)]
    settings: How,
}

#[derive(Debug, Clone, Subcommand)]
enum What {
    /// Say which verdicts changed between two nights
    Compare(Compare),
}

/// `fencepost matrix compare OLD NEW`.
#[derive(Debug, Clone, clap::Args)]
pub struct Compare {
    /// The matrix.json of the earlier night
    pub old: PathBuf,
    /// The matrix.json of the later one
    pub new: PathBuf,
    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Clone, clap::Args)]
struct How {
    /// The matrix's file; absent: every scenario
    file: Option<PathBuf>,
    /// Where to run; absent: `process` where a redis-server is on the PATH, else `sim`
    #[arg(long, value_parser = machine::world)]
    world: Option<WorldKind>,
    /// The image whose Redis server the nodes are, in the docker world; NODE=IMAGE for one of them. Absent: one made from this
    /// machine's own server. An axis of a matrix file runs cells on several
    #[arg(long = "image", value_name = "[NODE=]IMAGE", value_parser = images::image)]
    images: Vec<Image>,
    /// One part of several, for several machines
    #[arg(long, value_name = "PART/OF")]
    partition: Option<Partition>,
    /// How many cells at once; absent: as many as there are cores
    #[arg(long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Only cells that this takes, such as `lock(set-nx-px) & fault(pause) - name(gc-*)`
    #[arg(long, value_name = "EXPRESSION")]
    filter: Option<String>,
    /// Run each cell so many times, each time with the next seed
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    repeat: u32,
    /// Begin no cell after so long, such as `90s`, `20m`, `2h`
    #[arg(long, value_name = "TIME", value_parser = time)]
    max_time: Option<Duration>,
    /// Try again so many times where the world cannot start; nothing else is ever tried again
    #[arg(long, default_value_t = 0, value_name = "N")]
    retry_environment: u32,
    /// Go on with a night that was interrupted, from its folder
    #[arg(long, value_name = "DIR")]
    resume: Option<PathBuf>,
    /// Write JUnit's XML there
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write a summary in Markdown there
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// Where runs are kept
    #[arg(long, default_value = "runs", value_name = "DIR")]
    runs_dir: PathBuf,
    /// When to use colours
    #[arg(long, visible_alias = "colour", default_value = "auto", value_name = "WHEN")]
    color: ColourChoice,
}

impl Args {
    /// The two nights that are to be compared, where that was asked for.
    pub fn compare(&self) -> Option<Compare> {
        self.what.clone().map(|What::Compare(two)| two)
    }

    /// Whether a machine reads what a night came to.
    pub fn json_asked(&self) -> bool {
        self.settings.json
    }

    /// What is to be run, and how.
    ///
    /// # Errors
    /// The matrix's file or the filter cannot be understood.
    pub fn settings(&self) -> Result<Settings, Failure> {
        let how = self.settings.clone();
        let (text, file, folder) = match &how.file {
            None => (String::new(), MatrixFile::default(), PathBuf::from(".")),
            Some(path) => {
                let unreadable = |why| Failure::new(Exit::BadInput, format!("{} cannot be read: {why}", path.display()));
                let text = std::fs::read(path).map_err(unreadable)?;
                let file = file::read(&path.display().to_string(), &text)?;
                let folder = path.parent().map_or(PathBuf::from("."), Path::to_owned);
                (String::from_utf8_lossy(&text).into_owned(), file, folder)
            }
        };
        let filter = match &how.filter {
            None => Filter::All,
            Some(text) => {
                text.parse().map_err(|bad| Failure::new(Exit::Usage, format!("this filter cannot be understood:\n{bad}")))?
            }
        };
        Ok(Settings { how, text, file, folder, filter })
    }
}

/// What is to be run, and how.
#[derive(Debug)]
pub struct Settings {
    how: How,
    /// The matrix's file as it is.
    text: String,
    file: MatrixFile,
    /// Where the file is.
    folder: PathBuf,
    filter: Filter,
}

impl Settings {
    /// The cells that are to be run.
    ///
    /// # Errors
    /// A plan is unsound, or there is no cell.
    pub fn cells(&self) -> Result<Vec<Cell>, Failure> {
        let mut all = cells(&self.file, &self.folder).map_err(|none| Failure::new(Exit::BadInput, none))?;
        let count = all.len();
        all.retain(|cell| self.filter.takes(&cell.facts));
        if let Some(partition) = self.how.partition {
            all = partition.of(all);
        }
        if !self.how.images.is_empty() {
            for cell in &mut all {
                let given = cell.alter(|plan| images::give(&self.how.images, plan));
                given.map_err(|why| Failure::new(Exit::Usage, format!("{why}, in the cell {}", cell.name())))?;
            }
        }
        match all.is_empty() {
            false => Ok(all),
            true => {
                let sentence = format!("nothing is to be run: of {count} cells the filter and the partition leave none");
                Err(Failure::new(Exit::Nothing, sentence).replay(self.replay(None)))
            }
        }
    }

    /// The matrix's folder, made or gone on with.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn folder(&self) -> Result<RunFolder, Failure> {
        match &self.how.resume {
            Some(path) => Ok(RunFolder::existing(path)),
            None => Ok(RunFolder::with(&self.how.runs_dir, "matrix", &[("matrix.toml", &self.text)], SystemTime::now())?),
        }
    }

    /// What cells came to before the night was interrupted.
    ///
    /// # Errors
    /// The folder to go on with is none.
    pub fn done_before(&self, cells: &[Cell]) -> Result<Vec<Option<Outcome>>, Failure> {
        match &self.how.resume {
            Some(folder) => super::resumed(folder, cells),
            None => Ok(vec![None; cells.len()]),
        }
    }

    /// How often, and how many at once.
    pub fn orders(&self) -> Orders {
        let cores = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Orders {
            jobs: self.how.jobs.unwrap_or_else(cores),
            repeat: self.how.repeat,
            retry_environment: self.how.retry_environment,
            until: None,
        }
    }

    /// The world that was asked for.
    pub fn world(&self) -> Option<WorldKind> {
        self.how.world
    }

    /// Which part it is.
    pub fn partition(&self) -> Option<Partition> {
        self.how.partition
    }

    /// After how long no cell is begun.
    pub fn max_time(&self) -> Option<Duration> {
        self.how.max_time
    }

    /// Where JUnit's XML is wanted.
    pub fn junit(&self) -> Option<&Path> {
        self.how.junit.as_deref()
    }

    /// Where the summary is wanted.
    pub fn markdown(&self) -> Option<&Path> {
        self.how.markdown.as_deref()
    }

    /// Whether a machine reads the result.
    pub fn json(&self) -> bool {
        self.how.json
    }

    /// When to use colours.
    pub fn colour(&self) -> ColourChoice {
        self.how.color
    }

    /// The command that does the same again.
    pub fn replay(&self, world: Option<&str>) -> String {
        let how = &self.how;
        let mut words: Vec<String> = vec!["fencepost".into(), "matrix".into()];
        words.extend(how.file.iter().map(|path| quoted(&path.display().to_string())));
        let mut option = |name: &str, value: Option<String>| {
            words.extend(value.into_iter().flat_map(|value| [format!("--{name}"), quoted(&value)]));
        };
        option("world", world.map(str::to_owned));
        option("partition", how.partition.map(|partition| partition.to_string()));
        option("filter", how.filter.clone());
        option("repeat", (how.repeat > 1).then(|| how.repeat.to_string()));
        words.extend(how.images.iter().flat_map(Image::words));
        words.join(" ")
    }
}

/// Reads a time such as `90s`, `20m` or `2h`.
fn time(text: &str) -> Result<Duration, String> {
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let seconds = match unit {
        "s" => Some(1),
        "m" => Some(60),
        "h" => Some(3600),
        _ => None,
    };
    let time = seconds.zip(number.parse::<u64>().ok()).and_then(|(seconds, number)| number.checked_mul(seconds));
    time.map(Duration::from_secs).ok_or_else(|| "say a number and s, m or h, such as `20m`".into())
}
