//! A simulated world, as a run sees it.

use super::SimWorld;
use crate::client::{Answer, Ask};
use crate::world::{Announced, Look, World, WorldError};
use checker::Nanos;
use nemesis::{Evidence, Fault, NotInjected, Sighting};
use std::collections::BTreeMap;

impl World for SimWorld {
    fn now(&self) -> Nanos {
        self.universe.now()
    }

    async fn sleep_until(&self, then: Nanos) {
        self.universe.sleep_until(then).await;
    }

    fn versions(&self) -> BTreeMap<String, String> {
        let ours = env!("CARGO_PKG_VERSION").to_string();
        BTreeMap::from([("fencepost".into(), ours), ("redis-server".into(), "simulated".into())])
    }

    async fn start_client(&self, name: &str) -> Result<(), WorldError> {
        self.admit(name).await
    }

    async fn health(&self) -> Result<(), String> {
        self.replicated().await
    }

    async fn call(&self, client: &str, ask: Ask) -> Answer {
        let Some(client) = self.client(client) else { return Answer::Gone };
        client.live(async { client.session.lock().await.answer(&ask.what).await }, || Answer::Gone).await
    }

    async fn announced(&self) -> Announced {
        match self.hears.lock().await.recv().await {
            Some(announced) => announced,
            None => std::future::pending().await,
        }
    }

    async fn inject(&self, fault: &Fault) -> Result<Evidence, NotInjected> {
        self.hurt(fault).await
    }

    async fn heal(&self, fault: &Fault) -> Result<Evidence, NotInjected> {
        self.mend(fault).await
    }

    async fn sighting(&self) -> Sighting {
        self.network.sighting().await
    }

    fn let_pass(&self, sighting: Sighting) {
        self.network.let_pass(&sighting);
    }

    fn met(&self, fault: &Fault) -> Option<Evidence> {
        match fault {
            Fault::Wire(fault) => self.wire_faults.met(fault, |rule| self.network.hits(rule)),
            Fault::Toxic(toxic) => self.toxics.met(self, toxic),
            other => self.severed.met(other, |link| self.network.toll(link)),
        }
    }

    async fn synced(&self, node: &str) -> Result<(), NotInjected> {
        self.network.synced(node).await
    }

    async fn promoted(&self, node: &str) -> Result<(), NotInjected> {
        self.becomes_master(node).await
    }

    fn casualties(&self) -> Option<String> {
        None
    }

    async fn look(&self, name: &str) -> Option<Look> {
        self.key_of(name)
    }
}
