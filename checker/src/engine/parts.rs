//! A history of many objects, checked object by object on all cores.

use super::search::Search;
use super::{Limits, Operation, Outcome, Part, Strategy};
use crate::history::Value;
use crate::model::{Model, Shortcut};
use hashbrown::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Checks every object of a history, each within the limits; parts come in the order in which their objects first appear.
pub fn check<M: Model>(model: &M, history: &[Operation<M::Op>], limits: &Limits) -> Vec<Part<M::State>> {
    check_by(Strategy::Race, model, history, limits)
}

/// As [`check`], by one strategy.
pub fn check_by<M: Model>(strategy: Strategy, model: &M, history: &[Operation<M::Op>], limits: &Limits) -> Vec<Part<M::State>> {
    let parts = split(model, history);
    let decide = |(key, operations): &(Option<&Value>, Vec<usize>)| {
        let quick = match strategy {
            Strategy::Race => shortcut(model, *key, history, operations),
            Strategy::Depth | Strategy::Breadth => None,
        };
        match quick {
            Some(Shortcut::Linearizable) => Outcome::Linearizable { order: None },
            // The few operations that prove it are soon searched, for the explanation.
            Some(Shortcut::Violation(proof)) => Search::new(model, *key, history, &proof).decide(strategy, limits),
            None => Search::new(model, *key, history, operations).decide(strategy, limits),
        }
    };
    let outcomes = on_all_cores(&parts, |part| part.1.len(), decide);
    parts.into_iter().zip(outcomes).map(|((key, operations), outcome)| Part { key: key.cloned(), operations, outcome }).collect()
}

/// The model's verdict without a search, with operations of the history.
pub(super) fn shortcut<M: Model>(
    model: &M,
    key: Option<&Value>,
    history: &[Operation<M::Op>],
    members: &[usize],
) -> Option<Shortcut> {
    let view = |&member: &usize| Operation { op: &history[member].op, call: history[member].call, ret: history[member].ret };
    let members_of = |proof: Vec<usize>| proof.into_iter().map(|at| members[at]).collect();
    Some(match model.shortcut(key, &members.iter().map(view).collect::<Vec<_>>())? {
        Shortcut::Linearizable => Shortcut::Linearizable,
        Shortcut::Violation(proof) => Shortcut::Violation(members_of(proof)),
    })
}

/// The operations of each object, in the order in which objects first appear.
fn split<'h, M: Model>(model: &M, history: &'h [Operation<M::Op>]) -> Vec<(Option<&'h Value>, Vec<usize>)> {
    let mut places: HashMap<Option<&Value>, usize> = HashMap::new();
    let mut parts: Vec<(Option<&Value>, Vec<usize>)> = Vec::new();
    for (index, operation) in history.iter().enumerate() {
        let key = model.key(&operation.op);
        let place = *places.entry(key).or_insert_with(|| {
            parts.push((key, Vec::new()));
            parts.len() - 1
        });
        parts[place].1.push(index);
    }
    parts
}

/// A thread pays only where this many operations are shared out.
const WORTH_A_THREAD: usize = 2000;

/// Applies `work` to every item, the largest first; answers in the order of the items.
fn on_all_cores<T: Sync, R: Send>(items: &[T], size: impl Fn(&T) -> usize, work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    if items.len() < 2 || items.iter().map(&size).sum::<usize>() < WORTH_A_THREAD {
        return items.iter().map(work).collect();
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(items.len());
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&item| std::cmp::Reverse(size(&items[item])));
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::with_capacity(items.len()));
    let worker = || {
        while let Some(&item) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let answer = work(&items[item]);
            done.lock().expect("no worker panics while it holds this").push((item, answer));
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cores {
            scope.spawn(worker);
        }
        worker();
    });
    let mut done = done.into_inner().expect("every worker is over");
    done.sort_unstable_by_key(|&(item, _)| item);
    done.into_iter().map(|(_, answer)| answer).collect()
}
