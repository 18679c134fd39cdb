//! A map that remembers only its last keys, so that memory does not grow with the history.

use rustc_hash::FxHashMap;
use std::hash::Hash;

/// How many of its last keys every such map of the judge remembers, at least.
///
/// What is looked up in them is near in time (a token issued twice, a value read and then written, a grant that its
/// client still acts under), so that a longer history loses only what happens between events this far apart.
///
/// It is the most that a hash map of 2^14 buckets holds; one more would double its memory.
pub const REMEMBERED: usize = (1 << 14) / 8 * 7;

/// A map of the last `N` keys at least, and of `2 * N` at most.
///
/// It has two generations: when the younger is full, the older is forgotten as a whole. That costs one look at memory a key,
/// where forgetting each oldest key by itself costs three.
#[derive(Debug)]
pub struct Recent<K, V, const N: usize = REMEMBERED> {
    young: FxHashMap<K, V>,
    old: FxHashMap<K, V>,
    generation: u64,
}

impl<K, V, const N: usize> Default for Recent<K, V, N> {
    fn default() -> Self {
        Recent { young: FxHashMap::default(), old: FxHashMap::default(), generation: 0 }
    }
}

impl<K: Hash + Eq, V, const N: usize> Recent<K, V, N> {
    /// Remembers a value.
    pub fn insert(&mut self, key: K, value: V) {
        self.make_room();
        self.young.insert(key, value);
    }

    /// Remembers a value unless the key has one.
    pub fn insert_first(&mut self, key: K, value: V) {
        if self.get(&key).is_none() {
            self.insert(key, value);
        }
    }

    /// The value of a key, a new one if it is not remembered; from now on it is among the last.
    pub fn renew(&mut self, key: K, new: impl FnOnce() -> V) -> &mut V {
        let mut known = None;
        if !self.young.contains_key(&key) {
            known = self.old.remove(&key);
            self.make_room();
        }
        self.young.entry(key).or_insert_with(|| known.unwrap_or_else(new))
    }

    fn make_room(&mut self) {
        if self.young.len() == N {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
            self.generation += 1;
        }
    }

    /// How many generations there were before the younger one. When another begins, all is forgotten that was inserted or renewed before
    /// the last one began, and not since.
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Takes a value away.
    pub fn remove(&mut self, key: &K) -> Option<V> {
        let old = self.old.remove(key);
        self.young.remove(key).or(old)
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
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
        recent.insert(99, 7);
        assert_eq!(recent.remove(&99), Some(7));
        assert_eq!(recent.get(&99), None);
    }

    #[test]
    fn what_is_renewed_is_remembered_longer() {
        let mut recent = Recent::<u32, u32, 4>::default();
        (0..8).for_each(|n| recent.insert(n, n));
        assert_eq!((*recent.renew(1, || 0), *recent.renew(100, || 7)), (1, 7));
        (8..12).for_each(|n| recent.insert(n, n));
        assert_eq!((recent.get(&1), recent.get(&100), recent.get(&4)), (Some(&1), Some(&7), None));
    }
}
