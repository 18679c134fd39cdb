//! The keys of a node: values, expiry, and everybody who must know of a change.

use super::channels::Channels;
use super::journal::Journal;
use super::reply::{ErrorReply, WRONG_TYPE};
use super::value::{Kind, Value};
use super::watch::Watchers;
use std::collections::{BTreeMap, BTreeSet};

/// A key's value and when it expires.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub value: Value,
    /// Milliseconds since 1970 on the node's own clock.
    pub expires_at: Option<i64>,
}

impl Entry {
    /// Redis's own comparison: at the millisecond of its expiry a key is still there.
    fn is_expired(&self, now: i64) -> bool {
        self.expires_at.is_some_and(|at| now > at)
    }
}

/// What is to become of a key's expiry when its value is replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Expiry {
    Never,
    At(i64),
    Keep,
}

/// All keys. An expired key is deleted by the first command that comes across it, or by [`Keyspace::sweep`].
#[derive(Debug, Default)]
pub(super) struct Keyspace {
    entries: BTreeMap<Box<[u8]>, Entry>,
    pub watchers: Watchers,
    /// What scripts publish to, as well as connections.
    pub channels: Channels,
    /// Kept only where a power loss can take something back.
    pub journal: Option<Journal>,
    /// The keys changed since they were last [taken](Keyspace::take_changed); kept only where there are replicas.
    pub changed: Option<BTreeSet<Box<[u8]>>>,
    pub expiring: Expiring,
}

/// Who deletes what has expired.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Expiring {
    /// The node itself.
    #[default]
    Itself,
    /// The node's master. Until then it is hidden.
    ByMaster,
}

impl Keyspace {
    pub fn new(journal: Option<Journal>) -> Self {
        Keyspace { journal, ..Keyspace::default() }
    }

    /// The entry of a key, which is deleted if it has expired.
    pub fn entry(&mut self, key: &[u8], now: i64) -> Option<&Entry> {
        if self.entries.get(key)?.is_expired(now) {
            if self.expiring == Expiring::Itself {
                self.remove(key);
            }
            return None;
        }
        self.entries.get(key)
    }

    pub fn exists(&mut self, key: &[u8], now: i64) -> bool {
        self.entry(key, now).is_some()
    }

    /// Whether a key has expired and is not deleted yet.
    pub fn is_expired(&self, key: &[u8], now: i64) -> bool {
        self.entries.get(key).is_some_and(|entry| entry.is_expired(now))
    }

    /// The value of a key, if it is of the kind that the command works on.
    pub fn read<K: Kind>(&mut self, key: &[u8], now: i64) -> Result<Option<&K>, ErrorReply> {
        match self.entry(key, now) {
            None => Ok(None),
            Some(entry) => K::of(&entry.value).map(Some).ok_or(WRONG_TYPE),
        }
    }

    /// The value of a key, to be changed. Whoever did change it says so by [`Keyspace::touch`].
    pub fn edit<K: Kind>(&mut self, key: &[u8], now: i64) -> Result<Option<&mut K>, ErrorReply> {
        if !self.exists(key, now) {
            return Ok(None);
        }
        self.note(key);
        match self.entries.get_mut(key) {
            None => Ok(None),
            Some(entry) => K::of_mut(&mut entry.value).map(Some).ok_or(WRONG_TYPE),
        }
    }

    /// The value of a key, to be changed; made by `K::default` where there is none.
    pub fn edit_or_create<K: Kind + Default>(&mut self, key: &[u8], now: i64) -> Result<&mut K, ErrorReply> {
        if !self.exists(key, now) {
            self.note(key);
            self.entries.insert(key.into(), Entry { value: K::default().into_value(), expires_at: None });
        }
        self.edit(key, now)?.ok_or(WRONG_TYPE)
    }

    /// Replaces the value of a key.
    pub fn put(&mut self, key: &[u8], value: Value, expiry: Expiry) {
        self.note(key);
        let expires_at = self.expiry_of(key, expiry);
        match self.entries.get_mut(key) {
            Some(entry) => *entry = Entry { value, expires_at },
            None => {
                self.entries.insert(key.into(), Entry { value, expires_at });
            }
        }
        self.touch(key);
    }

