//! Where a search stands, and how an operation is taken there.

use super::choices::{Choices, Sort};
use super::space::Moves;
use super::timeline::{Event, Timeline};
use super::window::{Layout, NOBODY, Window, clear, has, set};

/// The line, the place on it, and the rules; shared by both searches.
pub(super) struct Board<'a> {
    pub(super) line: &'a Timeline,
    pub(super) layout: Layout,
    pub(super) window: Window<'a>,
    pub(super) moves: &'a mut dyn Moves,
    choices: Choices,
}

impl<'a> Board<'a> {
    pub(super) fn new(line: &'a Timeline, moves: &'a mut dyn Moves) -> Self {
        Board { line, layout: Layout::new(line), window: Window::new(line), moves, choices: Choices::new(line) }
    }

    /// Appends the entries worth taking in a configuration, the likeliest first: where a read is about to return, those that explain it.
    pub(super) fn choose(&mut self, sort: Sort, state: u32, words: &[u64], event: Event, into: &mut Vec<u32>) {
        let start = into.len();
        self.choices.list(sort, self.line, &self.layout, &self.window, words, into);
        let mut kept = start;
        for at in start..into.len() {
            let entry = into[at];
            if !self.line.entries[entry as usize].optional || self.is_worth(event, state, entry) {
                into[kept] = entry;
                kept += 1;
            }
        }
        into.truncate(kept);
        if let Event::ReturnRead(read) = event {
            let mut front = start;
            for at in start..into.len() {
                if let Some(next) = self.step(state, into[at])
                    && self.step(next, read).is_some()
                {
                    into[front..=at].rotate_right(1);
                    front += 1;
                }
            }
        }
    }

    #[inline]
    pub(super) fn step(&mut self, state: u32, entry: u32) -> Option<u32> {
        self.moves.step(state, self.line.entries[entry as usize].class)
    }

    /// Takes an operation and every read that then fits; none where it cannot be taken.
    #[inline]
    pub(super) fn take(&mut self, state: u32, entry: u32, words: &mut [u64], trail: &mut Vec<u32>) -> Option<u32> {
        let next = self.step(state, entry)?;
        let item = self.line.entries[entry as usize];
        if item.optional {
            set(words, self.layout.optional(item.slot));
        } else {
            set(words, self.layout.effect(item.slot));
        }
        trail.push(entry);
        if next != state {
            for slot in 0..self.window.reads.len() {
                let read = self.window.reads[slot];
                let bit = self.layout.read(slot as u32);
                if read != NOBODY && has(words, bit) && self.step(next, read).is_some() {
                    clear(words, bit);
                    trail.push(read);
                }
            }
        }
        Some(next)
    }

    /// Whether something may be won by taking an optional operation. If it changes nothing it may as well never have happened; and if few
    /// operations can happen after it and none of those is pending, or only such as may never have happened and lead back, then it does not help the one that must
    /// return. At its own last chance those that come later count too.
    fn is_worth(&mut self, event: Event, state: u32, entry: u32) -> bool {
        let Some(next) = self.step(state, entry).filter(|&next| next != state) else { return false };
        if event == Event::ReturnOptional(entry) {
            return true;
        }
        let Some(few) = self.moves.only(next) else { return true };
        for &class in few.classes() {
            let [must, may] = self.window.pending[class as usize];
            if must > 0 || (may > 0 && self.moves.step(next, class) != Some(state)) {
                return true;
            }
        }
        false
    }

    /// Whether a configuration passes this event: whether the operation that returns here has taken effect in it.
    #[inline]
    pub(super) fn gate(&self, event: Event, words: &[u64]) -> Gate {
        let slot = |entry: u32| self.line.entries[entry as usize].slot;
        let (taken, otherwise) = match event {
            Event::CallRead(_) | Event::CallEffect(_) | Event::CallOptional(_) => return Gate::Open,
            Event::ReturnRead(entry) => (!has(words, self.layout.read(slot(entry))), Gate::Shut),
            Event::ReturnEffect(entry) => (has(words, self.layout.effect(slot(entry))), Gate::Shut),
            Event::ReturnOptional(entry) => (has(words, self.layout.optional(slot(entry))), Gate::Ajar),
        };
        if taken { Gate::Open } else { otherwise }
    }

    /// Moves a configuration, in which the event is done, past it; a read that is called and fits is taken at once. The window is the
    /// caller's to move.
    #[inline]
    pub(super) fn pass(&mut self, event: Event, state: u32, words: &mut [u64], trail: &mut Vec<u32>) {
        match event {
            Event::CallRead(read) if self.step(state, read).is_some() => trail.push(read),
            Event::CallRead(read) => set(words, self.layout.read(self.line.entries[read as usize].slot)),
            Event::ReturnEffect(entry) => clear(words, self.layout.effect(self.line.entries[entry as usize].slot)),
            Event::ReturnOptional(entry) => clear(words, self.layout.optional(self.line.entries[entry as usize].slot)),
            Event::CallEffect(_) | Event::CallOptional(_) | Event::ReturnRead(_) => {}
        }
    }
}

/// Whether a configuration passes an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// It does.
    Open,
    /// It does, but this is the last chance for an operation that may also have happened.
    Ajar,
    /// It does not, until the operation that returns here has taken effect.
    Shut,
}

/// How a search over one line ended, in entries.
pub(super) enum Answer {
    /// An order was found; the search that goes in depth knows it.
    Found(Option<Vec<u32>>),
    /// Everything was tried.
    Stuck,
}

/// How far a search came: the event that it did not pass, the states that it was in there, and how it came there where it knows.
pub(super) struct Progress {
    pub(super) event: u32,
    pub(super) states: Vec<u32>,
    pub(super) trail: Option<Vec<u32>>,
}

/// How many of the possible states are kept for the explanation.
pub(super) const STATES_SHOWN: usize = 16;

/// Keeps a state for the explanation.
pub(super) fn note(states: &mut Vec<u32>, state: u32) {
    if states.len() < STATES_SHOWN && !states.contains(&state) {
        states.push(state);
    }
}
