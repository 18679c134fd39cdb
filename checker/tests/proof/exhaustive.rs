//! Every history of a few operations by at most three clients, over the small alphabets.

use crate::alphabet::{self, Alphabet, each_alphabet};
use crate::{brute, engine, long};
use checker::engine::Operation;
use checker::model::Model;

/// A history that is being built; the next event happens at `now`.
struct Builder<'a, M: Model> {
    alphabet: &'a Alphabet<M>,
    operations: usize,
    history: Vec<Operation<M::Op>>,
    /// The operation that each client has not yet finished.
    busy: Vec<usize>,
    now: u64,
    seen: u64,
    valid: u64,
}

const CLIENTS: usize = 3;

impl<M: Model> Builder<'_, M> {
    /// Every way to go on.
    fn grow(&mut self) {
        if self.busy.is_empty() && self.history.len() == self.operations {
            self.check();
            return;
        }
        self.now += 1;
        for place in 0..self.busy.len() {
            let operation = self.busy.remove(place);
            self.history[operation].ret = Some(self.now);
            self.grow();
            self.history[operation].ret = Some(u64::MAX);
            self.busy.insert(place, operation);
        }
        if self.history.len() < self.operations {
            for op in &self.alphabet.ops {
                if self.busy.len() < CLIENTS {
                    self.busy.push(self.history.len());
                    self.history.push(Operation::known(op.clone(), self.now, u64::MAX));
                    self.grow();
                    self.history.pop();
                    self.busy.pop();
                }
                // Of unknown outcome; its client goes on as another.
                self.history.push(Operation::unknown(op.clone(), self.now));
                self.grow();
                self.history.pop();
            }
        }
        self.now -= 1;
    }

    fn check(&mut self) {
        let expected = brute::linearizable(&self.alphabet.model, &self.history, &|_| false);
        assert_eq!(engine(&self.alphabet.model, &self.history), expected, "{:#?}", self.history);
        self.seen += 1;
        self.valid += u64::from(expected);
    }
}

fn every_history<M: Model>(alphabet: &Alphabet<M>) {
    // Four operations of the larger alphabets are tens of millions of histories.
    let most = match (long(), alphabet.ops.len()) {
        (true, ..=6) => 4,
        (true, _) | (false, ..=6) => 3,
        (false, _) => 2,
    };
    for operations in 1..=most {
        let mut builder = Builder { alphabet, operations, history: Vec::new(), busy: Vec::new(), now: 0, seen: 0, valid: 0 };
        builder.grow();
        assert!(builder.valid > 0 && builder.valid < builder.seen, "{} of {} are valid", builder.valid, builder.seen);
    }
}

macro_rules! exhaustive {
    ($($name:ident),*) => {
        $(#[test] fn $name() { every_history(&alphabet::$name()); })*
    };
}
each_alphabet!(exhaustive);
