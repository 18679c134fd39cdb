//! What a key holds.

use super::sorted_set::SortedSet;
use std::collections::BTreeSet;

/// The value of a key.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    String(Vec<u8>),
    Hash(Hash),
    Set(Set),
    SortedSet(SortedSet),
}

impl Value {
    /// As TYPE says it.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::String(_) => "string",
            Value::Hash(_) => "hash",
            Value::Set(_) => "set",
            Value::SortedSet(_) => "zset",
        }
    }
}

/// The members of a set.
pub(super) type Set = BTreeSet<Vec<u8>>;

/// A hash, its fields in the order of their insertion, as Redis keeps small ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Hash(Vec<(Vec<u8>, Vec<u8>)>);

impl Hash {
    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn iter(&self) -> impl Iterator<Item = &(Vec<u8>, Vec<u8>)> {
        self.0.iter()
    }

    pub fn get(&self, field: &[u8]) -> Option<&Vec<u8>> {
        self.0.iter().find(|(f, _)| f == field).map(|(_, value)| value)
    }

    /// Sets a field; whether it is new.
    pub fn insert(&mut self, field: &[u8], value: &[u8]) -> bool {
        match self.0.iter_mut().find(|(f, _)| f == field) {
            Some((_, old)) => {
                old.clear();
                old.extend_from_slice(value);
                false
            }
            None => {
                self.0.push((field.to_vec(), value.to_vec()));
                true
            }
        }
    }

    pub fn remove(&mut self, field: &[u8]) -> bool {
        let found = self.0.iter().position(|(f, _)| f == field);
        found.map(|at| self.0.remove(at)).is_some()
    }
}

/// A type of value that commands ask a key for.
pub(super) trait Kind: Sized {
    fn of(value: &Value) -> Option<&Self>;
    fn of_mut(value: &mut Value) -> Option<&mut Self>;
    fn into_value(self) -> Value;
    fn is_empty(&self) -> bool;
}

macro_rules! kind {
    ($type:ty, $variant:ident, $is_empty:expr) => {
        impl Kind for $type {
            fn of(value: &Value) -> Option<&Self> {
                if let Value::$variant(inner) = value { Some(inner) } else { None }
            }
            fn of_mut(value: &mut Value) -> Option<&mut Self> {
                if let Value::$variant(inner) = value { Some(inner) } else { None }
            }
            fn into_value(self) -> Value {
                Value::$variant(self)
            }
            fn is_empty(&self) -> bool {
                $is_empty(self)
            }
        }
    };
}

// A string may be empty and still be there.
kind!(Vec<u8>, String, |_: &Vec<u8>| false);
kind!(Hash, Hash, |hash: &Hash| hash.0.is_empty());
kind!(Set, Set, |set: &Set| set.is_empty());
kind!(SortedSet, SortedSet, |set: &SortedSet| set.len() == 0);
