//! Loopback addresses that one world has to itself, so that many run side by side.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};

/// How many blocks are tried before none is free.
const TRIES: u32 = 128;
/// Somebody may listen on every address at the port of Redis: after this many blocks another port is tried.
const TRIES_A_PORT: u32 = 16;

/// A block 127.A.B.0/24 and a port, claimed for as long as this lives.
#[derive(Debug)]
pub struct Block {
    net: [u8; 3],
    port: u16,
    /// Nobody else can listen there while we do.
    _claim: TcpListener,
}

impl Block {
    /// Claims a block that nobody else has.
    ///
    /// # Errors
    /// None is free.
    pub fn claim() -> io::Result<Block> {
        // Worlds that start together should not all try the same blocks first.
        let start = std::process::id().wrapping_mul(2_654_435_761);
        let mut refused = io::Error::from(io::ErrorKind::AddrInUse);
        for n in 0..TRIES {
            let [.., a, b] = start.wrapping_add(n).to_be_bytes();
            let net = [127, 1 + a % 254, b];
            let port = 6379 + 1000 * (n / TRIES_A_PORT) as u16;
            match TcpListener::bind(address(net, 1, port)) {
                Ok(claim) => return Ok(Block { net, port, _claim: claim }),
                Err(error) => refused = error,
            }
        }
        Err(refused)
    }

    /// What the block's folders are called: `127.1.2.0-6379`. Two blocks of one name cannot be claimed at once.
    pub fn name(&self) -> String {
        let [a, b, c] = self.net;
        format!("{a}.{b}.{c}.0-{}", self.port)
    }

    /// Claims the block of this name, which is free if whoever had it has ended. None where it has not, or it is no block's name.
    pub fn claim_named(name: &str) -> Option<Block> {
        let (network, port) = name.split_once('-')?;
        let [127, a, b, 0] = network.parse::<Ipv4Addr>().ok()?.octets() else { return None };
        let (net, port) = ([127, a, b], port.parse().ok()?);
        let claim = TcpListener::bind(address(net, 1, port)).ok()?;
        Some(Block { net, port, _claim: claim })
    }

    /// An address of the block. The same host has always the same port.
    pub fn at(&self, host: u8) -> SocketAddr {
        address(self.net, host, self.port)
    }
}

fn address([a, b, c]: [u8; 3], host: u8, port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::new(a, b, c, host)), port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_worlds_have_the_same_block() {
        let blocks: Vec<Block> = (0..20).map(|_| Block::claim().expect("a free block")).collect();
        let nets: std::collections::BTreeSet<String> = blocks.iter().map(Block::name).collect();
        assert_eq!(nets.len(), blocks.len());
    }

    #[test]
    fn a_block_that_somebody_has_cannot_be_claimed_by_its_name() {
        let block = Block::claim().expect("a free block");
        let name = block.name();
        assert!(Block::claim_named(&name).is_none());
        drop(block);
        assert_eq!(Block::claim_named(&name).expect("it is free").name(), name);
        assert!(
            ["", "127.0.0.0", "128.1.2.0-6379", "127.1.2.3-6379", "127.1.2.0-x"]
                .iter()
                .all(|name| Block::claim_named(name).is_none())
        );
    }
}
