//! The millisecond at which a key expires.

use crate::pair::wall_ms;
use crate::server::Server;
use fencepost::world::sim::redis::{Node, NodeConfig};
use redis::Value;

/// Commands that a server answers in about a millisecond, and so several of them in every millisecond that passes.
const AT_ONCE: usize = 400;

/// A real server still shows a key in the very millisecond of its expiry, and not in the next; so does the node.
///
/// PTTL is 0 in that millisecond only. A server that let a key go one millisecond earlier would show 0 only in the rare command that
/// sees its clock tick between the look at the key and the subtraction: one in some thousands, while whole batches of 0 are wanted here.
#[test]
fn a_key_lives_through_the_millisecond_of_its_expiry() {
    let Some(server) = Server::start() else { return };
    let mut real = server.connect();
    let pttl: [Vec<u8>; 2] = ["PTTL", "edge"].map(|arg| arg.as_bytes().to_vec());
    let pttls = vec![pttl.as_slice(); AT_ONCE];
    // A busy machine may sleep through the millisecond: then it is tried again.
    let most_zeros = (0..200).map(|_| {
        let at = (wall_ms() + 4).to_string();
        assert_eq!(real.call(&["SET", "edge", "v", "PXAT", &at]), Value::Okay);
        let mut zeros = 0;
        loop {
            let replies = real.pipeline(&pttls);
            zeros += replies.iter().filter(|reply| **reply == Value::Int(0)).count();
            if replies.last() == Some(&Value::Int(-2)) {
                return zeros;
            }
        }
    });
    assert!(most_zeros.into_iter().any(|zeros| zeros > 50), "the real server never showed a key in its last millisecond");

    let mut node = Node::new(NodeConfig::default());
    let mut session = node.open().expect("a new node is up");
    let mut at = |now, args: &[&[u8]]| node.execute(&mut session, args, now).expect("it is up");
    assert_eq!(at(1_000, &[b"SET", b"edge", b"v", b"PX", b"500"]), Value::Okay);
    assert_eq!(at(1_500, &[b"PTTL", b"edge"]), Value::Int(0));
    assert_eq!(at(1_500, &[b"GET", b"edge"]), Value::BulkString(b"v".to_vec()));
    assert_eq!(at(1_501, &[b"PTTL", b"edge"]), Value::Int(-2));
}

/// Seconds left are rounded to the nearest, a half upwards: TTL answers 1 until half a second is left, then 0.
#[test]
fn seconds_left_are_rounded() {
    let Some(server) = Server::start() else { return };
    let mut real = server.connect();
    // EXPIRETIME rounds as TTL does, and does not depend on the moment.
    let points = ["4102444800000", "4102444800499", "4102444800500", "4102444800999", "9223372036854775807"];
    let mut node = Node::new(NodeConfig::default());
    let mut session = node.open().expect("a new node is up");
    for point in points {
        let set = ["SET", "edge", "v", "PXAT", point];
        let ask = ["EXPIRETIME", "edge"];
        assert_eq!(real.call(&set), Value::Okay);
        node.execute(&mut session, &set.map(str::as_bytes), wall_ms()).expect("it is up");
        let simulated = node.execute(&mut session, &ask.map(str::as_bytes), wall_ms()).expect("it is up");
        assert_eq!(real.call(&ask), simulated, "{point}");
    }
    let mut at = |now, args: &[&[u8]]| node.execute(&mut session, args, now).expect("it is up");
    at(0, &[b"SET", b"edge", b"v", b"PXAT", b"2000"]);
    assert_eq!(at(500, &[b"TTL", b"edge"]), Value::Int(2));
    assert_eq!(at(501, &[b"TTL", b"edge"]), Value::Int(1));
    assert_eq!(at(1_501, &[b"TTL", b"edge"]), Value::Int(0));
}
