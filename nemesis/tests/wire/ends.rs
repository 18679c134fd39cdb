//! Callers and nodes that die while something is held.

use crate::bench::{Bench, hold, redis_is_here};
use nemesis::Moment;

#[tokio::test]
async fn a_held_request_is_dropped_with_its_connection() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![hold("SET", Moment::Request, 1)]).await;
    let mut caller = bench.call(201).await;
    caller.send("SET a 1\r\nPING\r\n").await;
    let sighting = bench.sighting().await;
    drop(caller);
    bench.wire.let_pass(sighting);
    bench.until_gone(201).await;
    assert_eq!(bench.get("a").await, "$-1\r\n");
}

#[tokio::test]
async fn a_buried_caller_leaves_nothing_held() {
    if !redis_is_here() {
        return;
    }
    for moment in [Moment::Request, Moment::Reply] {
        let bench = Bench::new(vec![hold("SET", moment, 1)]).await;
        let (mut held, mut other) = (bench.call(201).await, bench.call(201).await);
        held.send("SET a 1\r\n").await;
        let sighting = bench.sighting().await;
        // What was sent before the death arrives.
        other.send("SET b 1\r\n").await;
        drop((held, other));
        bench.wire.bury("c1").await;
        bench.until_gone(201).await;
        bench.wire.let_pass(sighting);
        let expected = if moment == Moment::Reply { "$1\r\n1\r\n" } else { "$-1\r\n" };
        assert_eq!((bench.get("a").await.as_str(), bench.get("b").await.as_str()), (expected, "$1\r\n1\r\n"));
    }
}

#[tokio::test]
async fn a_dead_node_refuses_and_what_it_had_sent_still_arrives() {
    if !redis_is_here() {
        return;
    }
    let mut bench = Bench::new(vec![hold("SET", Moment::Reply, 1), hold("GET", Moment::Request, 1)]).await;
    let (mut reply, mut request, mut idle) = (bench.call(201).await, bench.call(201).await, bench.call(201).await);
    assert_eq!(idle.ask("PING").await, "+PONG\r\n");
    reply.send("SET a 1\r\n").await;
    let held_reply = bench.sighting().await;
    request.send("GET a\r\n").await;
    let held_request = bench.sighting().await;
    bench.kill_node();
    bench.wire.shut("n1").await;
    assert!(!bench.is_open().await);
    assert!(idle.rest().await.0.is_empty());
    assert!(request.rest().await.0.is_empty());
    bench.wire.let_pass(held_request);
    bench.wire.let_pass(held_reply);
    assert_eq!(reply.rest().await.0, b"+OK\r\n");

    bench.start_node().await;
    bench.wire.open("n1").await.expect("the gate opens");
    assert_eq!(bench.call(201).await.ask("GET a").await, "$-1\r\n");
    assert!(bench.wire.open("n9").await.is_err());
}

#[tokio::test]
async fn a_gate_is_opened_again_once_whoever_still_holds_its_address_lets_go() {
    if !redis_is_here() {
        return;
    }
    let mut bench = Bench::new(vec![]).await;
    bench.kill_node();
    bench.wire.shut("n1").await;
    // As a forked process does that has not become its program yet.
    let holder = bench.hold_gate();
    bench.start_node().await;
    let opened = async {
        bench.wire.open("n1").await.expect("the address is free in the end");
    };
    let lets_go = async {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        drop(holder);
    };
    tokio::join!(opened, lets_go);
    assert!(bench.is_open().await);
}

#[tokio::test]
async fn severed_connections_are_reset_at_both_ends_with_what_is_held_on_them() {
    if !redis_is_here() {
        return;
    }
    for member in ["c1", "n1"] {
        let bench = Bench::new(vec![hold("SET", Moment::Reply, 1)]).await;
        let (mut held, mut idle) = (bench.call(201).await, bench.call(201).await);
        assert_eq!(idle.ask("PING").await, "+PONG\r\n");
        held.send("SET a 1\r\n").await;
        let sighting = bench.sighting().await;
        assert_eq!(bench.wire.reset(member).await, 2);
        assert!(held.rest().await.0.is_empty() && idle.rest().await.0.is_empty(), "nothing more is heard on them");
        bench.until_gone(201).await;
        bench.wire.let_pass(sighting);
        assert_eq!(bench.wire.reset(member).await, 0, "there are none left");
        // It was executed, and whoever calls again is served.
        assert_eq!(bench.call(201).await.ask("GET a").await, "$1\r\n1\r\n");
    }
}
