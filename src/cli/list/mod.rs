//! `fencepost list`: what there is, from the same data that runs.

mod rows;
mod table;

use super::output::{ColourChoice, look, say};
use super::{Exit, Failure};
use clap::ValueEnum;
use serde_json::{Map, Value};
use table::Table;

/// What to list.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What; absent: everything
    what: Option<What>,
    /// Print one JSON object on standard output
    #[arg(long)]
    json: bool,
    /// When to use colours
    #[arg(long, visible_alias = "colour", default_value = "auto", value_name = "WHEN")]
    color: ColourChoice,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum What {
    /// The named plans
    Scenarios,
    /// The lock algorithms
    Locks,
    /// What the nemesis can do
    Faults,
}

/// Lists it.
///
/// # Errors
/// It cannot be said.
pub fn run(args: &Args) -> Result<Exit, Failure> {
    let all = [
        (What::Scenarios, "scenarios", rows::scenarios as fn() -> Table),
        (What::Locks, "locks", rows::locks),
        (What::Faults, "faults", rows::faults),
    ];
    let wanted: Vec<(&str, Table)> = all
        .into_iter()
        .filter(|(what, ..)| args.what.is_none_or(|asked| asked == *what))
        .map(|(_, name, rows)| (name, rows()))
        .collect();
    if args.json {
        let object: Map<String, Value> = wanted.iter().map(|(name, table)| ((*name).into(), table.json())).collect();
        say(&format!("{:#}\n", Value::Object(object)))?;
    } else {
        let look = look(args.color);
        let tables: Vec<String> = wanted.iter().map(|(_, table)| table.render(look)).collect();
        say(&tables.join("\n"))?;
    }
    Ok(Exit::AsExpected)
}
