//! Where the processes of a world live: at which addresses, and how they are started, killed and seen to be dead.

use super::scratch::{Log, Scratch};
use super::toxiproxy;
use crate::world::WorldError;
use rustix::process::Pid;
use std::collections::BTreeMap;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::pin::Pin;
use std::process::Command;
use tokio::io::{AsyncRead, AsyncWrite};

/// A future of a habitat.
pub type Doing<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// A place for the processes of one world, which it has to itself. Dropping it ends whatever it started.
pub trait Habitat {
    /// What the world's folders are called. No two that are in use have the same.
    fn name(&self) -> String;

    /// The runner's own address, from which it asks nodes past the wire.
    fn runner(&self) -> IpAddr;

    /// Where the resource's store really listens.
    fn store(&self) -> SocketAddr;

    /// Where the node of this index really listens.
    fn node(&self, index: u8) -> SocketAddr;

    /// Where everybody finds the node of this index: the wire's gate.
    fn gate(&self, index: u8) -> SocketAddr;

    /// Where the sentinel of this index really listens.
    fn sentinel(&self, index: u8) -> SocketAddr;

    /// Where everybody finds the sentinel of this index.
    fn sentinel_gate(&self, index: u8) -> SocketAddr;

    /// From where the client of this index calls; none where there is no room for it.
    fn client(&self, index: usize) -> Option<IpAddr>;

    /// Where the client of this index finds whoever is the master.
    fn door(&self, client: usize) -> SocketAddr;

    /// The Redis server that a node or sentinel is.
    fn server<'a>(&'a self, node: &'a str) -> Doing<'a, Result<Server, WorldError>>;

    /// The Toxiproxy server that poisons links.
    ///
    /// # Errors
    /// There is none to be had.
    fn toxiproxy(&self) -> Result<toxiproxy::Server, WorldError>;
    /// What takes part in a run because of where it takes place, by version.
    fn versions(&self) -> BTreeMap<String, String>;

    /// Starts a process, anew where it has lived before.
    fn start<'a>(&'a self, start: Start<'a>) -> Doing<'a, io::Result<Box<dyn Life>>>;
}

/// A Redis server that can be started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    /// The program.
    pub program: PathBuf,
    /// Its major version, where it says one.
    pub major: Option<u32>,
}

/// What is to be started.
#[cfg_attr(not(feature = "docker"), expect(dead_code, reason = "a process of this machine needs no container"))]
pub struct Start<'a> {
    /// The node's or client's name.
    pub name: &'a str,
    /// Its own address.
    pub at: IpAddr,
    /// Where the world's files are.
    pub scratch: &'a Scratch,
    /// Program, arguments and environment.
    pub command: Command,
    /// Where what it prints goes.
    pub log: &'a Log,
    /// Who speaks with it.
    pub speech: Speech,
}

/// Whether a process is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speech {
    /// Nobody speaks with it; standard output and error go to its log.
    None,
    /// Over standard input and output; standard error goes to its log.
    OverPipes,
}

/// Standard input and output of a process.
pub type Pipes = (Box<dyn AsyncWrite + Unpin + Send>, Box<dyn AsyncRead + Unpin + Send>);

/// A process from its start to its end. It is killed when this is dropped.
pub trait Life {
    /// Its process id as the runner sees it, which is its group's too.
    fn pid(&self) -> Pid;

    /// In words, how it ended; none while it lives.
    fn ended(&mut self) -> Option<String>;

    /// In words, how it ended, where it was not killed by us.
    fn died(&mut self) -> Option<String>;

    /// Its standard input and output, where it is spoken to and they are not taken yet.
    ///
    /// # Errors
    /// They cannot be used here.
    fn pipes(&mut self) -> io::Result<Option<Pipes>>;

    /// Kills it (SIGKILL), with its group, and says how it ended. The kernel has closed its connections when this returns.
    ///
    /// # Errors
    /// It could not be signalled, or did not end.
    fn kill(&mut self) -> io::Result<String>;
}

impl Server {
    /// What it must be told so that it obeys DEBUG, which since version 7 it does only then, and earlier does not know how to be told.
    pub fn allowing_debug(&self) -> &'static [&'static str] {
        if self.major.is_some_and(|major| major >= 7) { &["--enable-debug-command", "yes"] } else { &[] }
    }

    /// The major version in `Redis server v=7.0.15 sha=…`.
    pub fn major(told: &str) -> Option<u32> {
        told.split_once("v=")?.1.split('.').next()?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_read_from_what_servers_say() {
        assert_eq!(Server::major("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64"), Some(7));
        assert_eq!(Server::major("Valkey server v=8.1.1 sha=00000000:0"), Some(8));
        assert_eq!(Server::major("no server"), None);
    }

    #[test]
    fn only_who_knows_the_option_is_told_it() {
        let server = |major| Server { program: "redis-server".into(), major };
        assert_eq!(server(Some(6)).allowing_debug(), [""; 0]);
        assert_eq!(server(None).allowing_debug(), [""; 0]);
        assert_eq!(server(Some(7)).allowing_debug(), ["--enable-debug-command", "yes"]);
    }
}
