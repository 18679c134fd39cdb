//! Clients act, and the runner sees what they did.

use crate::stage::{LOCK, acquire, ask, granted, pair, plan, read, redis_is_here, setup, soon, tokens, world, write};
use checker::history::{KeySeen, Value};
use fencepost::client::{Answer, Do, Told};
use fencepost::world::World;

#[tokio::test]
async fn a_lock_goes_from_one_client_to_the_other() {
    if !redis_is_here() {
        return;
    }
    let world = pair("", vec![]).await;
    assert_eq!(tokens(&world).await, Some(vec![]));
    let token = granted(acquire(&world, "c1").await);
    let seen = world.look(LOCK).await.expect("n1 can be asked");
    let [KeySeen { node, key, token: held, ttl_ms: Some(1..=60_000) }] = seen.keys.as_slice() else { panic!("{seen:?}") };
    assert_eq!((node.as_str(), key.as_str(), held), ("n1", LOCK, &token));
    assert!(matches!(acquire(&world, "c2").await, Answer::No(_)));
    assert!(matches!(ask(&world, "c1", Do::Release { lock: LOCK.into(), token }).await, Answer::Ok(_)));
    assert_eq!(tokens(&world).await, Some(vec![]));
    assert_eq!(vec![granted(acquire(&world, "c2").await)], tokens(&world).await.expect("n1 can be asked"));
    assert_eq!(acquire(&world, "c9").await, Answer::Gone);
}

#[tokio::test]
async fn clients_share_a_resource_that_is_past_the_wire() {
    if !redis_is_here() {
        return;
    }
    for kind in ["redis", "sqlite"] {
        let world = pair(&format!("resource = {{ kind = \"{kind}\" }}"), vec![]).await;
        assert!(matches!(write(&world, "c1", 7).await, Answer::Ok(_)), "{kind}");
        let Answer::Ok(Told { value: Some(value), .. }) = read(&world, "c2").await else { panic!("{kind} was not read") };
        assert_eq!(value, Value::Int(7), "{kind}");
    }
}

#[tokio::test]
async fn worlds_stand_side_by_side() {
    if !redis_is_here() {
        return;
    }
    let worlds = [pair("", vec![]).await, pair("", vec![]).await, pair("", vec![]).await];
    for world in &worlds {
        granted(acquire(world, "c1").await);
    }
    for world in &worlds {
        assert_eq!(tokens(world).await.map(|held| held.len()), Some(1));
    }
}

#[tokio::test]
async fn a_world_says_what_takes_part_and_what_time_it_is() {
    if !redis_is_here() {
        return;
    }
    let world = world(setup(plan(""))).await;
    let versions = world.versions();
    for name in ["redis-server", "redis-rs", "fencepost", "linux"] {
        assert!(versions.get(name).is_some_and(|version| version.contains('.')), "{name} in {versions:?}");
    }
    let then = world.now() + 3_000_000;
    soon(world.sleep_until(then)).await;
    assert!(world.now() >= then);
    soon(world.sleep_until(then)).await;
}

#[tokio::test]
async fn logs_stay_in_the_folder_of_the_run() {
    if !redis_is_here() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let logs = folder.path().join("logs");
    let world = world(fencepost::world::Setup { folder: Some(logs.clone()), ..setup(plan("")) }).await;
    world.start_client("c1").await.expect("a client");
    drop(world);
    let text = std::fs::read_to_string(logs.join("n1.log")).expect("n1's log");
    assert!(text.contains("Ready to accept connections"), "{text}");
    assert!(logs.join("c1.log").exists());
}
