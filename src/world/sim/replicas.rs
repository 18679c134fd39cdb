//! A master and its replicas: who is promoted, and which client is led to whom.

use super::SimWorld;
use super::redis::Role;
use crate::world::PROBE;
use nemesis::{Evidence, NotInjected};

impl SimWorld {
    /// Who is the master of a node, as the service says.
    pub(super) fn master_of(&self, node: &str) -> Result<String, NotInjected> {
        self.network.masters.of(node).ok_or_else(|| NotInjected("no node has a replica here".into()))
    }

    /// Makes a replica the master, as the process world does.
    pub(super) fn promote(&self, node: &str, told: Option<&[String]>) -> Result<Evidence, NotInjected> {
        let not = |why: &str| Err(NotInjected(format!("{node} was not promoted: {why}")));
        let old = self.master_of(node)?;
        let ahead = self.network.role(&old).map(|(_, offset)| offset);
        match self.network.role(node) {
            None => return not("it is no node that can be asked"),
            Some((Role::Master, _)) => return not("it is a master already"),
            Some((Role::Replica(_), _)) => {}
        }
        self.network.follow(node, None);
        let offset = self.network.role(node).map_or(0, |(_, offset)| offset);
        let followers = self.hand_over(node, told);
        let old = match ahead {
            Some(ahead) => format!("{old}, whom it followed, was at {ahead}"),
            None => format!("{old}, whom it followed, cannot be asked"),
        };
        Ok(Evidence(format!("{node} is a master, at offset {offset}; {old}; {followers}")))
    }

    /// The service means this node from now on: replicas that are alive follow it, and so does whoever is started again; these clients are told.
    pub(super) fn hand_over(&self, master: &str, told: Option<&[String]>) -> String {
        let mut said = Vec::new();
        for node in self.network.masters.group(master) {
            if node != master
                && matches!(self.network.role(&node), Some((Role::Replica(old), _)) if old.host != master)
                && self.network.follow(&node, Some(master))
            {
                said.push(format!("{node} is told to follow it"));
            }
        }
        self.network.masters.is_now(master);
        let is_told = |client: &&String| *client == PROBE || told.is_none_or(|told| told.contains(client));
        let clients: Vec<String> = self.clients.borrow().keys().filter(is_told).cloned().collect();
        clients.iter().for_each(|client| self.network.lead(client, master));
        said.push(format!("told: {}", if told.is_none() { "everybody".into() } else { clients.join(", ") }));
        said.join("; ")
    }
}
