//! When the run went quiet, and what was seen from then on.

use crate::Nanos;
use crate::history::Phase;
use crate::judge::fact::{Fact, Facts, Instant, Seen, facts};

/// Since when all is quiet: clients have finished and every fault is healed.
#[derive(Debug, Default)]
pub(super) struct Quiet(Option<Nanos>);

impl Quiet {
    /// The phase, and these facts once all is quiet.
    pub(super) fn wants(&self, then: Facts) -> Facts {
        facts::PHASE | self.0.map_or(0, |_| then)
    }

    /// Takes in an instant, and says since when all is quiet, if it is.
    pub(super) fn since(&mut self, now: &Instant<'_>) -> Option<Nanos> {
        let begins = now.facts.iter().any(|fact| matches!(fact, Fact::Phase(Phase::Quiet)));
        self.0 = self.0.or(begins.then_some(now.at));
        self.0
    }

    /// Takes in an instant, and says what was seen in it by observations that began when all was quiet.
    pub(super) fn seen<'a>(&mut self, now: &Instant<'a>) -> impl Iterator<Item = &'a Seen> + use<'a> {
        let since = self.since(now);
        now.seen().filter(move |seen| since.is_some_and(|quiet| quiet <= seen.from))
    }
}
