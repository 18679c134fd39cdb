//! Links that carry nothing, and doors that lead elsewhere.

use crate::bench::{Bench, Caller, redis_is_here, until};
use nemesis::wire::{Severed, Toll};
use std::time::{Duration, Instant};

/// Nothing has come, although the wire has seen something meant for the caller.
async fn hears_nothing(bench: &Bench, caller: &Caller, severance: usize) {
    until(async || !bench.wire.toll(severance).is_none()).await;
    assert!(caller.has_heard_nothing());
}

#[tokio::test]
async fn what_is_lost_on_its_way_there_is_not_executed_and_its_connection_is_reset_when_the_link_is_mended() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![]).await;
    for host in [201, 204] {
        let mut caller = bench.call(host).await;
        assert_eq!(caller.ask("PING").await, "+PONG\r\n");
        let severed = bench.wire.sever(if host == 201 { "c1" } else { "n1" }, "n1", Severed::Lost);
        caller.send("SET a 1\r\n").await;
        hears_nothing(&bench, &caller, severed).await;
        assert_eq!(bench.wire.toll(severed), Toll { bytes: 9, calls: 0 });
        assert_eq!(bench.get("a").await, "$-1\r\n");
        assert_eq!(bench.call(202).await.ask("PING").await, "+PONG\r\n", "another's link is whole");
        bench.wire.mend(severed).await;
        assert_eq!(caller.rest().await, (vec![], true));
        assert_eq!(bench.call(host).await.ask("PING").await, "+PONG\r\n");
    }
}

#[tokio::test]
async fn what_is_lost_on_its_way_back_was_executed() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![]).await;
    let mut caller = bench.call(201).await;
    assert_eq!(caller.ask("PING").await, "+PONG\r\n");
    let severed = bench.wire.sever("n1", "c1", Severed::Lost);
    caller.send("SET a 1\r\n").await;
    hears_nothing(&bench, &caller, severed).await;
    assert_eq!(bench.get("a").await, "$1\r\n1\r\n");
    // Nobody answers who dials either.
    let mut dials = bench.call(201).await;
    dials.send("SET b 1\r\n").await;
    until(async || bench.wire.toll(severed).calls == 1).await;
    bench.wire.mend(severed).await;
    assert_eq!((caller.rest().await, dials.rest().await), ((vec![], true), (vec![], true)));
    assert_eq!(bench.get("b").await, "$-1\r\n");
}

#[tokio::test]
async fn what_is_held_arrives_when_the_link_is_mended() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![]).await;
    for host in [201, 204] {
        let mut caller = bench.call(host).await;
        let severed = bench.wire.sever("n1", if host == 201 { "c1" } else { "n1" }, Severed::Held);
        caller.send("SET a 1\r\nGET a\r\n").await;
        hears_nothing(&bench, &caller, severed).await;
        bench.wire.mend(severed).await;
        caller.hear("+OK\r\n$1\r\n1\r\n").await;
    }
}

#[tokio::test]
async fn what_is_held_of_a_node_is_lost_when_it_dies() {
    if !redis_is_here() {
        return;
    }
    let mut bench = Bench::new(vec![]).await;
    let mut caller = bench.call(201).await;
    let severed = bench.wire.sever("n1", "c1", Severed::Held);
    caller.send("SET a 1\r\n").await;
    hears_nothing(&bench, &caller, severed).await;
    bench.kill_node();
    bench.wire.shut("n1").await;
    assert_eq!(caller.rest().await, (vec![], true));
}

#[tokio::test]
async fn nobody_hears_of_a_death_behind_a_link_that_carries_nothing() {
    if !redis_is_here() {
        return;
    }
    let mut bench = Bench::new(vec![]).await;
    let mut caller = bench.call(201).await;
    assert_eq!(caller.ask("PING").await, "+PONG\r\n");
    let severed = bench.wire.sever("n1", "c1", Severed::Lost);
    bench.kill_node();
    let begun = Instant::now();
    bench.wire.shut("n1").await;
    assert!(begun.elapsed() < Duration::from_millis(900), "it is not waited for");
    hears_nothing(&bench, &caller, severed).await;
    bench.wire.mend(severed).await;
    assert_eq!(caller.rest().await, (vec![], true));
}

#[tokio::test]
async fn a_door_leads_to_a_node_while_that_is_there() {
    if !redis_is_here() {
        return;
    }
    let mut bench = Bench::new(vec![]).await;
    // At the caller's own address.
    bench.wire.lead(bench.at(201), "n1").await.expect("a free address");
    let mut caller = bench.reach(201, 201).await.expect("an open door");
    assert_eq!(caller.ask("SET a 1").await, "+OK\r\n");
    bench.kill_node();
    bench.wire.shut("n1").await;
    assert!(caller.rest().await.0.is_empty());
    assert!(bench.reach(201, 201).await.is_err(), "who is dead refuses");
    bench.start_node().await;
    bench.wire.open("n1").await.expect("the gate opens");
    assert_eq!(bench.reach(201, 201).await.expect("an open door").ask("PING").await, "+PONG\r\n");
    assert!(bench.wire.lead(bench.at(201), "n9").await.is_err());
}
