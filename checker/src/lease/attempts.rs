//! What became of the attempts to take a lock, by the token that each would leave in the store.

use crate::Nanos;
use crate::history::OpId;
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use std::sync::Arc;

/// What became of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It was refused: it certainly left nothing in the store, says its library.
    Refused,
    /// It was granted and not certainly given back.
    Granted,
    /// It was granted and certainly given back.
    Released,
    /// Nobody knows.
    Unknown,
    /// Attempts of several clients had this token, so that it tells nothing about any of them.
    Shared,
}

/// The last attempt with some token.
#[derive(Debug, Clone, Copy)]
pub struct Attempt {
    /// The acquire.
    pub id: OpId,
    /// Whose.
    pub client: Name,
    /// What became of it.
    pub fate: Fate,
    /// Since when.
    pub since: Nanos,
}

/// The attempts that are remembered.
#[derive(Debug, Default)]
pub struct Attempts {
    by_token: Recent<(Name, Arc<str>), Attempt>,
}

impl Attempts {
    /// The last attempt on a lock with this token.
    pub fn with_token(&self, lock: Name, token: &Arc<str>) -> Option<&Attempt> {
        self.by_token.get(&(lock, token.clone()))
    }

    /// An acquire ended.
    pub(super) fn ended(&mut self, lock: Name, token: &Arc<str>, attempt: Attempt) {
        let key = (lock, token.clone());
        let fate = match self.by_token.get(&key) {
            Some(earlier) if earlier.client != attempt.client => Fate::Shared,
            Some(Attempt { fate: Fate::Shared, .. }) => Fate::Shared,
            // What is stored may be the earlier attempt's, of which nobody knows, or which was granted.
            Some(Attempt { fate: Fate::Unknown | Fate::Granted, .. }) if attempt.fate == Fate::Refused => return,
            _ => attempt.fate,
        };
        self.by_token.insert(key, Attempt { fate, ..attempt });
    }

    /// A grant was given back: certainly, or nobody knows.
    pub(super) fn given_back(&mut self, lock: Name, token: &Arc<str>, grant: OpId, certainly: bool, at: Nanos) {
        if let Some(attempt) = self.by_token.get_mut(&(lock, token.clone()))
            && attempt.id == grant
            && attempt.fate == Fate::Granted
        {
            attempt.fate = if certainly { Fate::Released } else { Fate::Unknown };
            attempt.since = at;
        }
    }
}
