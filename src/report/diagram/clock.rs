//! Seconds since the history's first event, as finely as its moments need.

use checker::Nanos;

/// How moments are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Clock {
    origin: Nanos,
    decimals: usize,
}

impl Clock {
    /// As coarse as keeps these moments apart: milliseconds, else tenths of them, else microseconds. The moments must be sorted and not be equal.
    pub fn new(origin: Nanos, moments: &[Nanos]) -> Clock {
        let apart = |decimals: usize| {
            let written: Vec<String> = moments.iter().map(|at| Clock { origin, decimals }.number(*at)).collect();
            written.windows(2).all(|pair| pair[0] != pair[1])
        };
        Clock { origin, decimals: [3, 4].into_iter().find(|decimals| apart(*decimals)).unwrap_or(6) }
    }

    /// `0.512`.
    pub fn number(self, at: Nanos) -> String {
        format!("{:.*}", self.decimals, at.saturating_sub(self.origin) as f64 / 1e9)
    }

    /// `0.512 s`.
    pub fn seconds(self, at: Nanos) -> String {
        format!("{} s", self.number(at))
    }
}