    /// Replaces the value of a key by a string, in its old memory where there is some.
    pub fn put_string(&mut self, key: &[u8], bytes: &[u8], expiry: Expiry) {
        self.note(key);
        let expires_at = self.expiry_of(key, expiry);
        match self.entries.get_mut(key) {
            Some(Entry { value: Value::String(old), expires_at: old_expiry }) => {
                old.clear();
                old.extend_from_slice(bytes);
                *old_expiry = expires_at;
                self.touch(key);
            }
            _ => self.put(key, Value::String(bytes.to_vec()), expires_at.map_or(Expiry::Never, Expiry::At)),
        }
    }

    fn expiry_of(&self, key: &[u8], expiry: Expiry) -> Option<i64> {
        match expiry {
            Expiry::Never => None,
            Expiry::At(at) => Some(at),
            Expiry::Keep => self.entries.get(key).and_then(|entry| entry.expires_at),
        }
    }

    /// Sets or removes the expiry of a key that is there.
    pub fn set_expiry(&mut self, key: &[u8], expires_at: Option<i64>) {
        self.note(key);
        if let Some(entry) = self.entries.get_mut(key) {
            entry.expires_at = expires_at;
            self.touch(key);
        }
    }

    /// Deletes a key; whether it was there, expired or not.
    pub fn remove(&mut self, key: &[u8]) -> bool {
        self.note(key);
        let removed = self.entries.remove(key).is_some();
        if removed {
            self.watchers.touch(key, false);
        }
        removed
    }

    /// Deletes a key unless it has expired, which deletes it too; whether there was anything left to delete.
    pub fn delete(&mut self, key: &[u8], now: i64) -> bool {
        self.exists(key, now) && self.remove(key)
    }

    /// Elements were taken out of a key, which goes with its last one.
    pub fn shrunk<K: Kind>(&mut self, key: &[u8]) {
        match self.entries.get(key) {
            Some(entry) if K::of(&entry.value).is_some_and(K::is_empty) => {
                self.remove(key);
            }
            _ => self.touch(key),
        }
    }

    /// Says that a key was changed.
    pub fn touch(&mut self, key: &[u8]) {
        self.watchers.touch(key, true);
    }

    /// Deletes every key.
    pub fn clear(&mut self) {
        let entries = std::mem::take(&mut self.entries);
        for (key, entry) in &entries {
            if let Some(journal) = &mut self.journal {
                journal.before_change(key, Some(entry));
            }
            if let Some(changed) = &mut self.changed {
                changed.insert(key.clone());
            }
            self.watchers.touch(key, false);
        }
    }

    /// Deletes every expired key, as Redis does in the background.
    pub fn sweep(&mut self, now: i64) {
        if self.expiring == Expiring::ByMaster {
            return;
        }
        let expired = self.entries.iter().filter(|(_, entry)| entry.is_expired(now));
        let expired: Vec<_> = expired.map(|(key, _)| key.clone()).collect();
        for key in expired {
            self.remove(&key);
        }
    }

    /// How many keys there are, with the expired ones that nobody came across.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The keys that have not expired, in order.
    pub fn live(&self, now: i64) -> impl Iterator<Item = (&[u8], &Entry)> {
        self.entries.iter().filter(move |(_, entry)| !entry.is_expired(now)).map(|(key, entry)| (&key[..], entry))
    }

    /// Takes back every change since the last fsync.
    pub fn roll_back(&mut self) {
        let Some(journal) = &mut self.journal else { return };
        for (key, before) in journal.take() {
            match before {
                Some(entry) => self.entries.insert(key, entry),
                None => self.entries.remove(&key),
            };
        }
    }

    /// The keys that were changed, each with what it holds now.
    pub fn take_changed(&mut self) -> Vec<(Box<[u8]>, Option<Entry>)> {
        let changed = self.changed.as_mut().map(std::mem::take).unwrap_or_default();
        changed.into_iter().map(|key| (key.clone(), self.entries.get(&key).cloned())).collect()
    }

    /// Every key, with what it holds.
    pub fn everything(&self) -> Vec<(Box<[u8]>, Option<Entry>)> {
        self.entries.iter().map(|(key, entry)| (key.clone(), Some(entry.clone()))).collect()
    }

    /// Does what was done elsewhere.
    pub fn apply(&mut self, key: &[u8], entry: Option<Entry>) {
        match entry {
            Some(Entry { value, expires_at }) => self.put(key, value, expires_at.map_or(Expiry::Never, Expiry::At)),
            None => {
                self.remove(key);
            }
        }
    }

    fn note(&mut self, key: &[u8]) {
        if let Some(changed) = &mut self.changed {
            changed.insert(key.into());
        }
        if let Some(journal) = &mut self.journal {
            journal.before_change(key, self.entries.get(key));
        }
    }
}
