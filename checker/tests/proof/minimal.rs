//! What a violation is cut down to violates whatever the others did, and none of it can be left out.

use crate::alphabet::{self, Alphabet, each_alphabet};
use crate::brute;
use crate::random::{anything, dice, nearly_valid};
use checker::engine::{Limits, Outcome, check, minimal};
use checker::model::Model;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;

fn proves<M: Model>(alphabet: &Alphabet<M>) {
    let violations = Cell::new(0);
    TestRunner::new(Config { cases: 200, failure_persistence: None, ..Config::default() })
        .run(&dice(6, 0.2), |dice| {
            for history in [anything(alphabet, &dice), nearly_valid(alphabet, &dice)] {
                for part in check(&alphabet.model, &history, &Limits::default()) {
                    let Outcome::Violation(stuck) = &part.outcome else { continue };
                    violations.set(violations.get() + 1);
                    let kept = minimal(&alphabet.model, &history, &part.operations, stuck.operation, &Limits::default());
                    let of_others = |at: usize| !part.operations.contains(&at);
                    let violates = |kept: &[usize]| {
                        !brute::linearizable(&alphabet.model, &history, &|at| of_others(at) || !kept.contains(&at))
                    };
                    prop_assert!(violates(&kept), "{:?} prove nothing of {:#?}", kept, history);
                    let alone: Vec<_> = kept.iter().map(|&at| history[at].clone()).collect();
                    prop_assert!(
                        !brute::linearizable(&alphabet.model, &alone, &|_| false),
                        "{:?} are valid alone: {:#?}",
                        kept,
                        history
                    );
                    for &at in &kept {
                        let fewer: Vec<usize> = kept.iter().copied().filter(|&other| other != at).collect();
                        // Until the stuck operation has returned; what came later would have to be explained too.
                        let end = history[stuck.operation].ret.expect("it returned");
                        let seen: Vec<_> = (0..history.len()).filter(|&at| history[at].call <= end && !of_others(at)).collect();
                        let cut: Vec<_> = seen.iter().map(|&at| history[at].clone()).collect();
                        let optional = |n: usize| !fewer.contains(&seen[n]) || cut[n].ret.is_none_or(|ret| ret > end);
                        prop_assert!(
                            brute::linearizable(&alphabet.model, &cut, &optional),
                            "{} is superfluous in {:?}: {:#?}",
                            at,
                            kept,
                            history
                        );
                    }
                }
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
    let violations = violations.get();
    assert!(violations > 20, "only {violations} violations were cut down");
}

macro_rules! minimal {
    ($($name:ident),*) => {
        $(#[test] fn $name() { proves(&alphabet::$name()); })*
    };
}
each_alphabet!(minimal);
