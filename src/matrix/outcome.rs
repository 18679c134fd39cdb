//! What all runs of a cell came to.

use super::attempt::{Attempt, CameOut};
use super::facts::Facts;
use serde::{Deserialize, Serialize};

/// How often a verdict that is not the expected one is asked for again, to see whether it is steady.
pub const ASK_AGAIN: u32 = 3;

/// What came of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// What it is of.
    #[serde(flatten)]
    pub facts: Facts,
    /// What it came to.
    pub state: State,
    /// Every run of it.
    pub attempts: Vec<Attempt>,
}

/// What the runs of a cell came to; the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The verdict is not the expected one, every time.
    Changed,
    /// The verdict is not the same every time.
    Unsteady,
    /// The world could not start.
    Environment,
    /// Its user stopped it.
    Interrupted,
    /// There was no time for it.
    NotRun,
    /// The server here does not have what its lock needs; this is nobody's fault, and said.
    Impossible,
    /// The verdict is the expected one.
    AsExpected,
}

impl State {
    /// All of them, the worst first.
    pub const ALL: [State; 7] = [
        State::Changed,
        State::Unsteady,
        State::Environment,
        State::Interrupted,
        State::NotRun,
        State::Impossible,
        State::AsExpected,
    ];

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            State::Changed => "changed",
            State::Unsteady => "unsteady",
            State::Environment => "without a world",
            State::Interrupted => "interrupted",
            State::NotRun => "not run",
            State::Impossible => "not possible here",
            State::AsExpected => "as expected",
        }
    }

    /// Whether it keeps a matrix from being green.
    pub fn is_trouble(self) -> bool {
        !matches!(self, State::AsExpected | State::Impossible)
    }
}

impl Outcome {
    /// What these runs of a cell came to.
    pub fn new(facts: Facts, attempts: Vec<Attempt>) -> Outcome {
        let state = state(&attempts);
        Outcome { facts, state, attempts }
    }

    /// The run that is told of: the first that was not as expected, where there is one.
    pub fn told(&self) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.came_out != CameOut::AsExpected).or(self.attempts.last())
    }

    /// What came out, in a few words.
    pub fn words(&self) -> String {
        let told = self.told().map_or("not run".into(), |attempt| attempt.came_out.words());
        match self.state {
            State::Unsteady => {
                let count = self.attempts.iter().filter(|attempt| attempt.came_out == CameOut::AsExpected).count();
                format!("unsteady, {count} of {} as expected; {told}", self.attempts.len())
            }
            _ => told,
        }
    }

    /// How long all its runs took, in milliseconds.
    pub fn took_ms(&self) -> u64 {
        self.attempts.iter().map(|attempt| attempt.took_ms).sum()
    }
}

fn state(attempts: &[Attempt]) -> State {
    let any = |came_out: &CameOut| attempts.iter().any(|attempt| attempt.came_out == *came_out);
    let judged: Vec<&CameOut> = attempts
        .iter()
        .map(|attempt| &attempt.came_out)
        .filter(|came_out| !matches!(came_out, CameOut::Environment | CameOut::Interrupted | CameOut::Impossible))
        .collect();
    match judged.as_slice() {
        [] if any(&CameOut::Interrupted) => State::Interrupted,
        [] if any(&CameOut::Environment) => State::Environment,
        [] if any(&CameOut::Impossible) => State::Impossible,
        [] => State::NotRun,
        [first, rest @ ..] if rest.iter().any(|other| other != first) => State::Unsteady,
        [CameOut::AsExpected, ..] if any(&CameOut::Interrupted) => State::Interrupted,
        [CameOut::AsExpected, ..] if attempts.last().is_some_and(|last| last.came_out == CameOut::Environment) => {
            State::Environment
        }
        [CameOut::AsExpected, ..] => State::AsExpected,
        [..] => State::Changed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use checker::finding::Kind;

    fn of(came_outs: &[CameOut]) -> State {
        let attempts = came_outs.iter().map(|came_out| Attempt {
            came_out: came_out.clone(),
            found: vec![],
            sentences: vec![],
            took_ms: 1,
            run: None,
            replay: String::new(),
            versions: Default::default(),
        });
        state(&attempts.collect::<Vec<_>>())
    }

    #[test]
    fn what_runs_come_to() {
        use CameOut::*;
        let (two, stale) = (Violation(vec![Kind::TwoHolders]), Violation(vec![Kind::StaleWrite]));
        assert_eq!(of(&[]), State::NotRun);
        assert_eq!(of(&[AsExpected]), State::AsExpected);
        assert_eq!(of(&[two.clone(), two.clone()]), State::Changed);
        assert_eq!(of(&[two.clone(), AsExpected]), State::Unsteady);
        assert_eq!(of(&[two.clone(), stale]), State::Unsteady, "two different verdicts are not one");
        assert_eq!(of(&[AsExpected, AsExpected, Unknown]), State::Unsteady);
        assert_eq!(of(&[Environment]), State::Environment);
        assert_eq!(of(&[Environment, AsExpected]), State::AsExpected, "a world that starts the second time is a world");
        assert_eq!(of(&[AsExpected, Environment]), State::Environment, "what was to be repeated was not");
        assert_eq!(of(&[AsExpected, Interrupted]), State::Interrupted);
        assert_eq!(of(&[two, Interrupted]), State::Changed);
        assert_eq!(of(&[Impossible]), State::Impossible);
        assert!(State::ALL.is_sorted());
    }
}
