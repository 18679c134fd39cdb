//! The wall clock of a node is bent, its keys' times to live with it, and nothing else.

use crate::stage::{acquire, ask, granted, heal, inject, pair, redis_is_here, shown, soon, tokens};
use fencepost::client::{Answer, Do};
use fencepost::world::{RealWorld, World};
use nemesis::{Data, Fault};

fn jump(seconds: i64) -> Fault {
    Fault::Clock { of: "n1".into(), jump_ms: seconds * 1000 }
}

async fn acquire_for(world: &RealWorld, ttl_ms: u64) -> Answer {
    ask(world, "c1", Do::Acquire { lock: crate::stage::LOCK.into(), ttl_ms }).await
}

/// How long the key of the lock has left, in milliseconds.
async fn ttl_ms(world: &RealWorld) -> Option<u64> {
    soon(world.look(crate::stage::LOCK)).await.expect("n1 can be asked").keys.first().and_then(|key| key.ttl_ms)
}

#[tokio::test]
async fn a_jump_ahead_takes_a_key_at_once() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    granted(acquire_for(&world, 10_000).await);
    let evidence = inject(&world, &jump(30)).await;
    let (before, after) = shown(&evidence);
    assert!(evidence.starts_with("TIME on n1 was ") && (30.0..35.0).contains(&(after - before)), "{evidence}");
    assert_eq!(tokens(&world).await, Some(vec![]));
    granted(acquire(&world, "c2").await);
    let (before, after) = shown(&heal(&world, &jump(30)).await);
    assert!((-30.0..-25.0).contains(&(after - before)));
}

#[tokio::test]
async fn a_clock_set_back_keeps_a_key_alive() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    granted(acquire_for(&world, 2_000).await);
    inject(&world, &jump(-30)).await;
    assert!(ttl_ms(&world).await.is_some_and(|ttl| (25_000..=32_000).contains(&ttl)));
    assert!(matches!(acquire(&world, "c2").await, Answer::No(_)));
    // Jumps add up.
    inject(&world, &jump(-100)).await;
    assert!(ttl_ms(&world).await.is_some_and(|ttl| ttl > 120_000));
    heal(&world, &jump(-100)).await;
    heal(&world, &jump(-30)).await;
    assert!(ttl_ms(&world).await.is_none_or(|ttl| ttl <= 2_000));
}

#[tokio::test]
async fn a_drift_is_measured_and_its_end_is_true_time() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    granted(acquire_for(&world, 600_000).await);
    for rate in [2.0, 0.5, 0.9, 500.0] {
        let drift = Fault::Drift { of: "n1".into(), rate };
        inject(&world, &drift).await;
        let again = soon(world.inject(&drift)).await.unwrap_err();
        assert!(again.to_string().contains("already goes"), "{again}");
        let first = timed_ttl(&world).await;
        world.sleep_until(world.now() + 100_000_000).await;
        let second = timed_ttl(&world).await;
        let gone = (first.ttl - second.ttl) as f64;
        let (least, most) = (second.from - first.until, second.until - first.from);
        assert!(gone >= least * rate - 2.0 && gone <= most * rate + 2.0, "at {rate}: {gone} ms in {least} to {most} ms");
        heal(&world, &drift).await;
    }
    let left = timed_ttl(&world).await.ttl;
    assert!((560_000..600_000).contains(&left), "{left}");
}

/// A time to live in milliseconds, read at some moment between two, in milliseconds too.
struct Timed {
    from: f64,
    ttl: u64,
    until: f64,
}

async fn timed_ttl(world: &RealWorld) -> Timed {
    let now = || world.now() as f64 / 1e6;
    let from = now();
    let ttl = ttl_ms(world).await.expect("a key with a time to live");
    Timed { from, ttl, until: now() }
}

#[tokio::test]
async fn a_clock_stays_bent_over_a_restart_and_is_bent_back_while_its_node_is_dead() {
    if !redis_is_here() {
        return;
    }
    let world = pair("topology = { persistence = \"aof-always\" }", vec![]).await;
    granted(acquire_for(&world, 10_000).await);
    inject(&world, &jump(-30)).await;
    let kill = Fault::Kill { node: "n1".into(), data: Data::Kept };
    inject(&world, &kill).await;
    assert_eq!(soon(world.inject(&jump(1))).await.unwrap_err().to_string(), "n1 is dead");
    heal(&world, &kill).await;
    assert!(ttl_ms(&world).await.is_some_and(|ttl| ttl > 20_000), "the machine's clock is what it was");
    inject(&world, &kill).await;
    let evidence = heal(&world, &jump(-30)).await;
    assert!(evidence.starts_with("n1 is dead"), "{evidence}");
    heal(&world, &kill).await;
    assert!(ttl_ms(&world).await.is_none_or(|ttl| ttl <= 10_000));
}

#[tokio::test]
async fn a_node_that_stands_still_cannot_be_asked_what_time_it_is() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    inject(&world, &Fault::Pause("n1".into())).await;
    let why = soon(world.inject(&jump(30))).await.unwrap_err();
    assert!(why.to_string().starts_with("n1 is paused"), "{why}");
    heal(&world, &Fault::Pause("n1".into())).await;
    granted(acquire_for(&world, 10_000).await);
    assert!(ttl_ms(&world).await.is_some_and(|ttl| ttl <= 10_000), "nothing was done to its clock");
}
