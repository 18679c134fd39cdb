//! Which acquire a lock's token names.

use crate::history::{OpId, Value};
use crate::judge::recent::Recent;
use rustc_hash::FxHashMap;

/// A token is remembered for so many released or refused attempts more at least, so that a late write still finds its grant and memory
/// does not grow with the history. The [leases](crate::lease) remember no more grants than that, either.
const REMEMBERED: usize = 1 << 11;

/// Which acquire a lock's token names; locks are numbers.
#[derive(Default)]
pub(super) struct Grants {
    /// Attempts that may hold the lock.
    open: FxHashMap<(u32, Value), OpId>,
    /// Attempts that were refused or are being released.
    over: Recent<(u32, Value), OpId, REMEMBERED>,
}

impl Grants {
    pub(super) fn acquired(&mut self, key: u32, token: &Value, acquire: OpId) {
        self.open.insert((key, token.clone()), acquire);
    }

    /// The attempt was refused.
    pub(super) fn refused(&mut self, key: u32, token: &Value, acquire: OpId) {
        self.over.insert((key, token.clone()), acquire);
    }

    /// The attempt is being released. The acquire that it names.
    pub(super) fn released(&mut self, key: u32, token: &Value) -> Option<OpId> {
        let name = (key, token.clone());
        let Some(acquire) = self.open.remove(&name) else { return self.over.get(&name).copied() };
        self.over.insert(name, acquire);
        Some(acquire)
    }

    pub(super) fn find(&self, key: u32, token: &Value) -> Option<OpId> {
        let name = (key, token.clone());
        self.open.get(&name).or_else(|| self.over.get(&name)).copied()
    }
}
