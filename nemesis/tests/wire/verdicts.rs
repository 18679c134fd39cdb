//! What the rules say is done, to the message they mean and to no other.

use crate::bench::{Bench, every, hold, redis_is_here, until};
use nemesis::Moment;
use nemesis::wire::{Rule, Verdict};
use std::time::{Duration, Instant};

#[tokio::test]
async fn a_held_request_has_not_reached_the_node() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![hold("set", Moment::Request, 2)]).await;
    let mut caller = bench.call(201).await;
    assert_eq!(caller.ask("SET a 1").await, "+OK\r\n");
    // Others, and other commands, are not counted.
    assert_eq!(bench.call(202).await.ask("SET b 1").await, "+OK\r\n");
    caller.send("GET a\r\nSET a 2\r\nGET a\r\n").await;
    let sighting = bench.sighting().await;
    caller.hear("$1\r\n1\r\n").await;
    assert_eq!((sighting.pattern, bench.get("a").await), (0, "$1\r\n1\r\n".into()));
    assert!(caller.has_heard_nothing());
    bench.wire.let_pass(sighting);
    caller.hear("+OK\r\n$1\r\n2\r\n").await;
    assert_eq!(caller.ask("SET a 3").await, "+OK\r\n");
}

#[tokio::test]
async fn a_held_reply_has_been_executed_and_not_heard() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![hold("EVAL", Moment::Reply, 1)]).await;
    let mut caller = bench.call(201).await;
    caller.send("PING\r\nEVAL \"return {redis.call('SET', KEYS[1], 1), {7}}\" 1 a\r\nPING\r\n").await;
    let sighting = bench.sighting().await;
    caller.hear("+PONG\r\n").await;
    assert_eq!(bench.get("a").await, "$1\r\n1\r\n");
    assert!(caller.has_heard_nothing());
    bench.wire.let_pass(sighting);
    caller.hear("*2\r\n+OK\r\n*1\r\n:7\r\n+PONG\r\n").await;
}

#[tokio::test]
async fn a_blocked_reply_is_held_when_it_comes() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![hold("BLPOP", Moment::Reply, 1)]).await;
    let mut caller = bench.call(201).await;
    caller.send("BLPOP l 0\r\n").await;
    let mut direct = bench.direct().await;
    until(async || direct.ask("CLIENT LIST").await.contains("cmd=blpop")).await;
    assert_eq!(direct.ask("RPUSH l x").await, ":1\r\n");
    let sighting = bench.sighting().await;
    assert!(caller.has_heard_nothing());
    bench.wire.let_pass(sighting);
    caller.hear("*2\r\n$1\r\nl\r\n$1\r\nx\r\n").await;
}

#[tokio::test]
async fn two_rules_hold_a_message_until_both_let_it_pass() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![hold("SET", Moment::Request, 1), hold("SET", Moment::Request, 1)]).await;
    let mut caller = bench.call(201).await;
    caller.send("SET a 1\r\n").await;
    let (first, second) = (bench.sighting().await, bench.sighting().await);
    assert_eq!((first.pattern, second.pattern), (0, 1));
    bench.wire.let_pass(second.clone());
    bench.wire.let_pass(second);
    assert_eq!(bench.get("a").await, "$-1\r\n");
    bench.wire.let_pass(first);
    caller.hear("+OK\r\n").await;
}

#[tokio::test]
async fn a_stranger_is_a_caller_too() {
    if !redis_is_here() {
        return;
    }
    let stranger = Rule { from: Some(nemesis::wire::STRANGER.into()), ..hold("SET", Moment::Request, 1) };
    let bench = Bench::new(vec![stranger]).await;
    assert_eq!(bench.call(201).await.ask("SET a 1").await, "+OK\r\n");
    let mut caller = bench.call(203).await;
    caller.send("SET a 2\r\n").await;
    bench.wire.let_pass(bench.sighting().await);
    caller.hear("+OK\r\n").await;
}

