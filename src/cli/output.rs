//! How output may look on this terminal.

use super::{Exit, Failure};
use crate::report::paint::{Charset, Colour, Look, NARROWEST, USUAL};
use clap::ValueEnum;
use std::env;
use std::io::{ErrorKind, IsTerminal, Write, stdout};

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColourChoice {
    /// On a terminal, unless NO_COLOR is set or TERM is dumb
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// The widest that COLUMNS can ask for.
const WIDEST: usize = 400;

/// How a report may look on standard output.
pub fn look(choice: ColourChoice) -> Look {
    let terminal = stdout().is_terminal();
    let dumb = env::var_os("TERM").is_some_and(|value| value == "dumb");
    let said_no = dumb || env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let colour = match choice {
        ColourChoice::Always => Colour::On,
        ColourChoice::Auto if terminal && !said_no => Colour::On,
        ColourChoice::Auto | ColourChoice::Never => Colour::Off,
    };
    Look { width: width(), charset: charset(), colour }
}

fn width() -> usize {
    let asked = env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || {
        rustix::termios::tcgetwinsize(stdout()).ok().map(|size| usize::from(size.ws_col).min(USUAL)).filter(|width| *width > 0)
    };
    asked.or_else(terminal).unwrap_or(USUAL).clamp(NARROWEST, WIDEST)
}

/// What the locale says; where it says nothing, most likely everything can be shown.
fn charset() -> Charset {
    let said = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(|name| env::var(name).ok()).find(|value| !value.is_empty());
    match said.map(|locale| locale.to_ascii_lowercase()) {
        Some(locale) if !locale.contains("utf-8") && !locale.contains("utf8") => Charset::Ascii,
        _ => Charset::Unicode,
    }
}

/// Says something on standard output. Nobody is left to tell where the reader has gone, as `head` does.
///
/// # Errors
/// It cannot be written, as where the disk is full.
pub fn say(text: &str) -> Result<(), Failure> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(why) if why.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::CannotStart, format!("standard output cannot be written: {why}")))
        }
        _ => Ok(()),
    }
}

/// Says one JSON object on standard output.
///
/// # Errors
/// As [`say`].
pub fn say_json(object: &impl serde::Serialize) -> Result<(), Failure> {
    say(&(serde_json::to_string_pretty(object).expect("a report is JSON") + "\n"))
}
