//! States and operations as numbers, and the moves between them, remembered.

use crate::model::Model;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::{BuildHasher, Hash};

/// The moves of some model, by number.
pub(super) trait Moves {
    /// The state after an operation of this class; none where it cannot happen.
    fn step(&mut self, state: u32, class: u32) -> Option<u32>;

    /// Bytes remembered.
    fn memory(&self) -> usize;
}

/// Equal things get equal numbers, counted from 0.
pub(super) struct Interner<T> {
    items: Vec<T>,
    table: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<T: Eq + Hash> Interner<T> {
    pub(super) fn new() -> Self {
        Interner { items: Vec::new(), table: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }

    pub(super) fn number(&mut self, item: T) -> u32 {
        let Interner { items, table, hasher } = self;
        let entry = table.entry(hasher.hash_one(&item), |&n| items[n as usize] == item, |&n| hasher.hash_one(&items[n as usize]));
        match entry {
            hashbrown::hash_table::Entry::Occupied(found) => *found.get(),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let n = items.len() as u32;
                free.insert(n);
                items.push(item);
                n
            }
        }
    }

    pub(super) fn get(&self, n: u32) -> &T {
        &self.items[n as usize]
    }
}

/// A model's states and operations met so far. Each search has its own; the classes are shared.
pub(super) struct Space<'a, M: Model> {
    model: &'a M,
    classes: &'a Interner<&'a M::Op>,
    states: Interner<M::State>,
    /// Direct-mapped: a collision only costs a step of the model.
    recent: Box<[(u32, u32, u32)]>,
}

/// No class, no state.
const NONE: u32 = u32::MAX;

impl<'a, M: Model> Space<'a, M> {
    /// A space whose state 0 is the initial one. The history's length says how much to remember.
    pub(super) fn new(model: &'a M, classes: &'a Interner<&'a M::Op>, initial: M::State, operations: usize) -> Self {
        let recent = (operations * 8).next_power_of_two().clamp(64, 1 << 16);
        let mut states = Interner::new();
        states.number(initial);
        Space { model, classes, states, recent: vec![(NONE, NONE, NONE); recent].into_boxed_slice() }
    }

    pub(super) fn state(&self, n: u32) -> &M::State {
        self.states.get(n)
    }
}

impl<M: Model> Moves for Space<'_, M> {
    #[inline]
    fn step(&mut self, state: u32, class: u32) -> Option<u32> {
        let mixed = (u64::from(state) << 32 | u64::from(class)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> 40) as usize & (self.recent.len() - 1);
        let (from, by, to) = self.recent[place];
        if (from, by) == (state, class) {
            return (to != NONE).then_some(to);
        }
        let next = self.model.step(self.states.get(state), self.classes.get(class)).map(|next| self.states.number(next));
        self.recent[place] = (state, class, next.unwrap_or(NONE));
        next
    }

    fn memory(&self) -> usize {
        self.states.items.len() * (size_of::<M::State>() + 8) + self.recent.len() * 12
    }
}
