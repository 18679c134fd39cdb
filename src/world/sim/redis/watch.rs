//! WATCH: who must hear that a key has changed.

use super::session::SessionId;
use std::collections::{BTreeMap, BTreeSet};

/// The watched keys, and the sessions whose transaction will fail.
#[derive(Debug, Default)]
pub(super) struct Watchers {
    by_key: BTreeMap<Vec<u8>, Vec<Watch>>,
    dirty: BTreeSet<SessionId>,
}

#[derive(Debug)]
struct Watch {
    by: SessionId,
    /// The key had expired already, and was not deleted yet, when it was watched: its deletion changes nothing.
    expired: bool,
}

impl Watchers {
    pub fn add(&mut self, key: &[u8], by: SessionId, expired: bool) {
        let watches = self.by_key.entry(key.to_vec()).or_default();
        if watches.iter().all(|watch| watch.by != by) {
            watches.push(Watch { by, expired });
        }
    }

    pub fn is_dirty(&self, session: SessionId) -> bool {
        self.dirty.contains(&session)
    }

    /// Ends every watch of a session.
    pub fn forget(&mut self, session: SessionId) {
        self.dirty.remove(&session);
        if !self.by_key.is_empty() {
            self.by_key.retain(|_, watches| {
                watches.retain(|watch| watch.by != session);
                !watches.is_empty()
            });
        }
    }

    /// The keys that a session watches and that had not expired when it began to.
    pub fn keys_of(&self, session: SessionId) -> impl Iterator<Item = &[u8]> {
        let live = move |watches: &Vec<Watch>| watches.iter().any(|watch| watch.by == session && !watch.expired);
        self.by_key.iter().filter(move |(_, watches)| live(watches)).map(|(key, _)| key.as_slice())
    }

    /// A key was changed, and now exists or not.
    pub fn touch(&mut self, key: &[u8], exists: bool) {
        if self.by_key.is_empty() {
            return;
        }
        for watch in self.by_key.get_mut(key).into_iter().flatten() {
            match (watch.expired, exists) {
                (true, false) => watch.expired = false,
                // As Redis: whoever watches it after one who saw it expired is not told either.
                (true, true) => break,
                (false, _) => {
                    self.dirty.insert(watch.by);
                }
            }
        }
    }
}
