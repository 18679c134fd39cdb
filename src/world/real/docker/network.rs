//! A network of the run's own.

use crate::docker::{Engine, EngineError, Labels};
use bollard::errors::Error;
use bollard::models::{Ipam, IpamConfig, NetworkCreateRequest};
use std::net::{IpAddr, Ipv4Addr};

/// How many blocks of addresses are tried.
const TRIES: u32 = 64;

/// A bridge network 10.A.B.0/24 from which nothing outside is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Network {
    /// What the engine calls it.
    pub name: String,
    net: [u8; 3],
}

impl Network {
    /// Makes one at addresses that neither the engine nor this machine uses.
    ///
    /// # Errors
    /// The engine makes none.
    pub async fn create(engine: &Engine, labels: &Labels) -> Result<Network, EngineError> {
        let routes = std::fs::read_to_string("/proc/net/route").unwrap_or_default();
        // Worlds that start together should not all try the same blocks first.
        let start = std::process::id().wrapping_mul(2_654_435_761);
        let mut refused = EngineError::of("create a network")("no block of addresses is free");
        for n in 0..TRIES {
            let [.., a, b] = start.wrapping_add(n).to_be_bytes();
            let net = [10, 128 + a % 128, b];
            if is_routed(&routes, net) {
                continue;
            }
            let network = Network { name: format!("fencepost-{}", labels.id), net };
            match engine.docker().create_network(network.request(labels)).await {
                Ok(_) => return Ok(network),
                // The engine has another network there.
                Err(error @ Error::DockerResponseServerError { status_code: 400 | 403 | 409 | 500, .. }) => {
                    refused = EngineError::of("create a network")(error);
                }
                Err(error) => return Err(EngineError::of("create a network")(error)),
            }
        }
        Err(refused)
    }

    fn request(&self, labels: &Labels) -> NetworkCreateRequest {
        let [a, b, c] = self.net;
        let block =
            IpamConfig { subnet: Some(format!("{a}.{b}.{c}.0/24")), gateway: Some(self.at(1).to_string()), ..Default::default() };
        NetworkCreateRequest {
            name: self.name.clone(),
            driver: Some("bridge".into()),
            internal: Some(true),
            ipam: Some(Ipam { config: Some(vec![block]), ..Default::default() }),
            labels: Some(labels.to_map()),
            ..Default::default()
        }
    }

    /// An address in it.
    pub fn at(&self, host: u8) -> IpAddr {
        let [a, b, c] = self.net;
        IpAddr::V4(Ipv4Addr::new(a, b, c, host))
    }
}

/// Whether this machine reaches somebody else at these addresses, by another route than that to everywhere. The kernel's table has, in hexadecimal and
/// in this machine's order of bytes, the interface, the destination, six more fields, and the mask.
fn is_routed(routes: &str, [a, b, c]: [u8; 3]) -> bool {
    let ours = u32::from_ne_bytes([a, b, c, 0]);
    routes.lines().skip(1).any(|line| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let number = |at: usize| fields.get(at).and_then(|field| u32::from_str_radix(field, 16).ok());
        let (Some(destination), Some(mask)) = (number(1), number(7)) else { return false };
        let wider = u32::from_ne_bytes([255, 255, 255, 0]) & mask;
        mask != 0 && ours & wider == destination & wider
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_are_in_use_are_seen() {
        let hex = |bytes: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(bytes));
        let line = |to, mask| format!("eth0\t{}\t00000000\t0001\t0\t0\t0\t{}\t0\t0\t0\n", hex(to), hex(mask));
        let table = |lines: &[String]| {
            format!("Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n{}", lines.concat())
        };
        let routes = table(&[
            line([0; 4], [0; 4]),
            line([10, 200, 0, 0], [255, 255, 0, 0]),
            line([10, 130, 7, 128], [255, 255, 255, 128]),
        ]);
        assert!(is_routed(&routes, [10, 200, 9]) && is_routed(&routes, [10, 130, 7]));
        assert!(!is_routed(&routes, [10, 201, 9]) && !is_routed(&routes, [10, 130, 8]));
        assert!(!is_routed("", [10, 1, 1]));
    }
}
