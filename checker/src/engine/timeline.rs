//! A history as a line of calls and returns, with a slot for every operation while it is pending.
//!
//! Slots are used again, so that a configuration is as wide as the most operations that were ever pending at once, not as
//! long as the history.

use super::Operation;

/// What comes next on the line; each names an entry of [`Timeline::entries`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    /// An operation that changes no state was called.
    CallRead(u32),
    /// An operation that may change the state was called.
    CallEffect(u32),
    /// An operation that may have happened or not was called.
    CallOptional(u32),
    /// An operation that changes no state returned.
    ReturnRead(u32),
    /// An operation that may change the state returned.
    ReturnEffect(u32),
    /// An operation that may have happened or not can no longer happen.
    ReturnOptional(u32),
}

/// One operation on the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// Its index in the history.
    pub(super) operation: u32,
    /// Equal operations are of one class.
    pub(super) class: u32,
    /// Its place among the pending ones of its sort (reads, effects, optional ones).
    pub(super) slot: u32,
    /// Where on the line it returns; beyond the end, in the order of calls, where it never does.
    pub(super) deadline: u32,
    /// Whether it may have happened or not.
    pub(super) optional: bool,
}

/// The line.
pub(super) struct Timeline {
    pub(super) entries: Vec<Entry>,
    pub(super) events: Vec<Event>,
    pub(super) classes: usize,
    pub(super) effect_slots: usize,
    pub(super) read_slots: usize,
    pub(super) optional_slots: usize,
}

/// What an operation is to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It happened and changes no state.
    Read,
    /// It happened and may change the state.
    Effect,
    /// It may have happened or not.
    Optional,
    /// It may have happened or not, and matters to nobody.
    LeftOut,
}

impl Timeline {
    /// The line of the operations named by `members`, with the class and the role of each.
    pub(super) fn new<O>(history: &[Operation<O>], members: &[usize], numbers: &[u32], roles: &[Role]) -> Self {
        // (time, returns after calls of the same time, entry)
        let mut ends: Vec<(u64, bool, u32)> = Vec::with_capacity(members.len() * 2);
        let mut entries = Vec::with_capacity(members.len());
        let mut observers = Vec::with_capacity(members.len());
        let classes = numbers.iter().max().map_or(0, |&class| class as usize + 1);
        for ((&member, &class), &role) in members.iter().zip(numbers).zip(roles) {
            if role == Role::LeftOut {
                continue;
            }
            let operation = &history[member];
            let entry = entries.len() as u32;
            ends.push((operation.call, false, entry));
            if let Some(ret) = operation.ret {
                ends.push((ret.max(operation.call), true, entry));
            }
            let optional = role == Role::Optional;
            entries.push(Entry { operation: member as u32, class, slot: 0, deadline: u32::MAX, optional });
            observers.push(role == Role::Read);
        }
        ends.sort_unstable();
        let (mut reads, mut effects, mut optionals) = (Slots::default(), Slots::default(), Slots::default());
        let mut events = Vec::with_capacity(ends.len());
        for (_, returns, entry) in ends {
            let item = &mut entries[entry as usize];
            let (slots, call, ret): (_, MakeEvent, MakeEvent) = match (item.optional, observers[entry as usize]) {
                (true, _) => (&mut optionals, Event::CallOptional, Event::ReturnOptional),
                (false, true) => (&mut reads, Event::CallRead, Event::ReturnRead),
                (false, false) => (&mut effects, Event::CallEffect, Event::ReturnEffect),
            };
            if returns {
                slots.free.push(item.slot);
                item.deadline = events.len() as u32;
                events.push(ret(entry));
            } else {
                item.slot = slots.take();
                events.push(call(entry));
            }
        }
        let mut beyond = events.len() as u32;
        for event in &events {
            if let &Event::CallOptional(entry) = event
                && entries[entry as usize].deadline == u32::MAX
            {
                entries[entry as usize].deadline = beyond;
                beyond += 1;
            }
        }
        let [effect_slots, read_slots, optional_slots] = [effects, reads, optionals].map(|slots| slots.made as usize);
        Timeline { entries, events, classes, effect_slots, read_slots, optional_slots }
    }
}

type MakeEvent = fn(u32) -> Event;

/// Gives out numbers that are not in use.
#[derive(Default)]
struct Slots {
    free: Vec<u32>,
    made: u32,
}

impl Slots {
    fn take(&mut self) -> u32 {
        self.free.pop().unwrap_or_else(|| {
            self.made += 1;
            self.made - 1
        })
    }
}
