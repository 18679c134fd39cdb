//! What is pending at one place of the line, and the bits of a configuration there.

use super::timeline::{Event, Timeline};

/// No operation.
pub(super) const NOBODY: u32 = u32::MAX;

/// How the words of a configuration are laid out: first a bit for every effect slot (set: it has taken effect), then, from
/// a word boundary, the *burden*: a bit for every read slot (set: it has not yet been explained) and one for every slot of
/// operations that may have happened or not (set: it has been used up). Of two configurations with equal states and effects the one with less burden can do all that the other can.
#[derive(Debug, Clone, Copy)]
pub(super) struct Layout {
    pub(super) effect_words: usize,
    pub(super) words: usize,
    read_slots: usize,
}

impl Layout {
    pub(super) fn new(line: &Timeline) -> Self {
        let effect_words = line.effect_slots.div_ceil(64);
        Layout {
            effect_words,
            words: effect_words + (line.read_slots + line.optional_slots).div_ceil(64),
            read_slots: line.read_slots,
        }
    }

    pub(super) fn effect(&self, slot: u32) -> usize {
        slot as usize
    }

    pub(super) fn read(&self, slot: u32) -> usize {
        self.effect_words * 64 + slot as usize
    }

    pub(super) fn optional(&self, slot: u32) -> usize {
        self.effect_words * 64 + self.read_slots + slot as usize
    }
}

#[inline]
pub(super) fn has(words: &[u64], bit: usize) -> bool {
    words[bit / 64] >> (bit % 64) & 1 == 1
}

#[inline]
pub(super) fn set(words: &mut [u64], bit: usize) {
    words[bit / 64] |= 1 << (bit % 64);
}

#[inline]
pub(super) fn clear(words: &mut [u64], bit: usize) {
    words[bit / 64] &= !(1 << (bit % 64));
}

/// What is pending at one place of the line; moves along it in both directions.
pub(super) struct Window<'a> {
    line: &'a Timeline,
    /// The entry in each effect slot.
    pub(super) effects: Vec<u32>,
    /// The entry in each read slot.
    pub(super) reads: Vec<u32>,
    /// The entry in each slot of operations that may have happened or not.
    pub(super) optionals: Vec<u32>,
    /// Per class, how many are pending: of those that must have happened, and of those that may have.
    pub(super) pending: Vec<[u32; 2]>,
}

impl<'a> Window<'a> {
    pub(super) fn new(line: &'a Timeline) -> Self {
        let empty = |slots| vec![NOBODY; slots];
        Window {
            line,
            effects: empty(line.effect_slots),
            reads: empty(line.read_slots),
            optionals: empty(line.optional_slots),
            pending: vec![[0; 2]; line.classes],
        }
    }

    #[inline]
    pub(super) fn forward(&mut self, event: Event) {
        let (slots, entry, calls) = match event {
            Event::CallRead(entry) => (&mut self.reads, entry, true),
            Event::CallEffect(entry) => (&mut self.effects, entry, true),
            Event::CallOptional(entry) => (&mut self.optionals, entry, true),
            Event::ReturnRead(entry) => (&mut self.reads, entry, false),
            Event::ReturnEffect(entry) => (&mut self.effects, entry, false),
            Event::ReturnOptional(entry) => (&mut self.optionals, entry, false),
        };
        let item = &self.line.entries[entry as usize];
        let pending = &mut self.pending[item.class as usize][usize::from(item.optional)];
        if calls {
            slots[item.slot as usize] = entry;
            *pending += 1;
        } else {
            slots[item.slot as usize] = NOBODY;
            *pending -= 1;
        }
    }

    #[inline]
    pub(super) fn backward(&mut self, event: Event) {
        self.forward(match event {
            Event::CallRead(entry) => Event::ReturnRead(entry),
            Event::CallEffect(entry) => Event::ReturnEffect(entry),
            Event::CallOptional(entry) => Event::ReturnOptional(entry),
            Event::ReturnRead(entry) => Event::CallRead(entry),
            Event::ReturnEffect(entry) => Event::CallEffect(entry),
            Event::ReturnOptional(entry) => Event::CallOptional(entry),
        });
    }
}
