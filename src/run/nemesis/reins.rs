//! What the nemesis holds of one client.

use crate::run::latch::Latch;
use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

/// How far a client has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Life {
    /// It works, or will.
    Working,
    /// It has done all its work.
    Done,
    /// It is no more.
    Dead,
}

/// The gates and waits of one client.
#[derive(Debug)]
pub struct Reins {
    /// How far it has come.
    pub life: Cell<Life>,
    /// Shut while the client is paused: it begins nothing.
    pub gate: Latch,
    /// Open once the client may start.
    pub start: Latch,
    /// Open once the client may extend its first grant.
    pub extend: Latch,
    /// Open once the client may write under its first grant.
    pub write: Latch,
    /// Open once the client may release its first grant.
    pub release: Latch,
    /// The locks of which it was told, unasked, that it has lost them.
    pub lost: RefCell<BTreeSet<String>>,
}

impl Reins {
    /// The client is no more. What it waited for need not come.
    pub(super) fn die(&self) {
        self.life.set(Life::Dead);
        [&self.gate, &self.start, &self.extend, &self.write, &self.release].into_iter().for_each(Latch::open);
    }
}
