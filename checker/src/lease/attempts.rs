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

/// The attempts that are remembered, by lock and token.
#[derive(Debug, Default)]
pub struct Attempts {
    by_token: Recent<(Name, Arc<str>), Tried>,
}

#[derive(Debug)]
struct Tried {
    last: Attempt,
    /// The last that was granted.
    granted: Option<Attempt>,
}

impl Attempts {
    /// The last attempt on a lock with this token.
    pub fn with_token(&self, lock: Name, token: &Arc<str>) -> Option<&Attempt> {
        self.by_token.get(&(lock, token.clone())).map(|tried| &tried.last)
    }

    /// An acquire ended. Returns the last grant of another client with the same token.
    pub(super) fn ended(&mut self, lock: Name, token: &Arc<str>, attempt: Attempt) -> Option<Attempt> {
        let key = (lock, token.clone());
        let granted = (attempt.fate == Fate::Granted).then_some(attempt);
        let Some(tried) = self.by_token.get_mut(&key) else {
            self.by_token.insert(key, Tried { last: attempt, granted });
            return None;
        };
        let reissued = tried.granted.filter(|earlier| granted.is_some() && earlier.client != attempt.client);
        tried.granted = granted.or(tried.granted);
        let earlier = tried.last;
        tried.last = match (earlier.fate, attempt.fate) {
            (Fate::Shared, _) => Attempt { fate: Fate::Shared, ..attempt },
            _ if earlier.client != attempt.client => Attempt { fate: Fate::Shared, ..attempt },
            // What is stored may be the earlier attempt's, of which nobody knows, or which was granted.
            (Fate::Unknown | Fate::Granted, Fate::Refused) => earlier,
            _ => attempt,
        };
        reissued
    }

    /// A grant was given back: certainly, or nobody knows.
    pub(super) fn given_back(&mut self, lock: Name, token: &Arc<str>, grant: OpId, certainly: bool, at: Nanos) {
        if let Some(Tried { last, .. }) = self.by_token.get_mut(&(lock, token.clone()))
            && last.id == grant
            && last.fate == Fate::Granted
        {
            last.fate = if certainly { Fate::Released } else { Fate::Unknown };
            last.since = at;
        }
    }
}
