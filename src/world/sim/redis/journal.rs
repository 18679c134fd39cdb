//! What a power loss takes back: the values that keys had when the append-only file was last synced.

use super::keyspace::Entry;
use std::collections::BTreeMap;

/// The keys changed since the last fsync, each with what it held then.
#[derive(Debug, Default)]
pub(super) struct Journal(BTreeMap<Box<[u8]>, Option<Entry>>);

impl Journal {
    /// A key is about to change; only its first change since the fsync counts.
    pub fn before_change(&mut self, key: &[u8], entry: Option<&Entry>) {
        if !self.0.contains_key(key) {
            self.0.insert(key.into(), entry.cloned());
        }
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn synced(&mut self) {
        self.0.clear();
    }

    /// What to restore, key by key; the journal is empty afterwards.
    pub fn take(&mut self) -> impl Iterator<Item = (Box<[u8]>, Option<Entry>)> {
        std::mem::take(&mut self.0).into_iter()
    }
}
