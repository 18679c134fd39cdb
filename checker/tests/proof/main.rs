//! The proof that the engine is right: against the definition, on every small history and on many random ones.

mod alphabet;
mod brute;
mod exhaustive;
mod minimal;
mod random;
mod registers;

use checker::engine::{Limits, Operation, Outcome, Strategy, check_by};
use checker::model::Model;

/// Whether a history is linearizable, on which every strategy must agree; an order that is given must be one.
fn engine<M: Model>(model: &M, history: &[Operation<M::Op>]) -> bool {
    let answers = [Strategy::Depth, Strategy::Breadth, Strategy::Race].map(|strategy| {
        let parts = check_by(strategy, model, history, &Limits::default());
        for part in &parts {
            match &part.outcome {
                Outcome::Linearizable { order: Some(order) } => brute::is_order(model, history, &part.operations, order),
                Outcome::Linearizable { order: None } => {}
                Outcome::Violation(stuck) => brute::is_stuck(model, history, &part.operations, stuck),
                Outcome::Unknown(..) => panic!("no answer: {history:?}"),
            }
        }
        parts.iter().all(|part| part.outcome.is_linearizable())
    });
    assert!(answers.iter().all(|&answer| answer == answers[0]), "the strategies answer {answers:?}: {history:#?}");
    answers[0]
}

/// The full proofs take minutes; they run where somebody asks for them.
fn long() -> bool {
    std::env::var_os("FENCEPOST_LONG").is_some_and(|value| value == "1")
}
