//! `fencepost completions SHELL`.

use super::{Cli, Exit};
use clap::CommandFactory;
use clap_complete::Shell;

/// Which shell.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub fn run(args: &Args) -> Exit {
    clap_complete::generate(args.shell, &mut Cli::command(), "fencepost", &mut std::io::stdout());
    Exit::AsExpected
}
