//! `fencepost completions SHELL`.

use super::output::say;
use super::{Cli, Exit, Failure};
use clap::CommandFactory;
use clap_complete::Shell;

/// Which shell.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the script.
///
/// # Errors
/// It cannot be said.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "fencepost", &mut script);
    say(&String::from_utf8_lossy(&script))?;
    Ok(Exit::AsExpected)
}
