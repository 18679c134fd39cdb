//! A map that remembers only its last keys, so that memory does not grow with the history.

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// How many of its last keys every such map of the judge remembers, at least.
///
/// What is looked up in them is near in time (a token issued twice, a value read and then written, a grant that its
/// client still acts under), so that a longer history loses only what happens between events this far apart.
///
/// It is the most that a hash map of 2^14 buckets holds; one more would double its memory.
pub const REMEMBERED: usize = (1 << 14) / 8 * 7;

/// A map of the last `N` keys at least, and of `2 * N` at most; a key that was taken away counts until it would have been forgotten.
///
/// It has two generations: when the younger is full, the older is forgotten as a whole. The entries of each lie one after the other as
/// they came, and only their places are hashed: what is near in time is near in memory, and the places alone, of which a lookup of what is
/// not there sees no more, fit into a core's own cache.
#[derive(Debug)]
pub struct Recent<K, V, const N: usize = REMEMBERED> {
    young: Generation<K, V>,
    old: Generation<K, V>,
    generation: u64,
}

#[derive(Debug)]
struct Generation<K, V> {
    places: HashTable<u16>,
    entries: Vec<Option<(K, V)>>,
}

impl<K: Hash + Eq, V> Generation<K, V> {
    fn place(&self, hash: u64, key: &K) -> Option<usize> {
        let is_key = |place: &u16| self.entries[usize::from(*place)].as_ref().is_some_and(|(known, _)| known == key);
        self.places.find(hash, is_key).map(|place| usize::from(*place))
    }

    fn get(&self, hash: u64, key: &K) -> Option<&V> {
        self.entries[self.place(hash, key)?].as_ref().map(|(_, value)| value)
    }

    fn value_at(&mut self, place: usize) -> &mut V {
        &mut self.entries[place].as_mut().expect("only what is there has a place").1
    }

    /// Adds what is not there; its place.
    fn add(&mut self, hash: u64, key: K, value: V) -> usize {
        let place = self.entries.len();
        self.entries.push(Some((key, value)));
        let entries = &self.entries;
        let hash_at = |place: &u16| hash_of(&entries[usize::from(*place)].as_ref().expect("only what is there has a place").0);
        self.places.insert_unique(hash, u16::try_from(place).expect("a generation is short enough"), hash_at);
        place
    }

    fn remove(&mut self, hash: u64, key: &K) -> Option<V> {
        let place = self.place(hash, key)?;
        if let Ok(entry) = self.places.find_entry(hash, |other| usize::from(*other) == place) {
            entry.remove();
        }
        self.entries[place].take().map(|(_, value)| value)
    }
}

fn hash_of<K: Hash>(key: &K) -> u64 {
    FxBuildHasher.hash_one(key)
}

impl<K, V> Default for Generation<K, V> {
    fn default() -> Self {
        Generation { places: HashTable::new(), entries: Vec::new() }
    }
}

impl<K, V, const N: usize> Default for Recent<K, V, N> {
    fn default() -> Self {
        const { assert!(N <= u16::MAX as usize, "places are short") };
        Recent { young: Generation::default(), old: Generation::default(), generation: 0 }
    }
}

impl<K: Hash + Eq, V, const N: usize> Recent<K, V, N> {
    /// Remembers a value.
    pub fn insert(&mut self, key: K, value: V) {
        let hash = hash_of(&key);
        match self.young.place(hash, &key) {
            Some(place) => *self.young.value_at(place) = value,
            None => {
                self.old.remove(hash, &key);
                self.make_room();
                self.young.add(hash, key, value);
            }
        }
    }

    /// Remembers a value unless the key has one.
    pub fn insert_first(&mut self, key: K, value: V) {
        if self.get(&key).is_none() {
            self.insert(key, value);
        }
    }

    /// The value of a key, a new one if it is not remembered; from now on it is among the last.
    pub fn renew(&mut self, key: K, new: impl FnOnce() -> V) -> &mut V {
        let hash = hash_of(&key);
        let place = self.young.place(hash, &key).unwrap_or_else(|| {
            let value = self.old.remove(hash, &key).unwrap_or_else(new);
            self.make_room();
            self.young.add(hash, key, value)
        });
        self.young.value_at(place)
    }

    fn make_room(&mut self) {
        if self.young.entries.len() == N {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.places.clear();
            self.young.entries.clear();
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
        let hash = hash_of(key);
        self.young.remove(hash, key).or_else(|| self.old.remove(hash, key))
    }

    /// Whether nothing is remembered.
    pub fn is_empty(&self) -> bool {
        self.young.places.is_empty() && self.old.places.is_empty()
    }

    /// The value of a key that is remembered.
    pub fn get(&self, key: &K) -> Option<&V> {
        if self.is_empty() {
            return None;
        }
        let hash = hash_of(key);
        self.young.get(hash, key).or_else(|| self.old.get(hash, key))
    }

    /// The value of a key that is remembered, to be changed.
    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let hash = hash_of(key);
        match self.young.place(hash, key) {
            Some(place) => Some(self.young.value_at(place)),
            None => self.old.place(hash, key).map(|place| self.old.value_at(place)),
        }
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
