//! A map that remembers only the last so many keys, so that memory does not grow with the history.

use rustc_hash::FxHashMap;
use std::borrow::Borrow;
use std::collections::VecDeque;
use std::hash::Hash;

/// How many keys every such map of the judge remembers.
///
/// What is looked up in them is near in time (a token issued twice, a value read and then written, a grant that its
/// client still acts under), so that a history longer than this loses only what happens between events this far apart.
pub const REMEMBERED: usize = 1 << 14;

/// A map of the last [`REMEMBERED`] keys.
#[derive(Debug)]
pub struct Recent<K, V> {
    map: FxHashMap<K, V>,
    order: VecDeque<K>,
}

impl<K, V> Default for Recent<K, V> {
    fn default() -> Self {
        Recent { map: FxHashMap::default(), order: VecDeque::new() }
    }
}

impl<K: Hash + Eq + Clone, V> Recent<K, V> {
    /// Remembers a value; the oldest key is forgotten where there are too many.
    pub fn insert(&mut self, key: K, value: V) {
        if self.map.insert(key.clone(), value).is_none() {
            self.order.push_back(key);
            if self.order.len() > REMEMBERED
                && let Some(oldest) = self.order.pop_front()
            {
                self.map.remove(&oldest);
            }
        }
    }

    /// Remembers a value unless the key has one.
    pub fn insert_first(&mut self, key: K, value: V) {
        if !self.map.contains_key(&key) {
            self.insert(key, value);
        }
    }

    /// Takes a value away; the key still counts among the last until it is the oldest.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.map.remove(key)
    }

    /// The value of a key that is remembered.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.map.get(key)
    }

    /// The value of a key that is remembered, to be changed.
    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.map.get_mut(key)
    }
}
