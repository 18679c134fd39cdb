//! Which acquire a lock's token names.

use crate::history::{OpId, Value};
use crate::judge::recent::Recent;
use rustc_hash::FxHashMap;

/// A token is remembered for so many released or refused attempts more at least, so that a late write still finds its grant and memory
/// does not grow with the history. The [leases](crate::lease) remember no more grants than that, either.
const REMEMBERED: usize = 1 << 11;

/// Which acquire a lock's token names.
#[derive(Default)]
pub(super) struct Grants {
    keys: FxHashMap<Value, Key>,
    /// Attempts that may hold the lock.
    open: FxHashMap<(Key, Value), OpId>,
    /// Attempts that were refused or are being released.
    over: Recent<(Key, Value), OpId, REMEMBERED>,
}

/// A lock's key as a number; 0 is the only lock of a history that names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Key(u32);

impl Grants {
    pub(super) fn key(&mut self, key: Option<&Value>) -> Key {
        let Some(key) = key else { return Key(0) };
        if let Some(known) = self.keys.get(key) {
            return *known;
        }
        let new = Key(u32::try_from(self.keys.len() + 1).expect("fewer than 2^32 keys fit in memory"));
        self.keys.insert(key.clone(), new);
        new
    }

    pub(super) fn acquired(&mut self, key: Key, token: &Value, acquire: OpId) {
        self.open.insert((key, token.clone()), acquire);
    }

    /// The attempt was refused.
    pub(super) fn refused(&mut self, key: Key, token: &Value, acquire: OpId) {
        self.over.insert((key, token.clone()), acquire);
    }

    /// The attempt is being released. The acquire that it names.
    pub(super) fn released(&mut self, key: Key, token: &Value) -> Option<OpId> {
        let name = (key, token.clone());
        let Some(acquire) = self.open.remove(&name) else { return self.over.get(&name).copied() };
        self.over.insert(name, acquire);
        Some(acquire)
    }

    pub(super) fn find(&self, key: Key, token: &Value) -> Option<OpId> {
        let name = (key, token.clone());
        self.open.get(&name).or_else(|| self.over.get(&name)).copied()
    }
}
