//! Registers of distinct values: the sweep against the engine, which is its oracle.

use checker::engine::{Limits, Operation, Strategy, check_by};
use checker::history::Value;
use checker::model::Shortcut;
use checker::model::register::{Register, RegisterOp};
use checker::register::decide;
use proptest::prelude::*;

/// A write of a value of its own, or a read of some value near it; its call, its length and whether its reply is lost.
fn operation(most: i64) -> impl proptest::strategy::Strategy<Value = (Option<i64>, u64, u64, bool)> {
    (prop::option::of(0..=most), 0u64..4, 0u64..9, prop::bool::weighted(0.2))
}

fn history(dice: &[(Option<i64>, u64, u64, bool)]) -> Vec<Operation<RegisterOp>> {
    let mut now = 0;
    dice.iter()
        .enumerate()
        .map(|(n, &(read, pause, length, lost))| {
            now += pause;
            // Reads are of what was written lately, so that many histories are valid.
            let op = match read {
                Some(back) => RegisterOp::Read(Value::Int((n as i64 - back).max(0))),
                None => RegisterOp::Write(Value::Int(n as i64 + 1)),
            };
            Operation { op, call: now, ret: (!lost).then_some(now + length) }
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn agrees_with_the_engine(dice in prop::collection::vec(operation(4), 1..14)) {
        let register = Register { initial: Value::Int(0) };
        let history = history(&dice);
        let views: Vec<_> = history.iter().map(|one| Operation { op: &one.op, call: one.call, ret: one.ret }).collect();
        let quick = decide(&register.initial, &views).expect("no value is written twice");
        let linearizable = check_by(Strategy::Depth, &register, &history, &Limits::default())[0].outcome.is_linearizable();
        prop_assert_eq!(quick == Shortcut::Linearizable, linearizable);
        if let Shortcut::Violation(proof) = quick {
            prop_assert!(proof.len() <= 6);
            let few: Vec<_> = proof.iter().map(|&at| history[at].clone()).collect();
            prop_assert!(check_by(Strategy::Depth, &register, &few, &Limits::default())[0].outcome.is_violation(), "{:?}", proof);
        }
    }
}

#[test]
fn repeated_values_are_for_the_engine() {
    let write = RegisterOp::Write(Value::Int(1));
    let history = [Operation::known(&write, 0, 1), Operation::known(&write, 2, 3)];
    assert_eq!(decide(&Value::Nil, &history), None);
    assert_eq!(decide(&Value::Int(1), &history[..1]), None);
}
