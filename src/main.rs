//! The command.

use fencepost::cli::config::Config;
use fencepost::cli::progress::Line;
use fencepost::cli::series::Series;
use fencepost::cli::signal::Stop;
use fencepost::cli::{Cli, Command, Exit, Failure, bug, check, client, completions, doctor, init, list, matrix};
use fencepost::conduct::{Conduct, conduct};
use std::process::{ExitCode, Termination};

/// A simulated run allocates some thousand times; the system's allocator takes a seventh more instructions for it all.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    bug::own_up();
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(exit) => return exit.report(),
    };
    let exit = match cli.command {
        Command::Reproduce(args) => told(&args.into(), once),
        Command::Run(args) => told(&args.into(), once),
        Command::Matrix(args) => matrix::run(&args).unwrap_or_else(|failure| failure.tell(args.json())),
        Command::Init(args) => init::run(&args).unwrap_or_else(|failure| failure.tell(false)),
        Command::Check(args) => check::run(&args).unwrap_or_else(|failure| failure.tell(args.json)),
        Command::List(args) => list::run(&args).unwrap_or_else(|failure| failure.tell(false)),
        Command::Doctor(args) => doctor::run(&args).unwrap_or_else(|failure| failure.tell(false)),
        #[cfg(feature = "docker")]
        Command::Clean(args) => fencepost::cli::clean::run(&args).unwrap_or_else(|failure| failure.tell(args.json)),
        Command::Completions(args) => completions::run(&args).unwrap_or_else(|failure| failure.tell(false)),
        Command::Client(args) => return client::run(args),
    };
    exit.report()
}

/// Config ─▶ plan ─▶ world ─▶ run ─▶ history ─▶ findings ─▶ report.
fn once(config: &Config) -> Result<Exit, Failure> {
    let (plan, text) = config.plan()?;
    let world = config.world()?;
    config.wire(&plan, world)?;
    let stop = Stop::on_signal();
    let mut series = Series::new(config.times());
    while series.goes_on() {
        let folder = config.folder(&text, world)?;
        let (name, mut line) = (config.name(), Line::new());
        let replay = config.replay_kept(&folder, world);
        let what = Conduct { plan: &plan, name: &name, world, folder: &folder, replay };
        let subject = conduct(what, &mut |progress| line.show(&name, progress), stop.wanted());
        drop(line);
        series.add(subject.map_err(|none| Failure::from(none).replay(config.replay(Some(world))))?);
    }
    series.report(config)
}

fn told(config: &Config, command: fn(&Config) -> Result<Exit, Failure>) -> Exit {
    command(config).unwrap_or_else(|failure| failure.tell(config.json()))
}
