//! WAIT: a command that blocks until replicas have answered, or its time is over.

use super::Network;
use super::host::Arrived;
use super::link::broken;
use super::parcel::{Leg, Parcel};
use crate::world::sim::connection::Replies;
use crate::world::sim::redis::{Blocked, Disconnected};
use std::rc::Rc;

/// A command that blocks: what it was sent with, and what its message was answered so far.
pub(super) struct Waiting {
    id: u64,
    parcel: Parcel,
    replies: Replies,
    blocked: Blocked,
}

impl Network {
    /// A command blocks: its replicas are asked, and it is answered when enough have answered or its time is over.
    pub(super) fn block(self: &Rc<Self>, parcel: Parcel, replies: Replies, blocked: Blocked) {
        let (id, node) = {
            let state = &mut *self.state.borrow_mut();
            let id = state.next_message;
            state.next_message += 1;
            let node = parcel.node;
            state.waiting.push(Waiting { id, parcel, replies, blocked });
            (id, node)
        };
        self.ask_how_far(node);
        if blocked.timeout_ms > 0 {
            let network = self.clone();
            let at = self.universe.now() + blocked.timeout_ms * 1_000_000;
            self.universe.at(at, move || network.wait_over(id));
        }
    }

    /// The time of a command that blocks is over.
    pub(super) fn wait_over(self: &Rc<Self>, id: u64) {
        let waiting = {
            let state = &mut *self.state.borrow_mut();
            let Some(place) = state.waiting.iter().position(|waiting| waiting.id == id) else { return };
            let host = &mut state.nodes[state.waiting[place].parcel.node];
            if host.paused {
                host.backlog.push_back(Arrived::WaitOver(id));
                return;
            }
            state.waiting.remove(place)
        };
        self.waited(waiting);
    }

    /// Replicas have answered: whoever waited for no more than that is answered.
    pub(super) fn unblock(self: &Rc<Self>, node: usize) {
        let enough: Vec<Waiting> = {
            let state = &mut *self.state.borrow_mut();
            let nodes = &state.nodes;
            let is_enough = |waiting: &mut Waiting| {
                let Blocked { replicas, offset, .. } = waiting.blocked;
                waiting.parcel.node == node && nodes[node].node.acknowledged(offset) as u64 >= replicas
            };
            state.waiting.extract_if(.., is_enough).collect()
        };
        enough.into_iter().for_each(|waiting| self.waited(waiting));
    }

    fn waited(self: &Rc<Self>, waiting: Waiting) {
        let Waiting { mut parcel, mut replies, blocked, .. } = waiting;
        let acknowledged = self.state.borrow().nodes[parcel.node].node.acknowledged(blocked.offset);
        if let Ok(replies) = &mut replies
            && let Some(last) = replies.last_mut()
        {
            *last = redis::Value::Int(acknowledged as i64);
        }
        let judgement = std::mem::take(&mut parcel.judgement);
        self.travel(Leg::Reply(parcel, replies), judgement);
    }

    /// A node was killed: who waited there is reset.
    pub(super) fn waits_end(self: &Rc<Self>, node: usize) {
        let gone: Vec<Waiting> = self.state.borrow_mut().waiting.extract_if(.., |waiting| waiting.parcel.node == node).collect();
        for Waiting { parcel, .. } in gone {
            self.answer(parcel, Err(broken(Disconnected::Reset)));
        }
    }
}
