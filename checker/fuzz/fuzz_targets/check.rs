//! Any bytes as a small history of a register: both searches give the same answer. `cargo +nightly fuzz run check`.
#![no_main]

use checker::engine::{Limits, Operation, Strategy, check_by};
use checker::history::Value;
use checker::model::cas_register::{CasOp, CasRegister};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let operations = bytes.chunks_exact(3).take(40).map(|chunk| {
        let [what, call, length] = [chunk[0], chunk[1], chunk[2]].map(u64::from);
        let value = |shift: u64| Value::Int(i64::try_from(what >> shift & 3).expect("it is small"));
        let op = match what & 3 {
            0 => CasOp::Read(value(2)),
            1 => CasOp::Write(value(2)),
            2 => CasOp::Cas(value(2), value(4)),
            _ => CasOp::Mismatch(value(2)),
        };
        Operation { op, call, ret: (length < 200).then_some(call + length % 32) }
    });
    let history: Vec<Operation<CasOp>> = operations.collect();
    let model = CasRegister { initial: Value::Int(0) };
    let answer = |strategy| -> Vec<bool> {
        check_by(strategy, &model, &history, &Limits::default()).iter().map(|part| part.outcome.is_violation()).collect()
    };
    assert_eq!(answer(Strategy::Depth), answer(Strategy::Breadth));
});
