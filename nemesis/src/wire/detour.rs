//! Links that lead over another proxy, such as Toxiproxy, on their way to the node, and what passes on them.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// What has passed on a link since somebody began to watch it.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Passed {
    /// How many bytes went to the node.
    pub there: u64,
    /// How many bytes came back.
    pub back: u64,
    /// The longest that anything sent since then had to wait for an answer.
    pub slowest: Option<Duration>,
    /// How many connections were closed at one end or the other.
    pub ended: u64,
    /// How many connections could not be made.
    pub refused: u64,
}

/// The detours of a wire, each from one caller to one node.
#[derive(Debug, Default)]
pub(super) struct Detours(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    ways: BTreeMap<(String, String), SocketAddr>,
    watches: Vec<Watch>,
}

#[derive(Debug)]
struct Watch {
    caller: String,
    node: String,
    since: Instant,
    passed: Passed,
}

impl Detours {
    pub(super) fn add(&self, caller: &str, node: &str, via: SocketAddr) {
        self.lock().ways.insert((caller.into(), node.into()), via);
    }

    /// Where connections of this link really lead, if not straight to the node.
    pub(super) fn way(&self, caller: &str, node: &str) -> Option<SocketAddr> {
        let state = self.lock();
        if state.ways.is_empty() {
            return None;
        }
        state.ways.get(&(caller.into(), node.into())).copied()
    }

    pub(super) fn watch(&self, caller: &str, node: &str) -> usize {
        let watch = Watch { caller: caller.into(), node: node.into(), since: Instant::now(), passed: Passed::default() };
        let watches = &mut self.lock().watches;
        watches.push(watch);
        watches.len() - 1
    }

    pub(super) fn passed(&self, watch: usize) -> Passed {
        self.lock().watches.get(watch).map_or(Passed::default(), |watch| watch.passed)
    }

    fn tell(&self, caller: &str, node: &str, mut what: impl FnMut(&mut Watch)) {
        let of_it = |watch: &&mut Watch| watch.caller == caller && watch.node == node;
        self.lock().watches.iter_mut().filter(of_it).for_each(&mut what);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One connection on a detour, which tells whoever watches its link.
pub(super) struct Detoured<'a> {
    detours: &'a Detours,
    caller: &'a str,
    node: &'a str,
    /// When something was sent that is not answered yet.
    asked: Cell<Option<Instant>>,
    over: Cell<bool>,
}

impl<'a> Detoured<'a> {
    pub(super) fn new(detours: &'a Detours, caller: &'a str, node: &'a str) -> Self {
        Detoured { detours, caller, node, asked: Cell::default(), over: Cell::default() }
    }

    pub(super) fn refused(&self) {
        self.detours.tell(self.caller, self.node, |watch| watch.passed.refused += 1);
    }

    /// One of its ends has closed. The first counts.
    pub(super) fn ended(&self) {
        if !self.over.replace(true) {
            self.detours.tell(self.caller, self.node, |watch| watch.passed.ended += 1);
        }
    }

    pub(super) fn sent(&self, bytes: usize) {
        self.asked.set(self.asked.get().or_else(|| Some(Instant::now())));
        self.detours.tell(self.caller, self.node, |watch| watch.passed.there += bytes as u64);
    }

    pub(super) fn came(&self, bytes: usize) {
        let asked = self.asked.take();
        self.detours.tell(self.caller, self.node, |watch| {
            watch.passed.back += bytes as u64;
            // What was sent before somebody watched is not what is watched for.
            let waited = asked.filter(|asked| *asked >= watch.since).map(|asked| asked.elapsed());
            watch.passed.slowest = watch.passed.slowest.max(waited);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_watches_is_told_what_passes_from_then_on() {
        let detours = Detours::default();
        let connection = Detoured::new(&detours, "c1", "n1");
        connection.sent(7);
        let watch = detours.watch("c1", "n1");
        let other = detours.watch("c1", "n2");
        connection.came(5);
        assert_eq!(detours.passed(watch), Passed { back: 5, ..Passed::default() }, "it was asked before");
        connection.sent(3);
        connection.came(2);
        connection.ended();
        connection.ended();
        let passed = detours.passed(watch);
        assert_eq!((passed.there, passed.back, passed.ended, passed.slowest.is_some()), (3, 7, 1, true));
        assert_eq!(detours.passed(other), Passed::default());
    }
}
