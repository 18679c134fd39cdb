//! The commands, one a file.

pub mod bug;
pub mod check;
#[cfg(feature = "docker")]
pub mod clean;
pub mod client;
pub mod completions;
pub mod config;
pub mod doctor;
pub mod exit;
pub mod expect;
pub mod failure;
pub mod images;
pub mod init;
pub mod judging;
pub mod list;
pub mod machine;
pub mod matrix;
pub mod output;
pub mod progress;
pub mod series;
pub mod shell;
pub mod signal;

pub use exit::Exit;
pub use failure::Failure;

use clap::{Parser, Subcommand};

/// What breaks this Redis lock, and what does it cost when it breaks?
///
/// Clients take a lock, write to what it protects, and release it, while a nemesis pauses, kills and restarts them and their Redis. A checker reads
/// the history of the run and says who held the lock twice, which stale write got through, and why.
#[derive(Debug, Parser)]
#[command(name = "fencepost", version, max_term_width = 100, after_help = after())]
pub struct Cli {
    /// What to do
    #[command(subcommand)]
    pub command: Command,
}

fn after() -> String {
    let codes = Exit::ALL.map(|exit| format!("  {:>3}  {}\n", exit.code(), exit.words()));
    format!("Exit codes:\n{}\nStart with: fencepost reproduce gc-pause", codes.concat())
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario by its name, such as gc-pause
    Reproduce(config::Reproduce),
    /// Run a plan of your own
    Run(config::Run),
    /// Run every scenario, or those that a file names, and fail only where a verdict is not the expected one: the nightly run
    Matrix(matrix::Args),
    /// Write what a nightly run needs: workflows for GitHub and GitLab, and a matrix file to begin with
    Init(init::Args),
    /// Judge histories
    Check(check::Args),
    /// List what there is: scenarios, locks, faults
    List(list::Args),
    /// Say what this machine has for each world, and how to get what is missing
    Doctor(doctor::Args),
    /// Remove what runs left on the Docker engine whose runner is dead
    #[cfg(feature = "docker")]
    Clean(clean::Args),
    /// Print a completion script for a shell
    Completions(completions::Args),
    /// Be a client: spoken to over stdin and stdout
    #[command(hide = true)]
    Client(client::Args),
}

impl Cli {
    /// Reads the command line.
    ///
    /// # Errors
    /// With the exit code, where it asked for help (0) or cannot be understood (64); what is to be said has been said.
    pub fn read() -> Result<Cli, Exit> {
        Cli::try_parse().map_err(|error| {
            // Nobody can be told that the terminal is gone.
            let _ = error.print();
            if !error.use_stderr() {
                return Exit::AsExpected;
            }
            // What was asked for is not understood, but that a machine asked can be seen.
            if std::env::args_os().skip(1).take_while(|word| word != "--").any(|word| word == "--json") {
                let sentence = error.render().to_string().trim().trim_start_matches("error: ").to_owned();
                let _ = output::say_json(&failure::told(&sentence, Exit::Usage, None));
            }
            Exit::Usage
        })
    }
}