#[tokio::test]
async fn a_delayed_reply_comes_late_and_so_does_what_is_behind_it() {
    if !redis_is_here() {
        return;
    }
    let late = Duration::from_millis(60);
    let bench = Bench::new(vec![every("SET", Moment::Reply, Verdict::Delay(late))]).await;
    let mut caller = bench.call(201).await;
    let asked = Instant::now();
    caller.send("PING\r\nSET a 1\r\nPING\r\n").await;
    caller.hear("+PONG\r\n").await;
    caller.hear("+OK\r\n+PONG\r\n").await;
    assert!(asked.elapsed() >= late);
}

#[tokio::test]
async fn a_dropped_reply_was_executed_and_its_connection_stays_silent() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![Rule { verdict: Verdict::Drop, ..hold("SET", Moment::Reply, 1) }]).await;
    let mut caller = bench.call(201).await;
    caller.send("PING\r\nSET a 1\r\nSET b 1\r\n").await;
    caller.hear("+PONG\r\n").await;
    until(async || bench.get("b").await == "$1\r\n1\r\n").await;
    assert_eq!(bench.get("a").await, "$1\r\n1\r\n");
    assert!(caller.has_heard_nothing());
    drop(caller);
    bench.until_gone(201).await;
    assert_eq!(bench.call(201).await.ask("SET a 2").await, "+OK\r\n");
}

#[tokio::test]
async fn a_dropped_request_was_never_executed() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![Rule { verdict: Verdict::Drop, ..hold("SET", Moment::Request, 1) }]).await;
    let mut caller = bench.call(201).await;
    caller.send("PING\r\nSET a 1\r\nSET b 1\r\n").await;
    caller.hear("+PONG\r\n").await;
    drop(caller);
    bench.until_gone(201).await;
    assert_eq!((bench.get("a").await, bench.get("b").await), ("$-1\r\n".into(), "$-1\r\n".into()));
}

#[tokio::test]
async fn a_reset_is_seen_as_a_reset() {
    if !redis_is_here() {
        return;
    }
    for (moment, then) in [(Moment::Request, "$-1\r\n"), (Moment::Reply, "$1\r\n1\r\n")] {
        let bench = Bench::new(vec![Rule { verdict: Verdict::Reset, ..hold("SET", moment, 1) }]).await;
        let mut caller = bench.call(201).await;
        caller.send("SET a 1\r\n").await;
        assert_eq!(caller.rest().await, (vec![], true));
        assert_eq!(bench.get("a").await, then);
    }
}

#[tokio::test]
async fn a_detained_request_arrives_when_its_rule_is_lifted_though_its_caller_has_hung_up() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![]).await;
    let rule = bench.wire.rule(every("SET", Moment::Request, Verdict::Detain));
    let mut caller = bench.call(201).await;
    caller.send("PING\r\nSET a 1\r\n").await;
    caller.hear("+PONG\r\n").await;
    until(async || bench.wire.hits(rule) == 1).await;
    drop(caller);
    assert_eq!(bench.call(201).await.ask("GET a").await, "$-1\r\n");
    bench.wire.lift(rule).await;
    until(async || bench.get("a").await == "$1\r\n1\r\n").await;
    assert_eq!(bench.call(201).await.ask("SET a 2").await, "+OK\r\n", "a lifted rule detains nothing more");
    assert_eq!(bench.wire.hits(rule), 1);
}

#[tokio::test]
async fn a_message_that_is_waited_for_is_reported_whatever_becomes_of_it_then() {
    if !redis_is_here() {
        return;
    }
    let bench = Bench::new(vec![hold("SET", Moment::Reply, 1)]).await;
    let rule = bench.wire.rule(every("SET", Moment::Reply, Verdict::Detain));
    let mut caller = bench.call(201).await;
    caller.send("SET a 1\r\n").await;
    let sighting = bench.sighting().await;
    assert_eq!((sighting.pattern, bench.wire.hits(rule)), (0, 0));
    bench.wire.let_pass(sighting);
    until(async || bench.wire.hits(rule) == 1).await;
    assert!(caller.has_heard_nothing());
    bench.wire.lift(rule).await;
    caller.hear("+OK\r\n").await;
}
