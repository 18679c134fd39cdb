//! Seconds since the history's first event, as finely as its moments need.

use checker::Nanos;
use checker::judge::seconds::number;

/// Moments nearer to each other than this may be written alike: 20 µs.
const WORTH_TELLING: Nanos = 20_000;

/// How moments are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    origin: Nanos,
    decimals: u32,
}

impl Clock {
    /// As coarse as keeps these moments apart: milliseconds, or microseconds; and as fine as the sentences of the report. The moments must be
    /// sorted and not be equal.
    pub fn new(origin: Nanos, moments: &[Nanos], said: u32) -> Clock {
        let apart = |decimals: u32| {
            let clock = Clock { origin, decimals };
            let mut far = moments.windows(2).filter(|pair| pair[1] - pair[0] >= WORTH_TELLING);
            far.all(|pair| clock.number(pair[0]) != clock.number(pair[1]))
        };
        Clock { origin, decimals: if apart(3) { 3 } else { 6 }.max(said) }
    }

    /// How many decimals it writes.
    pub fn decimals(self) -> u32 {
        self.decimals
    }

    /// `0.512`.
    pub fn number(self, at: Nanos) -> String {
        number(at.saturating_sub(self.origin), self.decimals)
    }

    /// `0.512 s`.
    pub fn seconds(self, at: Nanos) -> String {
        format!("{} s", self.number(at))
    }
}
