//! An attack on the judge: definitions written anew, every small history, transformed and damaged ones, the engine, and what was thought of by
//! hand.

mod by_hand;
mod engine;
mod exhaustive;
mod generate;
mod metamorphic;
mod mutants;
mod oracle;
mod random;
mod story;

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// So many cases, the same every time; when the long version is asked for so many more, and others every time.
fn config(cases: u32, long_cases: u32) -> ProptestConfig {
    let (cases, rng_seed) = if long() { (long_cases, RngSeed::Random) } else { (cases, RngSeed::Fixed(42)) };
    ProptestConfig { cases, rng_seed, max_shrink_iters: 50_000, failure_persistence: None, ..ProptestConfig::default() }
}

/// Whether the long versions are asked for.
fn long() -> bool {
    std::env::var_os("FENCEPOST_LONG").is_some()
}
