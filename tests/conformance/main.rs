//! The simulated node is held against a real redis-server: the same commands, and the replies must be equal.
//!
//! Commands come in sequences over two connections, so that transactions and watches cross. Both sides have the same wall clock, the
//! machine's. What a reply says of the time left may differ by the time that the commands took; everything else must be equal to the
//! byte. The order of SMEMBERS and KEYS, which Redis draws from a random seed, is not looked at.

mod cluster;
mod commands;
mod compare;
mod edges;
mod pair;
mod pubsub;
mod replication;
mod scripts;
mod server;
mod step;
mod texts;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

/// A command as a person would type it.
fn shown(command: &[Vec<u8>]) -> String {
    command.iter().map(|arg| format!("\"{}\"", arg.escape_ascii())).collect::<Vec<_>>().join(" ")
}

#[test]
fn every_reply_is_the_real_one() {
    let Some(server) = server::Server::start() else { return };
    // PROPTEST_CASES asks for more.
    let config = Config { failure_persistence: None, max_shrink_iters: 2_000, ..Config::default() };
    TestRunner::new(config)
        .run(&prop::collection::vec(step::step(), 1..120), |steps| {
            pair::Pair::new(&server).run(&steps).map_err(TestCaseError::fail)
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}
