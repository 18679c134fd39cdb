//! Which operations of unknown outcome can matter to anybody.

use super::space::Interner;
use crate::model::Model;

/// In a history of more classes than this, every operation counts as helpful.
const MOST_LOOKED_THROUGH: usize = 4096;

/// Tells which classes help another of the history.
pub(super) struct Helpful<'c, 'h, M: Model> {
    model: &'c M,
    classes: &'c Interner<&'h M::Op>,
    known: Vec<Option<bool>>,
}

impl<'c, 'h, M: Model> Helpful<'c, 'h, M> {
    pub(super) fn new(model: &'c M, classes: &'c Interner<&'h M::Op>) -> Self {
        Helpful { model, classes, known: vec![None; classes.items().len()] }
    }

    pub(super) fn helps(&mut self, class: u32) -> bool {
        let items = self.classes.items();
        if items.len() > MOST_LOOKED_THROUGH {
            return true;
        }
        let op = self.classes.get(class);
        // What an operation helps mostly comes soon after it.
        let (before, after) = items.split_at(class as usize);
        *self.known[class as usize].get_or_insert_with(|| after.iter().chain(before).any(|other| self.model.helps(op, other)))
    }
}
