//! Processes of this machine on a block of loopback addresses, without root.
//!
//! Nodes really listen at .10, .11, …, and are found at the wire's gates .100, .101, …; clients call from .120, .121, …, which is how the wire knows
//! them; where there are replicas, a client finds whoever is the master at its own address, a door that the wire leads to another node when the client
//! is told; the resource's store at .2 is past the wire, and no fault hits it; at .3 is Toxiproxy, where there is one. The runner asks from .1.

pub mod block;
mod child;
pub mod server;

use super::habitat::{Doing, Habitat, Life, Server, Speech, Start};
use super::{gates, sick, toxiproxy};
use crate::plan::Topology;
use crate::world::WorldError;
use crate::world::toxiproxy::program;
use block::Block;
use child::Child;
use nemesis::wire::{Rule, Wire};
use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::process::Stdio;
use std::rc::Rc;

/// How many blocks are passed over whose gates cannot be opened.
const PASSED_OVER: usize = 16;

/// Opens the gates of a topology's nodes in a block that nobody else has. A process that is just being started holds for a moment what its parent had
/// open, and with it the gates of a world that is over: such a block is passed over.
///
/// # Errors
/// No block is free.
pub fn settle(topology: &Topology, rules: Vec<Rule>) -> Result<(Rc<dyn Habitat>, Wire), WorldError> {
    let mut passed_over = Vec::new();
    loop {
        let block = Block::claim().map_err(|error| sick("no block of loopback addresses is free", error))?;
        match Wire::start(gates(&block, topology), rules.clone()) {
            Ok(wire) => return Ok((Rc::new(block), wire)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && passed_over.len() < PASSED_OVER => passed_over.push(block),
            Err(error) => return Err(sick("the wire cannot listen", error)),
        }
    }
}

impl Habitat for Block {
    fn name(&self) -> String {
        Block::name(self)
    }

    fn runner(&self) -> IpAddr {
        self.at(1).ip()
    }

    fn store(&self) -> SocketAddr {
        self.at(2)
    }

    fn node(&self, index: u8) -> SocketAddr {
        self.at(10 + index)
    }

    fn gate(&self, index: u8) -> SocketAddr {
        self.at(100 + index)
    }

    fn sentinel(&self, index: u8) -> SocketAddr {
        self.at(30 + index)
    }

    fn sentinel_gate(&self, index: u8) -> SocketAddr {
        self.at(40 + index)
    }

    fn client(&self, index: usize) -> Option<IpAddr> {
        let host = u8::try_from(index).ok()?.checked_add(FIRST_CLIENT)?;
        (host < 255).then(|| self.at(host).ip())
    }

    fn door(&self, client: usize) -> SocketAddr {
        self.at(FIRST_CLIENT + client as u8)
    }

    fn server<'a>(&'a self, _: &'a str) -> Doing<'a, Result<Server, WorldError>> {
        Box::pin(async {
            let program = server::find()?;
            Ok(Server { major: server::major(&program).await, program })
        })
    }

    fn toxiproxy(&self) -> Result<toxiproxy::Server, WorldError> {
        Ok(toxiproxy::Server { program: program::find()?, at: self.at(3) })
    }

    fn versions(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    fn start<'a>(&'a self, start: Start<'a>) -> Doing<'a, io::Result<Box<dyn Life>>> {
        Box::pin(async move {
            let Start { mut command, log, speech, .. } = start;
            match speech {
                Speech::None => command.stdin(Stdio::null()).stdout(log.file.try_clone()?),
                Speech::OverPipes => command.stdin(Stdio::piped()).stdout(Stdio::piped()),
            };
            command.stderr(log.file.try_clone()?);
            Ok(Box::new(Child::spawn(&mut command)?) as Box<dyn Life>)
        })
    }
}

/// The host of the first client.
const FIRST_CLIENT: u8 = 120;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_has_room_for_many_clients_and_an_end() {
        let block = Block::claim().expect("a free block");
        let addresses: std::collections::BTreeSet<_> = (0..).map_while(|index| block.client(index)).collect();
        assert_eq!(addresses.len(), 135);
        assert!(!addresses.contains(&block.gate(15).ip()));
        assert!(block.node(15).ip() < block.gate(0).ip(), "as many nodes as a plan can have");
        assert!((0..135).all(|index| block.client(index) == Some(block.door(index).ip())));
    }
}
