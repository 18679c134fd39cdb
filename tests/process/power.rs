//! A loss of power takes what was not synced, and nothing else.

use crate::stage::{acquire, granted, heal, inject, pair, redis_is_here, soon, tokens};
use fencepost::world::{RealWorld, World};
use nemesis::{Data, Fault, Stop};

/// More than luck would give.
const TIMES: usize = 5;

fn power() -> Fault {
    Fault::Power { node: "n1".into() }
}

async fn world(persistence: &str) -> RealWorld {
    pair(&format!("topology = {{ persistence = \"{persistence}\" }}"), vec![]).await
}

/// The bytes that were written, and those of them that were cut off, by the evidence.
fn cut(evidence: &str) -> (u64, u64) {
    let after = |words: &str| evidence.split_once(words)?.1.split(' ').next()?.parse().ok();
    match (after("; of "), after("had written ")) {
        (Some(written), Some(lost)) => (written, lost),
        _ => panic!("{evidence}"),
    }
}

#[tokio::test]
async fn everysec_loses_what_was_set_after_the_last_sync() {
    if !redis_is_here() {
        return;
    }
    let world = world("aof-everysec").await;
    for _ in 0..TIMES {
        soon(world.synced("n1")).await.expect("it can be seen");
        granted(acquire(&world, "c1").await);
        let evidence = inject(&world, &power()).await;
        let (written, lost) = cut(&evidence);
        // SET order:42 and its token, for 60 s; and before it the database was chosen.
        assert!((60..200).contains(&lost) && lost < written, "{evidence}");
        assert!(evidence.contains("signal: 9") && evidence.contains("with 1 key"), "{evidence}");
        assert_eq!(soon(world.look(crate::stage::LOCK)).await, None);
        assert_eq!(heal(&world, &power()).await, "n1 answered PING again; 1 key before, 0 after");
        assert_eq!(tokens(&world).await, Some(vec![]));
    }
}

#[tokio::test]
async fn everysec_keeps_what_was_set_before_the_last_sync() {
    if !redis_is_here() {
        return;
    }
    let world = world("aof-everysec").await;
    let token = granted(acquire(&world, "c1").await);
    soon(world.synced("n1")).await.expect("it can be seen");
    assert_eq!(cut(&inject(&world, &power()).await).1, 0);
    heal(&world, &power()).await;
    assert_eq!(tokens(&world).await, Some(vec![token]));
}

#[tokio::test]
async fn always_loses_nothing() {
    if !redis_is_here() {
        return;
    }
    let world = world("aof-always").await;
    for _ in 0..TIMES {
        let token = granted(acquire(&world, "c1").await);
        let (written, lost) = cut(&inject(&world, &power()).await);
        assert!(written > 100 && lost == 0);
        heal(&world, &power()).await;
        assert_eq!(tokens(&world).await, Some(vec![token]));
        // New files, which may have the inodes of the old ones.
        inject(&world, &Fault::Restart { node: "n1".into(), data: Data::Lost, stop: Stop::Kill }).await;
    }
}

#[tokio::test]
async fn a_dead_node_has_no_power_to_lose() {
    if !redis_is_here() {
        return;
    }
    let world = world("aof-always").await;
    inject(&world, &power()).await;
    assert_eq!(soon(world.inject(&power())).await.unwrap_err().to_string(), "n1 is dead");
    assert!(soon(world.inject(&Fault::Power { node: "c1".into() })).await.is_err());
    heal(&world, &power()).await;
    assert!(soon(world.heal(&power())).await.is_err(), "it lives");
}
