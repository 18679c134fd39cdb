//! Links on which everything takes longer, as Toxiproxy's `latency` and `bandwidth` have it.

use super::Network;
use checker::Nanos;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// How much longer what is sent over a slow link takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Slowness {
    /// So long, up to so much more or less.
    #[allow(missing_docs)]
    Latency { by: Nanos, jitter: Nanos },
    /// As long as its bytes take at so many thousands a second.
    #[allow(missing_docs)]
    Bandwidth { kb_per_s: u64 },
}

/// A link from one party to another that is slow until it is mended.
#[derive(Debug)]
pub(super) struct Slow {
    from: String,
    to: String,
    how: Slowness,
    mended: bool,
    /// How many messages it slowed.
    hits: u32,
}

impl Network {
    /// Slows the link from one party to another, for everything that is sent from now on; its index.
    pub fn slow(&self, from: &str, to: &str, how: Slowness) -> usize {
        let slow = &mut self.state.borrow_mut().slow;
        slow.push(Slow { from: from.into(), to: to.into(), how, mended: false, hits: 0 });
        slow.len() - 1
    }

    /// How many messages a slow link has slowed.
    pub fn slowed(&self, slow: usize) -> u32 {
        self.state.borrow().slow.get(slow).map_or(0, |slow| slow.hits)
    }

    /// The link is as fast as ever, for everything that is sent from now on.
    pub fn quicken(&self, slow: usize) {
        if let Some(slow) = self.state.borrow_mut().slow.get_mut(slow) {
            slow.mended = true;
        }
    }
}

/// How much longer so many bytes take that one party sends to another now.
pub(super) fn lag(all: &mut [Slow], rng: &mut ChaCha8Rng, from: &str, to: &str, bytes: usize) -> Nanos {
    let mut lag = 0;
    for slow in all.iter_mut().filter(|slow| !slow.mended && slow.from == from && slow.to == to) {
        slow.hits = slow.hits.saturating_add(1);
        lag += match slow.how {
            Slowness::Latency { by, jitter: 0 } => by,
            Slowness::Latency { by, jitter } => rng.random_range(by.saturating_sub(jitter)..=by + jitter),
            Slowness::Bandwidth { kb_per_s } => bytes as Nanos * 1_000_000 / kb_per_s.max(1),
        };
    }
    lag
}
