//! A node of a cluster has a gate for its bus too.

use nemesis::wire::{Gate, Severed, Wire};
use std::net::{Ipv4Addr, SocketAddr};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};

fn at(host: u8, port: u16) -> SocketAddr {
    (Ipv4Addr::new(127, 99, (std::process::id() % 250) as u8, host), port).into()
}

/// Connects from one host to another.
async fn call(from: u8, to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind(at(from, 0))?;
    socket.connect(to).await
}

#[tokio::test]
async fn every_gate_of_a_node_is_shut_when_it_dies_and_open_again_when_it_is_back_and_a_bus_is_passed_as_it_comes_or_cut() {
    let ports = [6401, 16401];
    let gate = |port| Gate { node: "n1".into(), listen: at(101, port), dial: at(11, port) };
    let listeners = [TcpListener::bind(at(11, ports[0])).await.unwrap(), TcpListener::bind(at(11, ports[1])).await.unwrap()];
    let other = Gate { node: "n2".into(), listen: at(102, ports[0]), dial: at(12, ports[0]) };
    let wire = Wire::start(ports.map(gate).into_iter().chain([other]).collect(), vec![]).expect("the gates open");
    wire.know(at(12, 0).ip(), "n2");
    // What is no RESP, as the bus is none, arrives as it was sent.
    let mut bus = call(12, at(101, ports[1])).await.expect("an open gate");
    let (mut node, from) = listeners[1].accept().await.unwrap();
    assert_eq!(from.ip(), at(12, 0).ip(), "the node sees who calls");
    let sent = [b"RCmb\0\0\x08\xf8*3\r\n$-5\r\n".as_slice(), &[0xff; 64]].concat();
    bus.write_all(&sent).await.unwrap();
    let mut heard = vec![0; sent.len()];
    node.read_exact(&mut heard).await.unwrap();
    assert_eq!(heard, sent);
    // A partition cuts it with the rest.
    let severed = wire.sever("n2", "n1", Severed::Lost);
    bus.write_all(b"lost").await.unwrap();
    while wire.toll(severed).is_none() {
        tokio::time::sleep(std::time::Duration::from_millis(1)).await;
    }
    assert_eq!(wire.toll(severed).bytes, 4);
    wire.mend(severed).await;
    wire.shut("n1").await;
    for port in ports {
        assert!(call(13, at(101, port)).await.is_err(), "{port}: who is dead refuses");
    }
    wire.open("n1").await.expect("both are free");
    for port in ports {
        assert!(call(13, at(101, port)).await.is_ok(), "{port}");
    }
}
