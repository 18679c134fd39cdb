//! A map that remembers only its last keys, so that memory does not grow with the history.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// How many of its last keys every such map of the judge remembers, at least.
///
/// What is looked up in them is near in time (a token issued twice, a value read and then written, a grant that its
/// client still acts under), so that a longer history loses only what happens between events this far apart.
pub const REMEMBERED: usize = 1 << 14;

/// A map of the last `N` keys at least, and of `2 * N` at most.
///
/// It has two generations: when the younger is full, the older is forgotten as a whole. That costs one look at memory a key,
/// where forgetting each oldest key by itself costs three.
#[derive(Debug)]
pub struct Recent<K, V, const N: usize = REMEMBERED> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
}

impl<K, V, const N: usize> Default for Recent<K, V, N> {
    fn default() -> Self {
        Recent { young: FxHashMap::default(), old: FxHashMap::default() }
    }
}

impl<K: Hash + Eq, V, const N: usize> Recent<K, V, N> {
    /// Remembers a value. Whether the older generation was forgotten for it: all that was not inserted since the younger one
    /// was begun.
    pub fn insert(&mut self, key: K, value: V) -> bool {
        let full = self.young.len() == N;
        if full {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(key, value);
        full
    }

    /// The value of a key, to be changed, or else a new one; it is remembered as if it were inserted now. Says the same as
    /// [`insert`](Recent::insert).
    pub fn touch(&mut self, key: K, new: impl FnOnce() -> V) -> (&mut V, bool)
    where
        K: Clone,
    {
        let mut forgets = false;
        if !self.young.contains_key(&key) {
            let value = self.old.remove(&key).unwrap_or_else(new);
            forgets = self.insert(key.clone(), value);
        }
        (self.young.get_mut(&key).expect("it was there or was inserted"), forgets)
    }

    /// Remembers a value unless the key has one.
    pub fn insert_first(&mut self, key: K, value: V) {
        if self.get(&key).is_none() {
            self.insert(key, value);
        }
    }

    /// Takes a value away.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let old = self.old.remove(key);
        self.young.remove(key).or(old)
    }

    /// The value of a key that is remembered.
    pub fn get(&self, key: &K) -> Option<&V> {
        self.young.get(key).or_else(|| self.old.get(key))
    }

    /// The value of a key that is remembered, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.young.get_mut(key).or_else(|| self.old.get_mut(key))
    }
}

#[cfg(test)]
mod tests {
    use super::Recent;

    #[test]
    fn the_last_are_remembered_and_no_more_than_twice_as_many() {
        let mut recent = Recent::<u32, u32, 4>::default();
        for n in 0..100 {
            recent.insert(n, n);
            assert!((n.saturating_sub(3)..=n).all(|last| recent.get(&last) == Some(&last)));
            assert_eq!(recent.get(&n.wrapping_sub(8)), None);
        }
        let (value, forgets) = recent.touch(97, || 0);
        assert_eq!((*value, forgets), (97, false));
        recent.insert(99, 7);
        assert_eq!(recent.remove(&99), Some(7));
        assert_eq!(recent.get(&99), None);
    }
}
