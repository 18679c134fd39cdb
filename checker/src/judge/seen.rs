//! A set of tokens or values in bounded memory.

use crate::history::Value;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;

/// How many texts, and how many pages of 4,096 numbers, are remembered. A run names far fewer; a longer history is exact as long as a repetition
/// comes within so many of its original, and numbers that lie close together are exact in the tens of millions.
const REMEMBERED: usize = 1 << 16;

/// Remembers what was seen: numbers in a paged bitmap, texts in a window.
#[derive(Debug, Default)]
pub struct Seen {
    pages: BTreeMap<u64, Box<[u64; 64]>>,
    texts: Window<Value, ()>,
    nil: bool,
}

impl Seen {
    /// Takes a value in; true if it had been seen before.
    pub fn insert(&mut self, value: &Value) -> bool {
        match value {
            Value::Nil => std::mem::replace(&mut self.nil, true),
            Value::Int(number) => self.insert_number(*number as u64),
            other => self.texts.insert(other.clone(), ()).is_some(),
        }
    }

    /// Takes a token in; true if it had been seen before. Tokens that are numbers are one token however they are written.
    pub fn insert_token(&mut self, token: &str) -> bool {
        match token.parse::<u64>() {
            Ok(number) => self.insert_number(number),
            Err(_) => self.texts.insert(Value::Text(token.into()), ()).is_some(),
        }
    }

    /// Takes a number in; true if it had been seen before.
    pub fn insert_number(&mut self, number: u64) -> bool {
        if self.pages.len() >= REMEMBERED {
            self.pages.pop_first();
        }
        let page = self.pages.entry(number >> 12).or_insert_with(|| Box::new([0; 64]));
        let word = &mut page[(number >> 6 & 63) as usize];
        let bit = 1 << (number & 63);
        let before = *word & bit != 0;
        *word |= bit;
        before
    }
}

/// A map that forgets its oldest entries.
#[derive(Debug)]
pub struct Window<K, V> {
    entries: HashMap<K, V>,
    order: VecDeque<K>,
}

impl<K, V> Default for Window<K, V> {
    fn default() -> Self {
        Window { entries: HashMap::new(), order: VecDeque::new() }
    }
}

impl<K: Eq + Hash + Clone, V> Window<K, V> {
    /// Puts an entry in; the one that was there for this key, if any.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        let before = self.entries.insert(key.clone(), value);
        if before.is_none() {
            self.order.push_back(key);
            if self.order.len() > REMEMBERED
                && let Some(oldest) = self.order.pop_front()
            {
                self.entries.remove(&oldest);
            }
        }
        before
    }
}
