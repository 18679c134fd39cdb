//! Names as small numbers, so that a history's texts are compared and stored once.

use rustc_hash::FxHashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

/// A name of a client, lock or resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(NonZeroU32);

impl Name {
    /// The name that so many were met before. Counted from 1 inside, so that what may have no name needs no more room.
    fn nth(before: usize) -> Self {
        let number = u32::try_from(before + 1).expect("fewer than 2^32 names fit in memory");
        Name(NonZeroU32::MIN.saturating_add(number - 1))
    }

    fn place(self) -> usize {
        self.0.get() as usize - 1
    }
}

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
        let name = Name::nth(self.texts.len());
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
        &self.texts[name.place()]
    }
}

/// Something of every lock, resource or client that it is known of.
#[derive(Debug)]
pub struct ByName<T>(Vec<Option<Box<T>>>);

impl<T> Default for ByName<T> {
    fn default() -> Self {
        ByName(Vec::new())
    }
}

impl<T> ByName<T> {
    /// What is known of a name.
    pub fn get(&self, name: Name) -> Option<&T> {
        self.0.get(name.place())?.as_deref()
    }

    /// What is known of a name, to be changed.
    pub fn get_mut(&mut self, name: Name) -> Option<&mut T> {
        self.0.get_mut(name.place())?.as_deref_mut()
    }

    /// What is known of a name, something new if nothing is.
    pub fn get_or_insert_with(&mut self, name: Name, new: impl FnOnce() -> T) -> &mut T {
        let place = name.place();
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        self.0[place].get_or_insert_with(|| Box::new(new()))
    }

    /// Whether nothing is known of any name.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names of which something is known, in the order in which they were met.
    pub fn iter(&self) -> impl Iterator<Item = (Name, &T)> {
        (0..).map(Name::nth).zip(&self.0).filter_map(|(name, known)| Some((name, &**known.as_ref()?)))
    }

    /// What is known, in the order in which the names were met.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.0.iter().flatten().map(|known| &**known)
    }
}
