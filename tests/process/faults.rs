//! Faults are injected, seen to work, and seen to be over.

use crate::stage::{LOCK, acquire, ask, granted, heal, inject, is_pending, pair, redis_is_here, shown, soon, tokens};
use fencepost::client::{Answer, Do};
use fencepost::world::World;
use nemesis::{Data, Fault, Stop};

#[tokio::test]
async fn a_paused_client_answers_when_it_was_resumed() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    let pause = Fault::Pause("c1".into());
    let evidence = inject(&world, &pause).await;
    assert!(evidence.starts_with("state T in /proc/"), "{evidence}");
    let mut late = Box::pin(acquire(&world, "c1"));
    assert!(is_pending(&mut late).await);
    // The other is not late, and c1 has done nothing.
    let token = granted(acquire(&world, "c2").await);
    assert!(is_pending(&mut late).await);
    assert_eq!(tokens(&world).await, Some(vec![token]));
    assert!(!heal(&world, &pause).await.contains("state T"));
    assert!(matches!(late.await, Answer::No(_)));
}

#[tokio::test]
async fn a_paused_node_keeps_its_callers_waiting() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    let pause = Fault::Pause("n1".into());
    inject(&world, &pause).await;
    assert_eq!(soon(world.look(LOCK)).await, None);
    let mut late = Box::pin(acquire(&world, "c1"));
    assert!(is_pending(&mut late).await);
    heal(&world, &pause).await;
    assert_eq!(vec![granted(late.await)], tokens(&world).await.expect("n1 answers again"));
}

#[tokio::test]
async fn a_crashed_client_is_gone_for_good() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    let crash = Fault::Crash("c1".into());
    inject(&world, &Fault::Pause("c1".into())).await;
    let mut never = Box::pin(acquire(&world, "c1"));
    assert!(is_pending(&mut never).await);
    let evidence = inject(&world, &crash).await;
    assert!(evidence.contains("signal: 9"), "{evidence}");
    assert_eq!(never.await, Answer::Gone);
    assert_eq!(acquire(&world, "c1").await, Answer::Gone);
    for fault in [crash.clone(), Fault::Pause("c1".into()), Fault::Clock { of: "c1".into(), jump_ms: 1 }] {
        assert_eq!(soon(world.inject(&fault)).await.unwrap_err().to_string(), "c1 is dead");
    }
    assert_eq!(soon(world.heal(&Fault::Pause("c1".into()))).await.unwrap_err().to_string(), "c1 is dead");
    assert!(soon(world.heal(&crash)).await.is_err());
    granted(acquire(&world, "c2").await);
}

#[tokio::test]
async fn a_killed_node_refuses_and_comes_back_with_what_its_disk_has() {
    if !redis_is_here() {
        return;
    }
    for (persistence, data, keys) in
        [("none", Data::Kept, 0), ("aof-always", Data::Kept, 1), ("aof-everysec", Data::Kept, 1), ("aof-always", Data::Lost, 0)]
    {
        let world = pair(&format!("topology = {{ persistence = \"{persistence}\" }}"), vec![]).await;
        granted(acquire(&world, "c1").await);
        let kill = Fault::Kill { node: "n1".into(), data };
        let evidence = inject(&world, &kill).await;
        assert!(evidence.contains("signal: 9") && evidence.contains("1 key"), "{evidence}");
        assert_eq!(soon(world.look(LOCK)).await, None);
        assert!(matches!(acquire(&world, "c2").await, Answer::No(_) | Answer::Unknown(_)));
        assert_eq!(soon(world.inject(&kill)).await.unwrap_err().to_string(), "n1 is dead");
        assert_eq!(heal(&world, &kill).await, format!("n1 answered PING again; 1 key before, {keys} after"));
        assert_eq!(tokens(&world).await.map(|tokens| tokens.len()), Some(keys), "{persistence}");
        assert_eq!(matches!(acquire(&world, "c2").await, Answer::Ok(_)), keys == 0);
        assert!(soon(world.heal(&kill)).await.is_err(), "it lives");
    }
}

#[tokio::test]
async fn a_restarted_node_is_back_at_once() {
    if !redis_is_here() {
        return;
    }
    let world = pair("topology = { persistence = \"aof-always\" }", vec![]).await;
    granted(acquire(&world, "c1").await);
    // Even one that is paused: then nobody knows what it had.
    for (data, paused, words) in
        [(Data::Kept, false, "1 key before, 1 after"), (Data::Lost, true, "an unknown number of keys before, 0 after")]
    {
        if paused {
            inject(&world, &Fault::Pause("n1".into())).await;
        }
        let restart = Fault::Restart { node: "n1".into(), data, stop: Stop::Kill };
        assert_eq!(inject(&world, &restart).await, format!("n1 answered PING again; {words}"));
        assert!(soon(world.heal(&restart)).await.is_err());
    }
    granted(acquire(&world, "c2").await);
}

#[tokio::test]
async fn a_clients_clock_jumps_and_comes_back() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    let jump = Fault::Clock { of: "c1".into(), jump_ms: -30_000 };
    let evidence = inject(&world, &jump).await;
    assert!(evidence.starts_with("the wall clock of c1 was "), "{evidence}");
    let (before, after) = shown(&evidence);
    assert!((-30.0..-20.0).contains(&(after - before)), "{evidence}");
    let evidence = heal(&world, &jump).await;
    let (before, after) = shown(&evidence);
    assert!((30.0..40.0).contains(&(after - before)), "{evidence}");

    inject(&world, &Fault::Pause("c1".into())).await;
    assert_eq!(soon(world.inject(&jump)).await.unwrap_err().to_string(), "c1 is paused and cannot be told");
}

#[tokio::test]
async fn a_fault_of_nobody_is_not_injected() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    for fault in [
        Fault::Pause("c9".into()),
        Fault::Crash("n1".into()),
        Fault::Kill { node: "c1".into(), data: Data::Kept },
        Fault::Restart { node: "store".into(), data: Data::Lost, stop: Stop::Kill },
    ] {
        assert!(soon(world.inject(&fault)).await.is_err(), "{fault}");
    }
    assert!(matches!(ask(&world, "c1", Do::Acquire { lock: LOCK.into(), ttl_ms: 1000 }).await, Answer::Ok(_)));
}
