//! Pressure on a node, seen to work on real Redis: and not to, where there is nothing to press.

use crate::stage::{LOCK, acquire, ask, granted, heal, inject, is_pending, pair, redis_is_here, soon, tokens};
use fencepost::client::{Answer, Do};
use fencepost::world::World;
use nemesis::Fault;

/// The lock that a plan's eviction is about.
const FIRST: &str = "order:1";

async fn acquire_first(world: &fencepost::world::RealWorld, client: &str) -> Answer {
    ask(world, client, Do::Acquire { lock: FIRST.into(), ttl_ms: 60_000 }).await
}

#[tokio::test]
async fn the_key_of_a_lock_is_evicted_and_the_node_has_memory_again() {
    if !redis_is_here() {
        return;
    }
    for lock in ["set-nx-px", "reentrant-watchdog"] {
        let mut plan = crate::stage::plan("");
        plan.lock.kind = serde_json::from_value(lock.into()).expect("a lock");
        let world = crate::stage::world(crate::stage::setup(plan)).await;
        soon(world.start_client("c1")).await.expect("a client");
        soon(world.start_client("c2")).await.expect("a client");
        let evict = Fault::Evict { node: "n1".into() };
        let nothing = soon(world.inject(&evict)).await.unwrap_err().to_string();
        assert_eq!(nothing, "n1 has no key of a lock that could be evicted");
        granted(acquire_first(&world, "c1").await);
        assert!(matches!(acquire_first(&world, "c2").await, Answer::No(_)));
        let evidence = inject(&world, &evict).await;
        assert!(evidence.starts_with("n1 evicted ") && evidence.ends_with("order:1 among them"), "{evidence}");
        assert!(soon(world.look(FIRST)).await.expect("it can be asked").keys.is_empty());
        // It takes writes again, and nothing is evicted any more.
        let second = granted(acquire_first(&world, "c2").await);
        assert!(matches!(acquire_first(&world, "c1").await, Answer::No(_)), "{second}");
        assert!(soon(world.heal(&evict)).await.is_err());
    }
}

#[tokio::test]
async fn a_node_forgets_its_scripts_once() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    let flush = Fault::ScriptFlush { node: "n1".into() };
    let evidence = inject(&world, &flush).await;
    assert!(evidence.ends_with("scripts before and 0 after"), "{evidence}");
    let again = soon(world.inject(&flush)).await.unwrap_err().to_string();
    assert_eq!(again, "n1 had no scripts that it could forget");
    // The release sends its script anew.
    let token = granted(acquire(&world, "c1").await);
    assert!(matches!(ask(&world, "c1", Do::Release { lock: LOCK.into(), token }).await, Answer::Ok(_)));
    inject(&world, &flush).await;
}

#[tokio::test]
async fn a_blocked_node_answers_nobody_until_it_wakes_and_time_goes_on() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    let short = ask(&world, "c1", Do::Acquire { lock: LOCK.into(), ttl_ms: 200 }).await;
    granted(short);
    let block = Fault::Block { node: "n1".into(), for_ms: 600 };
    let evidence = inject(&world, &block).await;
    assert!(evidence.contains("did not answer PING"), "{evidence}");
    assert_eq!(tokens(&world).await, None, "nobody can look at it meanwhile");
    assert_eq!(soon(world.inject(&block)).await.unwrap_err().to_string(), "n1 is blocked already");
    let mut late = Box::pin(acquire(&world, "c2"));
    assert!(is_pending(&mut late).await);
    let evidence = heal(&world, &block).await;
    let ms: u64 = evidence.split(' ').find_map(|word| word.parse().ok()).expect("a time");
    assert!(ms >= 600, "{evidence}");
    // The lease of 200 ms ran out while the node slept.
    assert_eq!(vec![granted(late.await)], tokens(&world).await.expect("it answers again"));
    assert_eq!(soon(world.heal(&block)).await.unwrap_err().to_string(), "n1 was not blocked");
}

#[tokio::test]
async fn connections_are_reset_and_made_anew() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![crate::stage::first("SET", nemesis::Moment::Reply)]).await;
    // The reply to its SET is held, and lost with the connection.
    let mut cut_short = Box::pin(acquire(&world, "c1"));
    assert!(is_pending(&mut cut_short).await);
    let sighting = soon(async {
        tokio::select! {
            biased;
            sighting = world.sighting() => sighting,
            answer = &mut cut_short => panic!("{answer:?}"),
        }
    });
    let sighting = sighting.await;
    let evidence = inject(&world, &Fault::Reset("c1".into())).await;
    assert_eq!(evidence, "1 connections of c1 were reset and are closed");
    world.let_pass(sighting);
    assert!(matches!(soon(cut_short).await, Answer::Unknown(_)));
    assert!(matches!(acquire(&world, "c2").await, Answer::No(_)));
    let evidence = inject(&world, &Fault::Reset("n1".into())).await;
    assert!(evidence.contains("connections of n1 were reset"), "{evidence}");
    assert!(matches!(acquire(&world, "c2").await, Answer::No(_)), "it connects anew");
    assert_eq!(tokens(&world).await.expect("it can be asked").len(), 1);
    assert!(soon(world.inject(&Fault::Reset("nobody".into()))).await.is_err());
}
