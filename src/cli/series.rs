//! One run, or many of them until one is not as expected, told as one report.

use super::config::Config;
use super::output::{look, say, say_json};
use super::{Exit, Failure};
use crate::report::json::{Object, Times};
use crate::report::terminal::terminal;
use crate::report::{Standing, Subject};

/// The runs so far.
#[derive(Debug)]
pub struct Series {
    times: Times,
    last: Option<Subject>,
}

impl Series {
    /// No run yet, of so many.
    pub fn new(times: u32) -> Series {
        Series { times: Times { asked: times, ran: 0, as_expected: 0 }, last: None }
    }

    /// Whether another run is to come.
    pub fn goes_on(&self) -> bool {
        self.times.ran < self.times.asked && self.times.ran == self.times.as_expected
    }

    /// Adds what a run found.
    pub fn add(&mut self, subject: Subject) {
        self.times.ran += 1;
        self.times.as_expected += u32::from(subject.standing == Standing::AsExpected);
        self.last = Some(subject);
    }

    /// Reports on the last run, which is the one that was not as expected where there is one.
    ///
    /// # Errors
    /// There was no run.
    pub fn report(self, config: &Config) -> Result<Exit, Failure> {
        let subject = self.last.ok_or_else(|| Failure::new(Exit::Nothing, "there was no run"))?;
        let several = (self.times.asked > 1).then_some(self.times);
        if config.json() {
            say_json(&Object::new(&subject, several))?;
        } else {
            if let Some(Times { asked, ran, as_expected }) = several {
                say(&format!("{as_expected} of {ran} runs were as expected ({asked} were asked for); the last of them:\n\n"))?;
            }
            say(&terminal(&subject, look(config.colour())))?;
        }
        Ok(Exit::from(&subject.standing))
    }
}
