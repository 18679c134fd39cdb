//! What a replica refuses, and a master whose replicas are away.

use crate::pair::wall_ms;
use crate::server::Server;
use fencepost::world::sim::redis::{Node, NodeConfig};
use redis::Value;

/// Commands that read, that write, and scripts and transactions that do either.
const COMMANDS: &[&[&str]] = &[
    &["GET", "k"],
    &["SET", "k", "v"],
    &["SET", "k", "v", "NX", "PX", "60000"],
    &["SETNX", "k", "v"],
    &["DEL", "k"],
    &["INCR", "n"],
    &["HSET", "h", "f", "v"],
    &["PEXPIRE", "k", "1000"],
    &["FLUSHALL"],
    &["PUBLISH", "channel", "text"],
    &["EVAL", "return redis.call('GET', KEYS[1])", "1", "k"],
    &["EVAL", "return redis.call('SET', KEYS[1], 'v')", "1", "k"],
    &["EVAL", "return redis.pcall('SET', KEYS[1], 'v')", "1", "k"],
    &["EVAL", "if redis.call('GET', KEYS[1]) then return redis.call('DEL', KEYS[1]) else return 0 end", "1", "k"],
    &["MULTI"],
    &["GET", "k"],
    &["EXEC"],
    &["MULTI"],
    &["SET", "k", "v"],
    &["GET", "k"],
    &["EXEC"],
    &["MULTI"],
    &["EVAL", "return redis.call('SET', KEYS[1], 'v')", "1", "k"],
    &["EXEC"],
    &["WATCH", "k"],
    &["WAIT", "0", "0"],
    &["WAIT", "1", "1"],
    &["WAIT", "0", "x"],
    &["PING"],
];

fn agree(options: &[&str], config: NodeConfig, before: &[&[&str]]) {
    let Some(server) = Server::start_with(options) else { return };
    let (mut real, mut node) = (server.connect(), Node::new(config));
    let mut session = node.open().expect("a new node is up");
    for command in before.iter().chain(COMMANDS) {
        let args: Vec<&[u8]> = command.iter().map(|arg| arg.as_bytes()).collect();
        let simulated = node.execute(&mut session, &args, wall_ms()).expect("it is up");
        assert_eq!(simulated, real.call(command), "{command:?}, {options:?}");
    }
}

#[test]
fn a_replica_refuses_what_writes() {
    // Nobody listens there, so it stays without its master.
    let away: &[&str] = &["REPLICAOF", "127.0.0.1", "1"];
    let again = away;
    agree(&[], NodeConfig::default(), &[&["SET", "k", "old"], away, again, &["REPLICAOF", "127.0.0.1", "x"]]);
}

#[test]
fn who_is_a_replica_no_longer_takes_writes_again() {
    agree(&[], NodeConfig::default(), &[&["REPLICAOF", "127.0.0.1", "1"], &["REPLICAOF", "no", "one"], &["ROLE"]]);
}

#[test]
fn a_master_whose_replicas_are_away_refuses_what_writes() {
    let config = NodeConfig { min_replicas_to_write: 1, ..NodeConfig::default() };
    agree(&["--min-replicas-to-write", "1"], config, &[&["ROLE"]]);
}

#[test]
fn a_replica_says_whom_it_follows() {
    let Some(server) = Server::start() else { return };
    let (mut real, mut node) = (server.connect(), Node::new(NodeConfig::default()));
    let mut session = node.open().expect("a new node is up");
    for command in [&["REPLICAOF", "127.0.0.1", "1"][..], &["ROLE"]] {
        let args: Vec<&[u8]> = command.iter().map(|arg| arg.as_bytes()).collect();
        let simulated = node.execute(&mut session, &args, wall_ms()).expect("it is up");
        match (simulated, real.call(command)) {
            (Value::Array(simulated), Value::Array(mut real)) => {
                // Whether it just dials or waits to dial again is a matter of the moment.
                let state = &mut real[3];
                assert!(
                    [&b"connect"[..], b"connecting"].iter().any(|word| *state == Value::BulkString(word.to_vec())),
                    "{state:?}"
                );
                *state = Value::BulkString(b"connect".to_vec());
                assert_eq!(simulated, real);
            }
            (simulated, real) => assert_eq!(simulated, real),
        }
    }
}
