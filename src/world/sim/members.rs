//! What can be done to a client or a node alone: pause, kill, start, block, and bend its clock.

use super::SimWorld;
use super::client::{Client, Standing};
use nemesis::{Data, Evidence, NotInjected, Skew};
use std::rc::Rc;

impl SimWorld {
    pub(super) fn client(&self, name: &str) -> Option<Rc<Client>> {
        self.clients.borrow().get(name).cloned()
    }

    pub(super) fn live_client(&self, name: &str) -> Result<Rc<Client>, NotInjected> {
        let client = self.client(name).ok_or_else(|| NotInjected(format!("there is no {name}")))?;
        if client.standing.get() == Standing::Dead { Err(NotInjected(format!("{name} is dead"))) } else { Ok(client) }
    }

    /// Pauses or resumes a client or a node.
    pub(super) fn pause(&self, member: &str, paused: bool) -> Result<Evidence, NotInjected> {
        let word = if paused { "is not scheduled" } else { "is scheduled again" };
        if self.client(member).is_some() {
            let client = self.live_client(member)?;
            client.stand(if paused { Standing::Paused } else { Standing::Alive });
        } else if !self.network.pause(member, paused)
            && !(if paused { self.network.absent(member) } else { self.network.awake(member) })
        {
            return Err(NotInjected(format!("{member} is no client and no node that is up")));
        }
        if let Some(cluster) = &self.cluster
            && !paused
        {
            cluster.look_soon();
        }
        Ok(Evidence(format!("{member} {word}")))
    }

    pub(super) fn kill(&self, node: &str) -> Result<(), NotInjected> {
        if self.network.kill(node) || self.network.absent(node) {
            Ok(())
        } else {
            Err(NotInjected(format!("{node} is no node that is up")))
        }
    }

    pub(super) fn start(&self, node: &str, data: Data) -> Result<(), NotInjected> {
        if self.network.start(node, data) || self.network.present(node) {
            Ok(())
        } else {
            Err(NotInjected(format!("{node} is no node that is dead")))
        }
    }

    /// Blocks a node for so long: it stands still, and time goes on.
    pub(super) fn block(&self, node: &str, for_ms: u64) -> Result<Evidence, NotInjected> {
        let till = self.universe.now() + for_ms * 1_000_000;
        if self.blocked.borrow().get(node).is_some_and(|till| *till > self.universe.now()) {
            return Err(NotInjected(format!("{node} is blocked already")));
        }
        if self.client(node).is_some() || !self.network.pause(node, true) {
            return Err(NotInjected(format!("{node} is no node that is up")));
        }
        let (network, name) = (self.network.clone(), node.to_string());
        self.universe.at(till, move || {
            network.pause(&name, false);
        });
        self.blocked.borrow_mut().insert(node.to_string(), till);
        Ok(Evidence(format!("{node} sleeps for {for_ms} ms")))
    }

    /// Waits until a node is not blocked any more.
    pub(super) async fn unblocked(&self, node: &str) -> Result<Evidence, NotInjected> {
        let till = self.blocked.borrow_mut().remove(node).ok_or_else(|| NotInjected(format!("{node} was not blocked")))?;
        self.universe.sleep_until(till).await;
        Ok(Evidence(format!("{node} woke")))
    }

    /// Bends the wall clock of a client or a node.
    pub(super) fn bend(
        &self,
        member: &str,
        bend: impl FnOnce(Skew) -> Result<Skew, NotInjected>,
    ) -> Result<Evidence, NotInjected> {
        let (before, after) = match self.client(member) {
            Some(client) => {
                let shown = |skew: Skew| (skew.shown(self.universe.wall()) / 1_000_000).max(0) as u64;
                let before = client.skew.get();
                client.skew.set(bend(before)?);
                (shown(before), shown(client.skew.get()))
            }
            None => self.network.bend(member, bend)?,
        };
        Ok(Evidence(format!("the wall clock of {member} was {before} ms before and {after} ms after")))
    }
}
