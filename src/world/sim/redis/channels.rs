//! PUBLISH and SUBSCRIBE: who hears a channel, and what was published and is not sent yet.

use super::reply::Reply;
use super::session::SessionId;
use std::collections::BTreeMap;

/// The channels of a server.
#[derive(Debug, Default)]
pub(super) struct Channels {
    /// In the order in which they subscribed.
    hearers: BTreeMap<Vec<u8>, Vec<SessionId>>,
    unsent: Vec<(SessionId, Reply)>,
}

impl Channels {
    /// A session subscribes to a channel; to how many it then has.
    pub fn subscribe(&mut self, session: SessionId, channel: &[u8]) -> usize {
        let hearers = self.hearers.entry(channel.to_vec()).or_default();
        if !hearers.contains(&session) {
            hearers.push(session);
        }
        self.heard_by(session).count()
    }

    /// A session ends a subscription; how many it then has.
    pub fn unsubscribe(&mut self, session: SessionId, channel: &[u8]) -> usize {
        if let Some(hearers) = self.hearers.get_mut(channel) {
            hearers.retain(|hearer| *hearer != session);
            if hearers.is_empty() {
                self.hearers.remove(channel);
            }
        }
        self.heard_by(session).count()
    }

    /// The channels that a session hears.
    pub fn heard_by(&self, session: SessionId) -> impl Iterator<Item = &[u8]> {
        self.hearers.iter().filter(move |(_, hearers)| hearers.contains(&session)).map(|(channel, _)| channel.as_slice())
    }

    /// Sends a message to everybody who hears a channel; how many those are.
    pub fn publish(&mut self, channel: &[u8], message: &[u8]) -> usize {
        let hearers = self.hearers.get(channel).map_or(&[][..], Vec::as_slice);
        let push = || Reply::Array(vec![Reply::bulk("message"), Reply::bulk(channel), Reply::bulk(message)]);
        self.unsent.extend(hearers.iter().map(|hearer| (*hearer, push())));
        hearers.len()
    }

    /// Takes what is to be sent.
    pub fn take(&mut self) -> Vec<(SessionId, Reply)> {
        std::mem::take(&mut self.unsent)
    }

    /// A session is gone.
    pub fn forget(&mut self, session: SessionId) {
        if !self.hearers.is_empty() {
            self.hearers.retain(|_, hearers| {
                hearers.retain(|hearer| *hearer != session);
                !hearers.is_empty()
            });
        }
    }
}
