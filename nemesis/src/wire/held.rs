//! Messages that wait to be let pass.

use crate::Sighting;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::mpsc::UnboundedSender;
use tokio::sync::oneshot;

/// The messages that the wire holds. Whoever commands the wire is told of each, and lets it pass from any thread.
#[derive(Debug)]
pub(super) struct Held {
    waiting: Mutex<Waiting>,
    sightings: UnboundedSender<Sighting>,
}

/// Kept by whoever carries a message that was detained, until it is written or lost.
pub(super) type Arriving = oneshot::Sender<()>;

#[derive(Debug, Default)]
struct Waiting {
    last: u64,
    messages: BTreeMap<u64, oneshot::Sender<()>>,
    /// Messages under way, by the rule that detains them.
    detained: BTreeMap<usize, Vec<oneshot::Sender<Arriving>>>,
}

impl Held {
    pub(super) fn new(sightings: UnboundedSender<Sighting>) -> Self {
        Held { waiting: Mutex::default(), sightings }
    }

    /// Reports a message under each of these rules, and waits until it was let pass by all of them.
    /// Dropping the future drops the message.
    pub(super) async fn hold(self: &Arc<Self>, rules: impl Iterator<Item = usize>) {
        let waiting: Vec<Message> = rules.map(|rule| self.take_in(rule)).collect();
        for mut message in waiting {
            // The sender is dropped only with the wire itself.
            let _ = (&mut message.passed).await;
        }
    }

    fn take_in(self: &Arc<Self>, rule: usize) -> Message {
        let (pass, passed) = oneshot::channel();
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.last += 1;
        let message = waiting.last;
        waiting.messages.insert(message, pass);
        drop(waiting);
        // Nobody listens any more: then nobody lets it pass either, and it stays until its connection ends.
        let _ = self.sightings.send(Sighting { pattern: rule, message });
        Message { name: message, passed, held: self.clone() }
    }

    /// Lets a message go on; nothing happens where it was dropped meanwhile.
    pub(super) fn let_pass(&self, message: u64) {
        if let Some(pass) = self.remove(message) {
            let _ = pass.send(());
        }
    }

    /// Resolves when the rule that detains a message is lifted, after this was called.
    pub(super) fn detain(&self, rule: usize) -> oneshot::Receiver<Arriving> {
        let (lift, lifted) = oneshot::channel();
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).detained.entry(rule).or_default().push(lift);
        lifted
    }

    /// Lets go everything that a rule detains; each resolves when its message was written or is lost.
    pub(super) fn lift(&self, rule: usize) -> Vec<oneshot::Receiver<()>> {
        let detained = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).detained.remove(&rule);
        let let_go = |message: oneshot::Sender<Arriving>| {
            let (arriving, arrived) = oneshot::channel();
            let _ = message.send(arriving);
            arrived
        };
        detained.into_iter().flatten().map(let_go).collect()
    }

    fn remove(&self, message: u64) -> Option<oneshot::Sender<()>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).messages.remove(&message)
    }
}

/// One report of one held message; forgotten when dropped.
struct Message {
    name: u64,
    passed: oneshot::Receiver<()>,
    held: Arc<Held>,
}

impl Drop for Message {
    fn drop(&mut self) {
        self.held.remove(self.name);
    }
}
