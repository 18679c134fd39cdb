//! The definition of linearizability, word by word. It shares no code with the engine.

use checker::engine::{Operation, Stuck};
use checker::model::Model;

/// Whether some order of the operations, some of those that may have happened or not left out, contradicts no interval and gives every result.
pub fn linearizable<M: Model>(model: &M, history: &[Operation<M::Op>], optional: &dyn Fn(usize) -> bool) -> bool {
    let mut keys: Vec<_> = history.iter().map(|operation| model.key(&operation.op)).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter().all(|key| {
        let members: Vec<usize> = (0..history.len()).filter(|&at| model.key(&history[at].op) == key).collect();
        let must: Vec<usize> = members.iter().copied().filter(|&at| history[at].ret.is_some() && !optional(at)).collect();
        extend(model, history, &members, &must, &mut Vec::new(), &model.initial(key))
    })
}

fn extend<M: Model>(
    model: &M,
    history: &[Operation<M::Op>],
    members: &[usize],
    must: &[usize],
    order: &mut Vec<usize>,
    state: &M::State,
) -> bool {
    if must.iter().all(|at| order.contains(at)) {
        return true;
    }
    members.iter().any(|&next| {
        let fits = !order.contains(&next) && order.iter().all(|&before| !precedes(&history[next], &history[before]));
        let after = if fits { model.step(state, &history[next].op) } else { None };
        after.is_some_and(|after| {
            order.push(next);
            let found = extend(model, history, members, must, order, &after);
            order.pop();
            found
        })
    })
}

fn precedes<O>(one: &Operation<O>, other: &Operation<O>) -> bool {
    one.ret.is_some_and(|ret| ret < other.call)
}

/// Panics unless the order is a linearization of the members.
pub fn is_order<M: Model>(model: &M, history: &[Operation<M::Op>], members: &[usize], order: &[usize]) {
    let mut state = model.initial(members.first().and_then(|&at| model.key(&history[at].op)));
    for (place, &at) in order.iter().enumerate() {
        let late = order[..place].iter().find(|&&before| precedes(&history[at], &history[before]));
        assert!(late.is_none(), "{at} comes after {late:?} in {order:?}: {history:#?}");
        assert!(!order[..place].contains(&at), "{at} comes twice in {order:?}");
        state = model.step(&state, &history[at].op).unwrap_or_else(|| panic!("{at} does not fit in {order:?}: {history:#?}"));
    }
    for &at in members {
        // What never returned, and what cannot matter, may be left out.
        assert!(order.contains(&at) || history[at].ret.is_none(), "{at} is missing in {order:?}: {history:#?}");
    }
}

/// Panics unless the prefix can be linearized, holds everything that returned before the stuck operation, and the operation fits none of the states.
pub fn is_stuck<M: Model>(model: &M, history: &[Operation<M::Op>], members: &[usize], stuck: &Stuck<M::State>) {
    let end = history[stuck.operation].ret.expect("only what returned can be stuck");
    assert!(!stuck.states.is_empty(), "some state is always possible: {history:#?}");
    for state in &stuck.states {
        assert!(model.step(state, &history[stuck.operation].op).is_none(), "it fits {state:?}: {history:#?}");
    }
    let whole = stuck.prefix.len() + 1 >= members.iter().filter(|&&at| history[at].ret.is_some_and(|ret| ret < end)).count();
    // The few operations that a shortcut gives are explained by themselves.
    if whole {
        let mut state = model.initial(model.key(&history[stuck.operation].op));
        for &at in &stuck.prefix {
            state = model.step(&state, &history[at].op).unwrap_or_else(|| panic!("{at} does not fit in {stuck:?}: {history:#?}"));
        }
    }
}
