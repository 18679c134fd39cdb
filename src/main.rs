//! The command.

use fencepost::cli::config::Config;
use fencepost::cli::progress::Line;
use fencepost::cli::series::{Series, findings};
use fencepost::cli::signal::Stop;
use fencepost::cli::{Cli, Command, Exit, Failure, bug, check, client, completions, doctor, list};
use fencepost::judged::{Keep, Source, kept};
use fencepost::run;
use std::process::{ExitCode, Termination};

fn main() -> ExitCode {
    bug::own_up();
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(exit) => return exit.report(),
    };
    let exit = match cli.command {
        Command::Reproduce(args) => told(&args.into(), conduct),
        Command::Run(args) => told(&args.into(), conduct),
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
fn conduct(config: &Config) -> Result<Exit, Failure> {
    let (plan, text) = config.plan()?;
    let world = config.world()?;
    let stop = Stop::on_signal();
    let mut series = Series::new(config.times());
    while series.goes_on() {
        let folder = config.folder(&text, world)?;
        let mut file = folder.open_history().map_err(|why| Failure::new(Exit::CannotStart, why))?;
        let (name, mut line) = (config.name(), Line::new());
        let mut progress = |progress: &run::Progress| line.show(&name, progress);
        let site = run::Site { world, folder: Some(folder.path()), client_program: None };
        let audience = run::Audience { history: Some(&mut file), progress: &mut progress };
        let ran = run::run(site, &plan, &name, audience, stop.wanted())
            .map_err(|error| Failure::from(error).replay(config.replay(Some(world))))?;
        drop(line);
        let history = kept(&Source::new(&folder.history())?, &ran.judgement.findings, Keep::Everything)?;
        series.add(findings(ran, history, &plan.expect, &folder, config.replay_kept(&folder, world))?);
    }
    series.report(config)
}

fn told(config: &Config, command: fn(&Config) -> Result<Exit, Failure>) -> Exit {
    command(config).unwrap_or_else(|failure| failure.tell(config.json()))
}
