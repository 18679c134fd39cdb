//! What nodes of a cluster refuse, and whom they send elsewhere.

use crate::pair::wall_ms;
use crate::server::Server;
use fencepost::slot;
use fencepost::world::sim::redis::{Address, ClusterState, ClusterView, Node, NodeConfig, Shard};
use redis::Value;
use std::time::{Duration, Instant};

/// `b` is in slot 3300, `c` in 7365, `a` in 15495; and each with a second key in its slot.
const COMMANDS: &[&[&str]] = &[
    &["PING"],
    &["GET", "b"],
    &["SET", "b", "v", "NX", "PX", "60000"],
    &["GET", "a"],
    &["SET", "a", "v"],
    &["DEL", "b", "{b}2"],
    &["DEL", "b", "c"],
    &["DEL", "b", "a"],
    &["EVAL", "return redis.call('GET', KEYS[1])", "1", "b"],
    &["EVAL", "return redis.call('GET', KEYS[1])", "1", "a"],
    &["EVAL", "return redis.call('GET', KEYS[1])", "2", "b", "c"],
    &["EVAL", "return 1", "0"],
    &["MULTI"],
    &["SET", "b", "1"],
    &["EXEC"],
    &["MULTI"],
    &["SET", "a", "1"],
    &["EXEC"],
    &["MULTI"],
    &["SET", "b", "1"],
    &["SET", "{b}2", "1"],
    &["EXEC"],
    &["MULTI"],
    &["SET", "b", "1"],
    &["SET", "c", "1"],
    &["EXEC"],
    &["WATCH", "b"],
    &["WATCH", "a"],
    &["MSET", "b", "1", "{b}2", "2"],
    &["MSET", "b", "1", "c", "2"],
    &["CLUSTER", "KEYSLOT", "{user1000}.following"],
    &["CLUSTER", "KEYSLOT"],
    &["ASKING"],
];

fn ip(last: u8) -> String {
    let [.., a, b] = std::process::id().to_be_bytes();
    format!("127.{}.{b}.{last}", 200 + a % 50)
}

fn node_of_a_cluster(last: u8) -> Option<Server> {
    Server::start_with(&["--cluster-enabled", "yes", "--port", "7391", "--bind", &ip(last)])
}

fn view(state: ClusterState, shards: &[(u16, u16, u8)]) -> ClusterView {
    let at = |last| Address { host: ip(last), port: 7391 };
    let shard = |(first, end, last): &(u16, u16, u8)| Shard { slots: (*first, *end), nodes: vec![at(*last)] };
    ClusterView { me: at(1), state, shards: shards.iter().map(shard).collect() }
}

/// The same commands to the real node and to a simulated one that knows this.
fn agree(server: &Server, view: &ClusterView) {
    let (mut real, mut node) = (server.connect(), Node::new(NodeConfig::default()));
    real.call(&["FLUSHALL"]);
    node.knows(view.clone());
    let mut session = node.open().expect("a new node is up");
    for command in COMMANDS {
        let args: Vec<&[u8]> = command.iter().map(|arg| arg.as_bytes()).collect();
        let simulated = node.execute(&mut session, &args, wall_ms()).expect("it is up");
        assert_eq!(simulated, real.call(command), "{command:?}, {view:?}");
    }
}

fn until(server: &Server, field: &str) {
    let begun = Instant::now();
    let info = || match server.connect().call(&["CLUSTER", "INFO"]) {
        Value::BulkString(info) => String::from_utf8_lossy(&info).into_owned(),
        other => format!("{other:?}"),
    };
    while !info().contains(field) {
        assert!(begun.elapsed() < Duration::from_secs(15), "{field}: {}", info());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_node_of_a_cluster_refuses_and_redirects_as_the_real_one() {
    let (Some(one), Some(two)) = (node_of_a_cluster(1), node_of_a_cluster(2)) else { return };
    let tell = |server: &Server, command: &[&str]| assert_eq!(server.connect().call(command), Value::Okay, "{command:?}");
    agree(&one, &view(ClusterState::Fail, &[]));
    tell(&one, &["CLUSTER", "ADDSLOTSRANGE", "0", "8191"]);
    agree(&one, &view(ClusterState::Fail, &[(0, 8191, 1)]));
    tell(&two, &["CLUSTER", "ADDSLOTSRANGE", "8192", "16383"]);
    tell(&two, &["CLUSTER", "SET-CONFIG-EPOCH", "2"]);
    tell(&one, &["CLUSTER", "MEET", &ip(2), "7391"]);
    until(&one, "cluster_state:ok");
    agree(&one, &view(ClusterState::Ok, &[(0, 8191, 1), (8192, 16383, 2)]));
}

#[test]
fn slots_are_the_real_ones() {
    let Some(server) = node_of_a_cluster(3) else { return };
    let mut real = server.connect();
    for key in ["", "a", "order:1", "{", "{}", "{}a", "a{b}c", "a{b", "a}b{c}", "{{a}}", "{a}{b}", "\u{e9}", "health"] {
        let said = real.call(&["CLUSTER", "KEYSLOT", key]);
        assert_eq!(said, Value::Int(slot::of(key.as_bytes()).into()), "{key}");
    }
}

#[test]
fn who_is_of_no_cluster_says_so() {
    let Some(server) = Server::start() else { return };
    let (mut real, mut node) = (server.connect(), Node::new(NodeConfig::default()));
    let mut session = node.open().expect("a new node is up");
    for command in [&["CLUSTER", "SLOTS"][..], &["CLUSTER", "KEYSLOT", "a"], &["ASKING"], &["CLUSTER"], &["CLUSTER", "X"]] {
        let args: Vec<&[u8]> = command.iter().map(|arg| arg.as_bytes()).collect();
        let simulated = node.execute(&mut session, &args, wall_ms()).expect("it is up");
        assert_eq!(simulated, real.call(command), "{command:?}");
    }
}
