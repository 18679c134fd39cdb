//! Worlds: Redis nodes on a backend, clients that act on them, and hands that hurt both.
//!
//! A run, a lock, a plan and a resource never know in which world they are.

pub mod look;
mod masters;
pub mod real;
mod severed;
pub mod sim;
pub mod toxiproxy;
mod wire_faults;

pub use look::Look;
pub use real::{Backend, RealWorld};
pub use sim::SimWorld;

use crate::client::{Answer, Ask, Unasked};
use checker::Nanos;
use nemesis::{Evidence, Fault, NotInjected, Sighting};
use std::collections::BTreeMap;
use std::future::Future;

/// The name of the client that looks at the world before and after the run, and that no fault hits.
pub const PROBE: &str = "probe";

/// A world, from healthy start to clean end. Dropping it ends it: nothing that it started outlives it.
///
/// Futures are not `Send`: a run lives on one thread.
pub trait World {
    /// Now, on the history's clock.
    fn now(&self) -> Nanos;

    /// Sleeps until then.
    fn sleep_until(&self, then: Nanos) -> impl Future<Output = ()>;

    /// Versions of everything that takes part: the server, the client library, ourselves.
    fn versions(&self) -> BTreeMap<String, String>;

    /// Starts a client; it is ready when this returns.
    fn start_client(&self, client: &str) -> impl Future<Output = Result<(), WorldError>>;

    /// Starts clients; they are ready when this returns. One after another, where the world does not know better.
    ///
    /// # Errors
    /// As [`World::start_client`].
    fn start_clients(&self, clients: &[String]) -> impl Future<Output = Result<(), WorldError>> {
        async move {
            for client in clients {
                self.start_client(client).await?;
            }
            Ok(())
        }
    }

    /// Sees that the nodes do what their topology promises: every replica has what the master writes.
    ///
    /// # Errors
    /// In words, what they do not.
    fn health(&self) -> impl Future<Output = Result<(), String>>;

    /// Asks a client to do something and waits for its answer. A paused client answers after it was resumed, a crashed one with [`Answer::Gone`].
    fn call(&self, client: &str, ask: Ask) -> impl Future<Output = Answer>;

    /// The next thing that a client said without being asked.
    fn announced(&self) -> impl Future<Output = Announced>;

    /// Injects a fault and sees that it worked. When this returns the fault is in force. A fault that [needs
    /// traffic](Fault::needs_traffic) works only when something comes by: see [`World::met`].
    fn inject(&self, fault: &Fault) -> impl Future<Output = Result<Evidence, NotInjected>>;

    /// Ends a lasting fault and sees that it is over.
    fn heal(&self, fault: &Fault) -> impl Future<Output = Result<Evidence, NotInjected>>;

    /// The next message that one of the wire patterns given at the start matched. It is held until [`World::let_pass`].
    fn sighting(&self) -> impl Future<Output = Sighting>;

    /// Lets a held message go on.
    fn let_pass(&self, sighting: Sighting);

    /// What shows that a fault that needs traffic and is in force has hit what it was meant to; none before.
    fn met(&self, fault: &Fault) -> Option<Evidence>;

    /// Resolves when a node with `aof-everysec` has synced its disk, and will not do so again for most of a second.
    ///
    /// # Errors
    /// It cannot be seen here when it does.
    fn synced(&self, node: &str) -> impl Future<Output = Result<(), NotInjected>>;

    /// Resolves when a node that was a replica is a master, and in a cluster every node that lives takes all slots for served.
    ///
    /// # Errors
    /// There is no such node.
    fn promoted(&self, node: &str) -> impl Future<Output = Result<(), NotInjected>>;

    /// What has ended though no fault ended it, in words: a node or a client that died by itself.
    fn casualties(&self) -> Option<String>;

    /// What the nodes hold of a lock now (of a master and its replicas, what the master holds that the service means), seen past the wire
    /// without disturbing them; `None` where nodes that cannot be asked, because they are
    /// dead or paused, may hide a holder.
    fn look(&self, lock: &str) -> impl Future<Output = Option<Look>>;
}

/// What a client said without being asked.
#[derive(Debug, Clone, PartialEq)]
pub struct Announced {
    /// Who.
    pub client: String,
    /// What.
    pub what: Unasked,
}

/// Why a world cannot start.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WorldError {
    /// Something that this world needs is not on this machine; the text says what, and how to get it.
    #[error("{0}")]
    Missing(String),
    /// Something was started and did not become healthy; the text says what, and where its log is.
    #[error("{0}")]
    Sick(String),
    /// The subject needs a command that the server does not have.
    #[error("{0}")]
    Impossible(String),
}

/// What a world is started with.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The plan: its lock, resource, topology and seed; never its steps.
    pub plan: crate::plan::Plan,
    /// The messages that the wire must hold and report, one pattern a trigger; a [`Sighting`] names its pattern by index.
    pub patterns: Vec<nemesis::WirePattern>,
    /// Where logs of nodes and clients go; a simulation writes none.
    pub folder: Option<std::path::PathBuf>,
    /// The program that clients in a real world are, and its first arguments; those of `fencepost client` follow. This program where there is none.
    pub client_program: Option<Vec<String>>,
}

/// The worlds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WorldKind {
    /// Embedded, deterministic, in virtual time.
    Sim,
    /// Real Redis processes on loopback.
    Process,
    /// Real Redis processes in containers.
    Docker,
}

impl WorldKind {
    /// All of them.
    pub const ALL: [WorldKind; 3] = [WorldKind::Sim, WorldKind::Process, WorldKind::Docker];

    /// Its public name: `sim`, `process` or `docker`.
    pub fn name(self) -> &'static str {
        match self {
            WorldKind::Sim => "sim",
            WorldKind::Process => "process",
            WorldKind::Docker => "docker",
        }
    }
}
