//! The command.

use clap::Parser;
use std::process::ExitCode;

#[derive(Parser)]
enum Command {
    #[command(hide = true)]
    Client(fencepost::cli::client::Args),
}

fn main() -> ExitCode {
    match Command::parse() {
        Command::Client(args) => fencepost::cli::client::run(args),
    }
}
