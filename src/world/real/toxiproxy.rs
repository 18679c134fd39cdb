//! The Toxiproxy of a world of real servers, where its plan has toxics.

use super::habitat::{Habitat, Life, Speech, Start};
use super::scratch::Scratch;
use super::{Node, sick};
use crate::plan::Plan;
use crate::world::WorldError;
use crate::world::toxiproxy::program::reachable;
use crate::world::toxiproxy::{Toxiproxy, of};
use nemesis::wire::Wire;
use nemesis::{Evidence, NotInjected, Toxic};
use std::cell::RefCell;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::net::TcpStream;

/// It listens after some milliseconds; a container takes longer.
const LISTENS_WITHIN: Duration = Duration::from_secs(10);
const NAME: &str = "toxiproxy";
/// Where it is told what to do, unless somebody else may be there.
pub const PORT: u16 = 8474;

/// A Toxiproxy server and what it does. It is killed when this is dropped.
pub struct Poison {
    toxiproxy: Toxiproxy,
    life: RefCell<Box<dyn Life>>,
    log: PathBuf,
}

/// A Toxiproxy server that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The program.
    pub program: PathBuf,
    /// Where it is told what to do. Its proxies are at the same IP.
    pub at: SocketAddr,
}

impl Poison {
    /// Starts one and leads through it the links that the plan's toxics name; none where there is no toxic.
    ///
    /// # Errors
    /// There is none to be had, or it does not do what it is told.
    pub async fn start(
        plan: &Plan,
        nodes: &[&Node],
        habitat: &dyn Habitat,
        scratch: &Scratch,
        wire: &Wire,
    ) -> Result<Option<Poison>, WorldError> {
        let links = of(plan);
        if links.is_empty() {
            return Ok(None);
        }
        let Server { program, at } = habitat.toxiproxy()?;
        reachable(at.ip())?;
        let log = scratch.log(NAME).map_err(|error| sick("the log of Toxiproxy cannot be written", error))?;
        let mut command = Command::new(program);
        command.args(["-host", &at.ip().to_string(), "-port", &at.port().to_string()]);
        let start = Start { name: NAME, at: at.ip(), scratch, command, log: &log, speech: Speech::None };
        let life = habitat.start(start).await.map_err(|error| sick("Toxiproxy could not be started", error))?;
        let life = RefCell::new(life);
        let sick = |why: String| WorldError::Sick(format!("Toxiproxy {why}; its log is {}", log.path.display()));
        listens(at, &life).await.map_err(sick)?;
        let address = |name: &str| nodes.iter().find(|node| node.name == name).map(|node| node.address);
        let driven = Toxiproxy::drive(at, at.ip(), links, address, wire).await;
        let toxiproxy = driven.map_err(|why| sick(format!("cannot be driven: {why}")))?;
        Ok(Some(Poison { toxiproxy, life, log: log.path }))
    }

    /// Its version, by its own word.
    pub fn version(&self) -> String {
        self.toxiproxy.version.clone()
    }

    /// In words that it ended, where nobody here had killed it.
    pub fn died(&self) -> Option<String> {
        let ended = self.life.borrow_mut().died()?;
        Some(format!("Toxiproxy ended by itself ({ended}); its log is {}", Path::display(&self.log)))
    }

    /// See [`Toxiproxy::begin`].
    pub async fn begin(&self, toxic: &Toxic, wire: &Wire) -> Result<Evidence, NotInjected> {
        self.toxiproxy.begin(toxic, wire).await
    }

    /// See [`Toxiproxy::met`].
    pub fn met(&self, toxic: &Toxic, wire: &Wire) -> Option<Evidence> {
        self.toxiproxy.met(toxic, wire)
    }

    /// See [`Toxiproxy::end`].
    pub async fn end(&self, toxic: &Toxic, wire: &Wire) -> Result<Evidence, NotInjected> {
        self.toxiproxy.end(toxic, wire).await
    }
}

/// Waits until something listens there.
///
/// # Errors
/// In words, why nothing does.
async fn listens(at: SocketAddr, life: &RefCell<Box<dyn Life>>) -> Result<(), String> {
    let begun = Instant::now();
    while TcpStream::connect(at).await.is_err() {
        if let Some(ended) = life.borrow_mut().ended() {
            return Err(format!("ended at its start ({ended})"));
        }
        if begun.elapsed() > LISTENS_WITHIN {
            return Err(format!("did not listen within {} s", LISTENS_WITHIN.as_secs()));
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}
