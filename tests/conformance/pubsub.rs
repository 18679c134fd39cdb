//! What is published is heard by the same connections, in the same order, and what a connection that has subscribed may ask is the same.

use crate::pair::wall_ms;
use crate::server::Server;
use crate::shown;
use fencepost::world::sim::redis::{Node, NodeConfig};
use redis::Value;

/// Three connections, and what each sends in turn.
const SEQUENCES: &str = r#"
0 PUBLISH a nobody
0 SUBSCRIBE a
0 SUBSCRIBE a
1 PUBLISH a one
1 PUBLISH b two
0 PING
0 PING hello
0 UNSUBSCRIBE a
1 PUBLISH a three
0 PING
0 GET s1

0 SUBSCRIBE b
2 SUBSCRIBE b
1 PUBLISH b both
0 UNSUBSCRIBE
0 UNSUBSCRIBE
1 PUBLISH b one
2 UNSUBSCRIBE nothing
2 UNSUBSCRIBE b

0 SUBSCRIBE a
0 SUBSCRIBE b
1 PUBLISH b x
0 GET s1
0 SET s1 v
0 PUBLISH a itself
0 MULTI
0 EVALSHA x 0
0 CLIENT ID
0 UNSUBSCRIBE b
0 UNSUBSCRIBE a
0 GET s1
0 SUBSCRIBE
0 PUBLISH a
0 PUBLISH a b c

0 SUBSCRIBE a
1 MULTI
1 PUBLISH a queued
1 PUBLISH a twice
1 EXEC
1 EVAL|return redis.call('PUBLISH', KEYS[1], ARGV[1])|1|a|scripted
1 EVAL|redis.call('PUBLISH', 'a', 'before') return redis.call('SUBSCRIBE', 'a')|0
1 EVAL|if redis.call('EXISTS', KEYS[1]) == 0 then redis.call('PUBLISH', KEYS[1] .. ':released', 'c1') end return 0|1|a
0 PING
0 UNSUBSCRIBE a
"#;

#[test]
fn what_is_published_is_heard() {
    let Some(server) = Server::start() else { return };
    for sequence in SEQUENCES.split("\n\n") {
        let mut real = [server.connect(), server.connect(), server.connect()];
        assert_eq!(real[0].call(&["FLUSHALL"]), Value::Okay);
        let mut node = Node::new(NodeConfig::default());
        let mut open = || node.open().expect("a new node is up");
        let mut sessions = [open(), open(), open()];
        for line in sequence.lines().filter(|line| !line.is_empty()) {
            let (connection, command) = line.split_once(' ').expect("a connection and a command");
            let between = if command.contains('|') { '|' } else { ' ' };
            let args: Vec<Vec<u8>> = command.split(between).map(|word| word.as_bytes().to_vec()).collect();
            let connection: usize = connection.parse().expect("0, 1 or 2");
            let words: Vec<&[u8]> = args.iter().map(Vec::as_slice).collect();
            let simulated = node.execute(&mut sessions[connection], &words, wall_ms()).expect("it is up");
            let answered = real[connection].pipeline(&[&args]).remove(0);
            let ids = command == "CLIENT ID";
            assert!(ids || answered == simulated, "{}: real {answered:?}, simulated {simulated:?}", shown(&args));
            for (session, push) in node.pushes() {
                let hearer = sessions.iter().position(|known| known.number() == session).expect("a session that is open");
                assert_eq!(real[hearer].hears(), push, "after {}", shown(&args));
            }
        }
        // Nothing more was said to anybody.
        for (real, session) in real.iter_mut().zip(&mut sessions) {
            let ping = [b"PING".as_slice(), b"last"];
            let simulated = node.execute(session, &ping, wall_ms()).expect("it is up");
            assert_eq!(real.call(&["PING", "last"]), simulated);
        }
    }
}

#[test]
fn whoever_is_gone_hears_nothing() {
    let mut node = Node::new(NodeConfig::default());
    let (mut hearer, mut other) = (node.open().expect("it is up"), node.open().expect("it is up"));
    let subscribe = [b"SUBSCRIBE".as_slice(), b"a"];
    node.execute(&mut hearer, &subscribe, 1).expect("it is up");
    node.close(hearer);
    assert_eq!(node.execute(&mut other, &[b"PUBLISH", b"a", b"x"], 1), Ok(Value::Int(0)));
    node.execute(&mut other, &subscribe, 1).expect("it is up");
    node.kill();
    node.start(nemesis::Data::Kept);
    let mut third = node.open().expect("it is up");
    assert_eq!(node.execute(&mut third, &[b"PUBLISH", b"a", b"x"], 1), Ok(Value::Int(0)));
    assert!(node.pushes().is_empty());
}
