//! Names as small numbers, so that a history's texts are compared and stored once.

use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A name of a client, lock or resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(u32);

/// Every name that was met.
#[derive(Debug, Default)]
pub struct Names {
    numbers: FxHashMap<Arc<str>, Name>,
    texts: Vec<Arc<str>>,
}

impl Names {
    /// The number of a text.
    pub fn of(&mut self, text: &str) -> Name {
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let name = Name(u32::try_from(self.texts.len()).expect("fewer than 2^32 names fit in memory"));
        let text: Arc<str> = text.into();
        self.texts.push(text.clone());
        self.numbers.insert(text, name);
        name
    }

    /// The number of a text, if it was met.
    pub fn known(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }
}
