//! `--model`, `--initial`, `--skip-bad-lines` and `--time-limit`: how a history is judged.

use super::shell::quoted;
use crate::judged::{How, Keep};
use crate::suggest::advice;
use checker::engine::Limits;
use checker::format::BadLines;
use checker::history::Value;
use checker::model::Name;
use std::time::Duration;

/// How histories are judged.
#[derive(Debug, clap::Args)]
pub struct Judging {
    /// Hold operations against this model, such as cas-register; absent: what the content suggests
    #[arg(long, value_name = "NAME", value_parser = model)]
    model: Option<Name>,
    /// The value before the first write, as JSON; of several registers or keys that of each; of a semaphore its permits
    #[arg(long, value_name = "JSON", value_parser = initial, allow_hyphen_values = true)]
    initial: Option<Value>,
    /// Go on where a line cannot be read, and say how many there were
    #[arg(long)]
    skip_bad_lines: bool,
    /// For how many seconds to search for an order of one object's operations; what has no answer by then is unknown
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    time_limit: Option<Duration>,
}

impl Judging {
    /// What to do with lines that cannot be read.
    pub fn bad_lines(&self) -> BadLines {
        if self.skip_bad_lines { BadLines::Skip } else { BadLines::Refuse }
    }

    /// How histories are judged.
    pub fn how(&self, keep: Keep) -> How {
        let limits = self.time_limit.map_or_else(Limits::default, |time| Limits { time, ..Limits::default() });
        How { keep, bad: self.bad_lines(), model: self.model, initial: self.initial.clone(), limits }
    }

    /// As it was asked for, to ask for it again.
    pub fn written(&self) -> String {
        let mut words = String::new();
        if let Some(model) = self.model {
            words.push_str(&format!(" --model {model}"));
        }
        if let Some(initial) = &self.initial {
            let json = serde_json::to_string(initial).expect("a value is JSON");
            words.push_str(&format!(" --initial {}", quoted(&json)));
        }
        if self.skip_bad_lines {
            words.push_str(" --skip-bad-lines");
        }
        if let Some(limit) = self.time_limit {
            words.push_str(&format!(" --time-limit {}", limit.as_secs_f64()));
        }
        words
    }
}

fn model(name: &str) -> Result<Name, String> {
    name.parse().map_err(|_| format!("no model is named `{name}`: {}", advice(name, Name::ALL.map(Name::name))))
}

fn initial(json: &str) -> Result<Value, String> {
    serde_json::from_str(json).map_err(|error| format!("{error}; a text has quotes of its own: '\"text\"'"))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map_err(|_| format!("`{text}` is no number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string())
}
