//! States and operations as numbers, and the moves between them, remembered.

use crate::model::Model;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::{BuildHasher, Hash};

/// The moves of some model, by number.
pub(super) trait Moves {
    /// The state after an operation of this class; none where it cannot happen.
    fn step(&mut self, state: u32, class: u32) -> Option<u32>;

    /// The only classes of the history that can happen in this state; none where there are many, or too many to look through.
    fn only(&mut self, state: u32) -> Option<Few>;

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

    pub(super) fn items(&self) -> &[T] {
        &self.items
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
    /// Per state its few classes, as far as they were asked for.
    only: Vec<Asked>,
}

/// The classes that can happen in a state.
#[derive(Clone, Copy)]
enum Asked {
    No,
    Few(Few),
    Many,
}

/// A few classes.
#[derive(Clone, Copy, Default)]
pub(super) struct Few {
    classes: [u32; 4],
    count: u8,
}

impl Few {
    /// False where there is no room for it.
    fn push(&mut self, class: u32) -> bool {
        let room = self.classes.get_mut(usize::from(self.count));
        let fits = room.is_some();
        if let Some(room) = room {
            *room = class;
            self.count += 1;
        }
        fits
    }

    pub(super) fn classes(&self) -> &[u32] {
        &self.classes[..usize::from(self.count)]
    }
}

/// In a history of more classes than this, a state is not asked for its few.
const MOST_LOOKED_THROUGH: usize = 4096;

/// No class, no state.
const NONE: u32 = u32::MAX;

impl<'a, M: Model> Space<'a, M> {
    /// A space whose state 0 is the initial one. The history's length says how much to remember.
    pub(super) fn new(model: &'a M, classes: &'a Interner<&'a M::Op>, initial: M::State, operations: usize) -> Self {
        let recent = (operations * 8).next_power_of_two().clamp(64, 1 << 16);
        let mut states = Interner::new();
        states.number(initial);
        Space { model, classes, states, recent: vec![(NONE, NONE, NONE); recent].into_boxed_slice(), only: Vec::new() }
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

    fn only(&mut self, state: u32) -> Option<Few> {
        let place = state as usize;
        if place >= self.only.len() {
            self.only.resize(place + 1, Asked::No);
        }
        if self.classes.items.len() > MOST_LOOKED_THROUGH {
            return None;
        }
        if let Asked::No = self.only[place] {
            let from = self.states.get(state);
            let can = |&class: &u32| self.model.step(from, self.classes.get(class)).is_some();
            let classes = self.classes.items.len() as u32;
            let mut few = Few::default();
            let all = (0..classes).filter(can).all(|class| few.push(class));
            self.only[place] = if all { Asked::Few(few) } else { Asked::Many };
        }
        match self.only[place] {
            Asked::Few(few) => Some(few),
            Asked::No | Asked::Many => None,
        }
    }

    fn memory(&self) -> usize {
        self.states.items.len() * (size_of::<M::State>() + 8) + self.recent.len() * 12
    }
}
