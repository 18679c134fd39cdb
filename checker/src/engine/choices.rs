//! Which operations are worth taking next.

use super::timeline::{Event, Timeline};
use super::window::{Layout, NOBODY, Window, has};

/// Which operations to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// Those that must have happened.
    Must,
    /// Those that may have happened or not.
    May,
    /// Both.
    All,
}

/// Lists the operations worth taking in a configuration.
///
/// Of equal operations that are pending together the one that must return first is taken first: exchanging two of them in a
/// linearization gives another one. So one of a class is enough; or two, where one that may have happened or not comes before one that must have.
pub(super) struct Choices {
    /// Per class, the listing in which it was last seen, and whether as one that must have happened.
    seen: Vec<(u64, bool)>,
    listing: u64,
}

impl Choices {
    pub(super) fn new(line: &Timeline) -> Self {
        Choices { seen: vec![(0, false); line.classes], listing: 0 }
    }

    /// Appends the entries of this sort that are worth taking, by deadline.
    pub(super) fn list(
        &mut self,
        sort: Sort,
        line: &Timeline,
        layout: &Layout,
        window: &Window<'_>,
        words: &[u64],
        into: &mut Vec<u32>,
    ) {
        self.listing += 1;
        let start = into.len();
        let deadline = |entry: &u32| line.entries[*entry as usize].deadline;
        for (slot, &entry) in window.effects.iter().enumerate() {
            if entry != NOBODY && !has(words, layout.effect(slot as u32)) {
                into.push(entry);
            }
        }
        into[start..].sort_unstable_by_key(deadline);
        if sort != Sort::Must {
            let middle = into.len();
            for (slot, &entry) in window.optionals.iter().enumerate() {
                if entry != NOBODY && !has(words, layout.optional(slot as u32)) {
                    into.push(entry);
                }
            }
            // What never returns comes last and in order already.
            if !into[middle.saturating_sub(1).max(start)..].is_sorted_by_key(deadline) {
                into[start..].sort_unstable_by_key(deadline);
            }
        }
        let mut kept = start;
        for at in start..into.len() {
            let entry = into[at];
            if self.is_worth(line, entry) && (sort != Sort::May || line.entries[entry as usize].optional) {
                into[kept] = entry;
                kept += 1;
            }
        }
        into.truncate(kept);
    }

    fn is_worth(&mut self, line: &Timeline, entry: u32) -> bool {
        let entry = line.entries[entry as usize];
        let (listing, must) = &mut self.seen[entry.class as usize];
        if *listing != self.listing {
            (*listing, *must) = (self.listing, !entry.optional);
            return true;
        }
        !entry.optional && !std::mem::replace(must, true)
    }
}

/// The entry that must have taken effect by this event; none where nothing must.
pub(super) fn returning(event: Event) -> Option<u32> {
    match event {
        Event::ReturnRead(entry) | Event::ReturnEffect(entry) => Some(entry),
        _ => None,
    }
}
