//! What is to be run and how: the command line of `reproduce` and `run`.

use super::images::{self, Image};
use super::output::ColourChoice;
use super::shell::quoted;
use super::{Exit, Failure, expect, machine};
use crate::folder::RunFolder;
use crate::plan::{self, Expectation, Plan};
use crate::scenario;
use crate::world::WorldKind;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// `fencepost reproduce NAME`.
#[derive(Debug, clap::Args)]
pub struct Reproduce {
    /// The scenario's name; `fencepost list scenarios` shows them all
    pub name: String,
    #[command(flatten)]
    how: How,
}

/// `fencepost run PLAN.toml`.
#[derive(Debug, clap::Args)]
pub struct Run {
    /// The plan's file
    pub plan: PathBuf,
    #[command(flatten)]
    how: How,
}

/// What `reproduce` and `run` have in common.
#[derive(Debug, Clone, clap::Args)]
struct How {
    /// Where to run: `sim` (embedded, deterministic), `process` (real redis-server) or `docker` (the same in containers); absent: `process` where a
    /// redis-server is on the PATH
    #[arg(long, value_parser = machine::world)]
    world: Option<WorldKind>,
    /// The image whose Redis server the nodes are, in the docker world; NODE=IMAGE for one of them. Absent: one made from this machine's own server
    #[arg(long = "image", value_name = "[NODE=]IMAGE", value_parser = images::image)]
    images: Vec<Image>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// The seed of everything drawn at random; absent: the plan's
    #[arg(long)]
    seed: Option<u64>,
    /// What must come out instead of what the plan expects: `safe`, or kinds of finding with commas between
    #[arg(long, value_name = "safe|KIND,…", value_parser = expect::expectation)]
    expect: Option<Expectation>,
    /// Run so many times, and stop at the first that is not as expected
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    times: u32,
    /// Where runs are kept
    #[arg(long, default_value = "runs", value_name = "DIR")]
    runs_dir: PathBuf,
    /// When to use colours
    #[arg(long, visible_alias = "colour", default_value = "auto", value_name = "WHEN")]
    color: ColourChoice,
}

/// What is to be run, and how.
#[derive(Debug)]
pub struct Config {
    source: Source,
    how: How,
}

#[derive(Debug)]
enum Source {
    Scenario(String),
    File(PathBuf),
}

impl From<Reproduce> for Config {
    fn from(args: Reproduce) -> Config {
        Config { source: Source::Scenario(args.name), how: args.how }
    }
}

impl From<Run> for Config {
    fn from(args: Run) -> Config {
        Config { source: Source::File(args.plan), how: args.how }
    }
}

impl Config {
    /// The plan, with what the command line overrides, and as text: its own, comments and all, where nothing is overridden.
    ///
    /// # Errors
    /// There is none of that name, or it is not sound.
    pub fn plan(&self) -> Result<(Plan, String), Failure> {
        let (mut plan, text) = match &self.source {
            Source::Scenario(name) => {
                let scenario = scenario::find(name)?;
                (scenario.plan(), scenario.text.to_owned())
            }
            Source::File(path) => {
                let unreadable = |why| Failure::new(Exit::BadInput, format!("{} cannot be read: {why}", path.display()));
                let text = std::fs::read(path).map_err(unreadable).map_err(|failure| failure.replay(self.replay(None)))?;
                let plan =
                    plan::read(&path.display().to_string(), &text).map_err(|bad| Failure::from(bad).replay(self.replay(None)))?;
                (plan, String::from_utf8_lossy(&text).into_owned())
            }
        };
        if self.how.seed.is_none() && self.how.expect.is_none() && self.how.images.is_empty() {
            return Ok((plan, text));
        }
        if let Some(seed) = self.how.seed {
            plan.seed = seed;
        }
        if let Some(expected) = &self.how.expect {
            plan.expect = expected.clone();
        }
        images::give(&self.how.images, &mut plan).map_err(|why| Failure::new(Exit::Usage, why).replay(self.replay(None)))?;
        let text = toml::to_string(&plan).expect("a plan is TOML; a test sees to it");
        Ok((plan, text))
    }

    /// The plan's name.
    pub fn name(&self) -> String {
        match &self.source {
            Source::Scenario(name) => name.clone(),
            Source::File(path) => path.file_stem().map_or("plan".into(), |stem| stem.to_string_lossy().into_owned()),
        }
    }

    /// The world to run in; says on standard error which and why.
    ///
    /// # Errors
    /// This machine does not have what it needs.
    pub fn world(&self) -> Result<WorldKind, Failure> {
        let choice = machine::choose(self.how.world)
            .map_err(|sentence| Failure::new(Exit::CannotStart, sentence).replay(self.replay(self.how.world)))?;
        eprintln!("world: {} ({})", machine::world_name(choice.kind), choice.why);
        Ok(choice.kind)
    }

    /// Says on standard error what carries the messages of the plan.
    ///
    /// # Errors
    /// This machine or world does not have what the plan's faults need.
    pub fn wire(&self, plan: &Plan, world: WorldKind) -> Result<(), Failure> {
        let wire =
            machine::wire(world, plan).map_err(|why| Failure::new(Exit::CannotStart, why).replay(self.replay(Some(world))))?;
        eprintln!("wire: {wire}");
        Ok(())
    }

    /// Makes the run's folder.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn folder(&self, plan: &str, world: WorldKind) -> Result<RunFolder, Failure> {
        RunFolder::create(&self.how.runs_dir, &self.name(), plan, SystemTime::now())
            .map_err(|error| Failure::from(error).replay(self.replay(Some(world))))
    }

    /// How often to run.
    pub fn times(&self) -> u32 {
        self.how.times
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
    pub fn replay(&self, world: Option<WorldKind>) -> String {
        self.command(None, world)
    }

    /// The command that does the same again from what a run kept: a plan's own file may change, and the kept one has in it what the command line said.
    pub fn replay_kept(&self, folder: &RunFolder, world: WorldKind) -> String {
        self.command(Some(&folder.plan()), Some(world))
    }

    fn command(&self, kept: Option<&Path>, world: Option<WorldKind>) -> String {
        let mut words: Vec<String> = vec!["fencepost".into()];
        let mut overridden = true;
        match (&self.source, kept) {
            (Source::Scenario(name), _) => words.extend(["reproduce".into(), quoted(name)]),
            (Source::File(path), None) => words.extend(["run".into(), quoted(&path.display().to_string())]),
            (Source::File(_), Some(kept)) => {
                words.extend(["run".into(), quoted(&kept.display().to_string())]);
                overridden = false;
            }
        }
        words.extend(world.into_iter().flat_map(|world| ["--world".into(), machine::world_name(world).into()]));
        if overridden {
            words.extend(self.how.seed.into_iter().flat_map(|seed| ["--seed".into(), seed.to_string()]));
            words.extend(self.how.images.iter().flat_map(Image::words));
            words.extend(self.how.expect.iter().flat_map(|expected| ["--expect".into(), expect::written(expected)]));
        }
        words.join(" ")
    }
}
