//! A message under way.

use crate::world::sim::connection::{Message, Replies, words};
use checker::Nanos;
use nemesis::wire::Judgement;
use redis::Cmd;
use std::cell::Cell;
use std::rc::Rc;
use tokio::sync::oneshot;

/// What a client sent at once, and where its replies go.
pub(super) struct Parcel {
    pub(super) link: usize,
    /// To which node.
    pub(super) node: usize,
    /// Over which connection of the link.
    pub(super) connection: u32,
    pub(super) commands: Vec<Cmd>,
    /// What becomes of its replies.
    pub(super) judgement: Judgement,
    pub(super) sent: Nanos,
    pub(super) caller: Caller,
}

/// Whoever waits for the replies, until it is answered: by the network, or by its own patience.
#[derive(Clone)]
pub(super) struct Caller(Rc<Cell<Option<oneshot::Sender<Replies>>>>);

/// A message on one half of its way.
pub(super) enum Leg {
    /// To the node.
    Request(Parcel),
    /// Back to the client.
    Reply(Parcel, Replies),
}

impl Parcel {
    pub(super) fn new(message: Message, connection: u32, node: usize, sent: Nanos) -> Self {
        let Message { link, commands, reply, .. } = message;
        let caller = Caller(Rc::new(Cell::new(Some(reply))));
        Parcel { link, node, connection, commands, judgement: Judgement::new(), sent, caller }
    }

    /// About how many bytes its commands have.
    pub(super) fn size(&self) -> usize {
        self.commands.iter().flat_map(words).map(|word| word.len() + 6).sum()
    }
}

/// About how many bytes replies have.
pub(super) fn size(replies: &Replies) -> usize {
    replies.as_ref().map_or(0, |replies| replies.len() * 8)
}

impl Caller {
    /// Whether it waits yet.
    pub(super) fn waits(&self) -> bool {
        let reply = self.0.take();
        let waits = reply.is_some();
        self.0.set(reply);
        waits
    }

    /// Answers it, unless it was answered before. A client that is dead or has given up does not hear it.
    pub(super) fn answer(&self, replies: Replies) {
        if let Some(reply) = self.0.take() {
            drop(reply.send(replies));
        }
    }
}

impl Leg {
    pub(super) fn parcel(&self) -> &Parcel {
        match self {
            Leg::Request(parcel) | Leg::Reply(parcel, _) => parcel,
        }
    }

    /// About how many bytes it has.
    pub(super) fn size(&self) -> usize {
        match self {
            Leg::Request(parcel) => parcel.size(),
            Leg::Reply(_, replies) => size(replies),
        }
    }

    /// Its direction: 0 to the node, 1 back.
    pub(super) fn way(&self) -> usize {
        match self {
            Leg::Request(_) => 0,
            Leg::Reply(..) => 1,
        }
    }
}
