//! Why a command could not do what it was asked.

use super::Exit;
use super::output::say_json;
use crate::conduct::NoReport;
use crate::folder::FolderError;
use crate::judged::BadHistory;
use crate::plan::BadPlan;
use crate::run::RunError;
use crate::scenario::NoScenario;
use serde_json::json;

/// A failure, as its user is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// How the command ends.
    pub exit: Exit,
    /// What went wrong, in sentences.
    pub sentence: String,
    /// The command that shows it again.
    pub replay: Option<String>,
}

impl Failure {
    /// A failure in a sentence.
    pub fn new(exit: Exit, sentence: impl ToString) -> Failure {
        Failure { exit, sentence: sentence.to_string(), replay: None }
    }

    /// Says how to see it again.
    pub fn replay(self, command: impl Into<String>) -> Failure {
        Failure { replay: Some(command.into()), ..self }
    }

    /// Tells its user; with `json`, a machine too.
    pub fn tell(self, json: bool) -> Exit {
        if json {
            // Where even that cannot be written, standard error has it.
            let _ = say_json(&told(&self.sentence, self.exit, self.replay.as_deref()));
        }
        eprintln!("error: {}", self.sentence);
        if let Some(replay) = self.replay {
            eprintln!("\nReproduce: {replay}");
        }
        self.exit
    }
}

/// A failure, as a machine is told of it.
pub fn told(sentence: &str, exit: Exit, replay: Option<&str>) -> serde_json::Value {
    json!({ "error": sentence, "exit": exit.code(), "replay": replay })
}

impl From<BadPlan> for Failure {
    fn from(bad: BadPlan) -> Failure {
        Failure::new(Exit::BadInput, bad)
    }
}

impl From<BadHistory> for Failure {
    fn from(bad: BadHistory) -> Failure {
        Failure::new(if bad.is_usage() { Exit::Usage } else { Exit::BadInput }, bad)
    }
}

impl From<NoScenario> for Failure {
    fn from(none: NoScenario) -> Failure {
        Failure::new(Exit::Usage, format!("{none}\n`fencepost list scenarios` says what each of them shows"))
    }
}

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Failure {
        Failure::new(Exit::CannotStart, error)
    }
}

impl From<NoReport> for Failure {
    fn from(none: NoReport) -> Failure {
        match none {
            NoReport::Run(error) => error.into(),
            NoReport::History(bad) => bad.into(),
            NoReport::Unwritable { .. } => Failure::new(Exit::CannotStart, none),
        }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Failure {
        let exit = if matches!(error, RunError::Interrupted) { Exit::Interrupted } else { Exit::CannotStart };
        Failure::new(exit, error)
    }
}
