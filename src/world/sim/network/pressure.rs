//! What a node suffers without dying: it runs out of memory, forgets its scripts, its event loop is blocked, or its connections are reset.

use super::link::broken;
use super::{Network, State};
use crate::world::sim::redis::Disconnected;
use nemesis::NotInjected;
use std::rc::Rc;

impl Network {
    /// Evicts these keys from a node; those that were there.
    ///
    /// # Errors
    /// There is no such node.
    pub fn evict(&self, node: &str, keys: &[String]) -> Result<Vec<String>, NotInjected> {
        self.host_of(node, |host| {
            host.catch_up(&self.universe);
            let now_ms = host.wall_ms(&self.universe);
            let evicted = keys.iter().filter(|key| host.node.evict(key.as_bytes(), now_ms)).cloned().collect();
            host.settle(&self.universe);
            evicted
        })
    }

    /// Has a node forget its scripts; how many it had.
    ///
    /// # Errors
    /// There is no such node, it does not answer, or it had none.
    pub fn flush_scripts(&self, node: &str) -> Result<usize, NotInjected> {
        let before = self.host_of(node, |host| {
            let now_ms = host.wall_ms(&self.universe);
            let before = host.node.scripts();
            let mut session = host.node.open().ok().filter(|_| !host.paused)?;
            let flushed = host.node.execute(&mut session, &[b"SCRIPT", b"FLUSH"], now_ms);
            host.node.close(session);
            flushed.is_ok_and(|reply| reply == redis::Value::Okay).then_some(before)
        })?;
        match before {
            None => Err(NotInjected(format!("{node} does not answer"))),
            Some(0) => Err(NotInjected(format!("{node} had no scripts that it could forget"))),
            Some(before) => Ok(before),
        }
    }

    /// Resets every connection of a client or node that is open, with what is under way to the node on it; how many there were.
    pub fn reset(self: &Rc<Self>, member: &str) -> usize {
        self.reset_where(|client, node| client == member || node == member)
    }

    /// The same, of the connections of a client to a node.
    pub fn reset_between(self: &Rc<Self>, client: &str, node: &str) -> usize {
        self.reset_where(|its_client, its_node| its_client == client && its_node == node)
    }

    fn reset_where(self: &Rc<Self>, is_meant: impl Fn(&str, &str) -> bool) -> usize {
        let callers = {
            let State { links, nodes, .. } = &mut *self.state.borrow_mut();
            let mut callers = Vec::new();
            for link in links.iter_mut().filter(|link| link.is_open()) {
                let host = &mut nodes[link.node];
                if is_meant(&link.client, &host.name) {
                    callers.push(link.reset(&mut host.node));
                }
            }
            callers
        };
        for caller in callers.iter().flatten() {
            caller.answer(Err(broken(Disconnected::Reset)));
        }
        callers.len()
    }
}
