//! The configurations that were met, so that none is searched twice, nor one that another makes pointless.

use hashbrown::HashTable;

/// Configurations by place, state and effects; under each of those the burdens of which none contains another.
pub(super) struct Memo {
    effect_words: usize,
    burden_words: usize,
    table: HashTable<u32>,
    /// Per key: place and state, then the effect words.
    keys: Vec<u64>,
    /// Per key: the first of its burdens.
    heads: Vec<u32>,
    /// Per burden: the next of the same key.
    next: Vec<u32>,
    burdens: Vec<u64>,
}

const END: u32 = u32::MAX;

impl Memo {
    pub(super) fn new(effect_words: usize, words: usize) -> Self {
        Memo {
            effect_words,
            burden_words: words - effect_words,
            table: HashTable::new(),
            keys: Vec::new(),
            heads: Vec::new(),
            next: Vec::new(),
            burdens: Vec::new(),
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.table.clear();
        self.keys.clear();
        self.heads.clear();
        self.next.clear();
        self.burdens.clear();
    }

    /// Remembers a configuration; false where a known one can do all that it can.
    pub(super) fn insert(&mut self, place: u32, state: u32, words: &[u64]) -> bool {
        let (effects, burden) = words.split_at(self.effect_words);
        let key = u64::from(place) << 32 | u64::from(state);
        let stride = 1 + self.effect_words;
        let keys = &self.keys;
        let same = |&n: &u32| {
            let at = n as usize * stride;
            keys[at] == key && keys[at + 1..at + stride] == *effects
        };
        let rehash = |&n: &u32| hash(&keys[n as usize * stride..(n as usize + 1) * stride]);
        let head = match self.table.entry(hash_parts(key, effects), same, rehash) {
            hashbrown::hash_table::Entry::Occupied(found) => *found.get() as usize,
            hashbrown::hash_table::Entry::Vacant(free) => {
                let n = self.heads.len();
                free.insert(n as u32);
                self.keys.push(key);
                self.keys.extend_from_slice(effects);
                self.heads.push(END);
                n
            }
        };
        let (mut at, mut before) = (self.heads[head], END);
        while at != END {
            let known = &self.burdens[at as usize * self.burden_words..][..self.burden_words];
            if is_subset(known, burden) {
                return false;
            }
            let following = self.next[at as usize];
            if is_subset(burden, known) {
                match before {
                    END => self.heads[head] = following,
                    _ => self.next[before as usize] = following,
                }
            } else {
                before = at;
            }
            at = following;
        }
        let new = self.next.len() as u32;
        self.next.push(self.heads[head]);
        self.burdens.extend_from_slice(burden);
        self.heads[head] = new;
        true
    }

    /// Bytes remembered.
    pub(super) fn memory(&self) -> usize {
        self.keys.capacity() * 8
            + self.heads.capacity() * 4
            + self.next.capacity() * 4
            + self.burdens.capacity() * 8
            + self.table.capacity() * 5
    }
}

fn is_subset(small: &[u64], large: &[u64]) -> bool {
    small.iter().zip(large).all(|(s, l)| s & !l == 0)
}

fn hash(words: &[u64]) -> u64 {
    hash_parts(words[0], &words[1..])
}

/// Multiply and fold; the words are ours, so nobody aims at collisions.
fn hash_parts(first: u64, rest: &[u64]) -> u64 {
    rest.iter().fold(fold(first), |hash, &word| fold(hash ^ word))
}

fn fold(word: u64) -> u64 {
    let wide = u128::from(word ^ 0x243F_6A88_85A3_08D3) * u128::from(0x9E37_79B9_7F4A_7C15_u64);
    (wide >> 64) as u64 ^ wide as u64
}
