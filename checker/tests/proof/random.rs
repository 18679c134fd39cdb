//! Random histories, larger ones, with lost replies and equal times.

use crate::alphabet::{self, Alphabet, each_alphabet};
use crate::{brute, engine};
use checker::engine::{Limits, Operation, Strategy, check_by};
use checker::model::Model;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::cell::Cell;

/// What a random operation is made of: a choice of operation, its call after the one before, its length, and whether its reply is lost.
pub type Dice = (usize, u64, u64, bool);

pub fn dice(most: usize, lost: f64) -> impl Strategy_ {
    prop::collection::vec((0usize..64, 0u64..3, 0u64..8, prop::bool::weighted(lost)), 1..=most)
}

/// A strategy for histories; the engine's own `Strategy` is another thing.
pub trait Strategy_: proptest::strategy::Strategy<Value = Vec<Dice>> {}
impl<S: proptest::strategy::Strategy<Value = Vec<Dice>>> Strategy_ for S {}

/// Any operation with any result.
pub fn anything<M: Model>(alphabet: &Alphabet<M>, dice: &[Dice]) -> Vec<Operation<M::Op>> {
    let mut now = 0;
    dice.iter()
        .map(|&(choice, pause, length, lost)| {
            now += pause;
            let op = alphabet.ops[choice % alphabet.ops.len()].clone();
            Operation { op, call: now, ret: (!lost).then_some(now + length) }
        })
        .collect()
}

/// Operations that one after the other give the results that they have, each at a moment of its own, and then one more that may not: mostly valid.
pub fn nearly_valid<M: Model>(alphabet: &Alphabet<M>, dice: &[Dice]) -> Vec<Operation<M::Op>> {
    let mut state = alphabet.model.initial(None);
    let mut history = Vec::new();
    for (n, &(choice, pause, length, lost)) in dice.iter().enumerate() {
        let moment = 10 + 2 * n as u64;
        let able: Vec<&M::Op> = alphabet.ops.iter().filter(|op| alphabet.model.step(&state, op).is_some()).collect();
        let op = able[choice % able.len()].clone();
        // A lost request had no effect, a lost reply has.
        if !lost || length % 2 == 0 {
            state = alphabet.model.step(&state, &op).expect("it was chosen because it can happen");
        }
        history.push(Operation { op, call: moment - pause * 3, ret: (!lost).then_some(moment + length) });
    }
    if let Some((first, last)) = dice.first().zip(history.last_mut()) {
        last.op = alphabet.ops[first.0 % alphabet.ops.len()].clone();
    }
    history
}

fn runner(cases: u32) -> TestRunner {
    let cases = if crate::long() { cases * 20 } else { cases };
    TestRunner::new(config(cases))
}

fn config(cases: u32) -> Config {
    Config { cases, failure_persistence: None, ..Config::default() }
}

fn agrees_with_the_definition<M: Model>(alphabet: &Alphabet<M>) {
    let valid = [Cell::new(0), Cell::new(0)];
    runner(400)
        .run(&dice(7, 0.25), |dice| {
            for history in [anything(alphabet, &dice), nearly_valid(alphabet, &dice)] {
                let expected = brute::linearizable(&alphabet.model, &history, &|_| false);
                prop_assert_eq!(engine(&alphabet.model, &history), expected);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    // How many there are of each kind is a matter of luck, and so drawn the same way each time.
    TestRunner::new_with_rng(config(100), TestRng::deterministic_rng(RngAlgorithm::ChaCha))
        .run(&dice(7, 0.25), |dice| {
            let count = &valid[usize::from(engine(&alphabet.model, &nearly_valid(alphabet, &dice)))];
            count.set(count.get() + 1);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    assert!(valid.iter().all(|count| count.get() > 5), "these histories say nothing: {valid:?}");
}

fn depth_agrees_with_breadth<M: Model>(alphabet: &Alphabet<M>) {
    runner(100)
        .run(&dice(60, 0.15), |dice| {
            for history in [anything(alphabet, &dice), nearly_valid(alphabet, &dice)] {
                let [depth, breadth] = [Strategy::Depth, Strategy::Breadth].map(|strategy| {
                    let parts = check_by(strategy, &alphabet.model, &history, &Limits::default());
                    parts
                        .iter()
                        .map(|part| (part.outcome.is_linearizable(), part.outcome.stuck().map(|stuck| stuck.operation)))
                        .collect::<Vec<_>>()
                });
                prop_assert_eq!(depth, breadth);
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}

macro_rules! random {
    ($($name:ident),*) => {
        $(mod $name {
            #[test] fn agrees_with_the_definition() { super::agrees_with_the_definition(&super::alphabet::$name()); }
            #[test] fn depth_agrees_with_breadth() { super::depth_agrees_with_breadth(&super::alphabet::$name()); }
        })*
    };
}
each_alphabet!(random);
