//! A search is bounded, and says how far it came; many objects are checked apart.

use checker::engine::{Bound, Limits, Operation, Outcome, Strategy, check, check_by};
use checker::history::Value;
use checker::model::cas_register::{CasOp, CasRegister};
use checker::model::keyed::{Keyed, KeyedOp};
use std::time::{Duration, Instant};

fn int(n: i64) -> Value {
    Value::Int(n)
}

/// Forty different writes at once, then a read of what nobody wrote: every set of them can have been taken before it.
fn hard() -> Vec<Operation<CasOp>> {
    let writes = (1..=40).map(|n| Operation::known(CasOp::Write(int(n)), 10, 1000));
    let early = Operation::known(CasOp::Read(int(0)), 0, 5);
    std::iter::once(early).chain(writes).chain([Operation::known(CasOp::Read(int(99)), 500, 600)]).collect()
}

#[test]
fn time_ends_a_search_without_an_answer() {
    let limits = Limits { time: Duration::from_millis(100), memory: usize::MAX };
    let began = Instant::now();
    for strategy in [Strategy::Depth, Strategy::Breadth, Strategy::Race] {
        let parts = check_by(strategy, &CasRegister { initial: int(0) }, &hard(), &limits);
        let Outcome::Unknown(stuck, Bound::Time) = &parts[0].outcome else { panic!("{strategy:?}: {:?}", parts[0].outcome) };
        // It came as far as the read that nothing explains.
        assert_eq!(stuck.operation, 41, "{strategy:?}");
        assert!(!stuck.states.is_empty());
    }
    assert!(began.elapsed() < Duration::from_secs(60), "the bound of 100 ms was not held");
}

#[test]
fn memory_ends_a_search_without_an_answer() {
    let limits = Limits { time: Duration::from_secs(300), memory: 1 << 20 };
    for strategy in [Strategy::Depth, Strategy::Breadth, Strategy::Race] {
        let parts = check_by(strategy, &CasRegister { initial: int(0) }, &hard(), &limits);
        assert!(matches!(parts[0].outcome, Outcome::Unknown(_, Bound::Memory)), "{strategy:?}: {:?}", parts[0].outcome);
    }
}

#[test]
fn many_objects_are_checked_apart() {
    let op = |key: i64, op| KeyedOp { key: Some(int(key)), op };
    let mut history = Vec::new();
    for n in 0..300u64 {
        for key in 0..20 {
            let written = i64::try_from(n).expect("it is small");
            history.push(Operation::known(op(key, CasOp::Write(int(written))), n * 10, n * 10 + 4));
            // One object alone answers with what was overwritten.
            let read = if (key, n) == (13, 200) { int(1) } else { int(written) };
            history.push(Operation::known(op(key, CasOp::Read(read)), n * 10 + 5, n * 10 + 9));
        }
    }
    let parts = check(&Keyed(CasRegister::default()), &history, &Limits::default());
    let keys: Vec<_> = parts.iter().map(|part| part.key.clone()).collect();
    assert_eq!(keys, (0..20).map(|key| Some(int(key))).collect::<Vec<_>>());
    for part in &parts {
        assert_eq!(part.operations.len(), 600);
        assert_eq!(part.outcome.is_violation(), part.key == Some(int(13)), "{:?}", part.key);
        if let Outcome::Violation(stuck) = &part.outcome {
            let wrong = &history[stuck.operation];
            assert_eq!((&wrong.op.op, wrong.call), (&CasOp::Read(int(1)), 2005));
            assert_eq!((&stuck.states[..], stuck.prefix.len()), (&[int(200)][..], 401));
        }
    }
}
