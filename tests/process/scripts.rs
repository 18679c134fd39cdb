//! Clients that anybody may have written.

use crate::stage::{acquire, granted, heal, inject, is_pending, redis_is_here, scripted, soon, tokens};
use fencepost::client::{Answer, Told, Unasked};
use fencepost::world::{Announced, World, WorldError};
use nemesis::Fault;

#[tokio::test]
async fn garbage_is_an_unknown_outcome_with_its_reason() {
    if !redis_is_here() {
        return;
    }
    let script = r#"echo "a banner"; echo '{"ready":"c1"}'; while read -r line; do echo "oops $line"; done"#;
    let (world, started) = scripted(script).await;
    assert_eq!(started, Ok(()));
    for _ in 0..3 {
        let Answer::Unknown(Told { why: Some(why), .. }) = acquire(&world, "c1").await else { panic!("garbage is no answer") };
        assert!(why.contains("oops {"), "{why}");
    }
}

/// What `date` says in every process of the client.
const DATE: &str = r#"echo '{"ready":"c1"}'
    while read -r line; do id=${line#*:}; id=${id%%,*}
        case $line in
            *clock*) echo "{\"id\":$id,\"ok\":false,\"why\":\"what clock?\"}" ;;
            *) echo "{\"id\":$id,\"ok\":true,\"token\":\"$(date +%s)\"}" ;;
        esac
    done"#;

#[tokio::test]
async fn the_clock_of_a_client_that_does_not_know_it_is_bent_too() {
    if !redis_is_here() {
        return;
    }
    let (world, started) = scripted(DATE).await;
    assert_eq!(started, Ok(()));
    let date = async || granted(acquire(&world, "c1").await).parse::<i64>().expect("seconds");
    let before = date().await;
    let jump = Fault::Clock { of: "c1".into(), jump_ms: 1_000_000_000 };
    let evidence = inject(&world, &jump).await;
    assert!(evidence.contains("could not say what its clock shows") && evidence.contains("what clock?"), "{evidence}");
    assert!((1_000_000..1_000_100).contains(&(date().await - before)));
    heal(&world, &jump).await;
    assert!((0..100).contains(&(date().await - before)));
    let drift = Fault::Drift { of: "c1".into(), rate: 1000.0 };
    inject(&world, &drift).await;
    while date().await < before + 100 {}
    heal(&world, &drift).await;
    assert!((0..100).contains(&(date().await - before)));
}

#[tokio::test]
async fn a_client_that_ends_is_gone() {
    if !redis_is_here() {
        return;
    }
    for end in ["read -r line", "read -r line; printf '{\"id\":'", "exec <&-; read -r line", "kill -9 $$"] {
        let (world, started) = scripted(&format!("echo '{{\"ready\":\"c1\"}}'; {end}")).await;
        assert_eq!(started, Ok(()), "{end}");
        let until_gone = async {
            loop {
                match acquire(&world, "c1").await {
                    Answer::Gone => break,
                    Answer::Unknown(_) => tokio::task::yield_now().await,
                    other => panic!("{end}: {other:?}"),
                }
            }
        };
        soon(until_gone).await;
    }
}

#[tokio::test]
async fn a_client_that_cannot_start_says_why() {
    if !redis_is_here() {
        return;
    }
    let (_world, impossible) = scripted(r#"echo '{"impossible":"the server has no DELEX"}'; exit 69"#).await;
    assert_eq!(impossible, Err(WorldError::Impossible("the server has no DELEX".into())));
    let (_world, ended) = scripted("echo broken >&2; exit 3").await;
    let Err(WorldError::Sick(why)) = ended else { panic!("{ended:?}") };
    let (said, log) = why.split_once("; its log is ").expect("where its log is");
    assert_eq!(said, "c1 ended before it was ready");
    assert_eq!(std::fs::read_to_string(log).expect("a log"), "broken\n");
}

#[tokio::test]
async fn a_client_is_paused_and_killed_with_everything_it_started() {
    if !redis_is_here() {
        return;
    }
    // What answers is not the process that was started, but a child of it.
    let script = r#"exec 3<&0
        (echo '{"ready":"c1"}'
         while read -r line; do id=${line#*:}; echo "{\"id\":${id%%,*},\"ok\":false}"; done) <&3 &
        wait"#;
    let (world, started) = scripted(script).await;
    assert_eq!(started, Ok(()));
    assert_eq!(acquire(&world, "c1").await, Answer::No(Told::default()));
    let pause = Fault::Pause("c1".into());
    inject(&world, &pause).await;
    let mut late = Box::pin(acquire(&world, "c1"));
    assert!(is_pending(&mut late).await);
    world.sleep_until(world.now() + 20_000_000).await;
    assert!(is_pending(&mut late).await, "nobody is left who could answer");
    heal(&world, &pause).await;
    assert_eq!(late.await, Answer::No(Told::default()));
    inject(&world, &Fault::Crash("c1".into())).await;
    assert_eq!(acquire(&world, "c1").await, Answer::Gone);
}

#[tokio::test]
async fn a_key_of_another_type_is_passed_over() {
    if !redis_is_here() {
        return;
    }
    let script = r#"while [ "$1" != --node ]; do shift; done
        redis-cli -h "${2%:*}" -p "${2#*:}" RPUSH order:42 x >&2 && echo '{"ready":"c1"}' && read -r line"#;
    let (world, started) = scripted(script).await;
    assert_eq!(started, Ok(()));
    assert_eq!(tokens(&world).await, Some(vec![]));
    let kill = inject(&world, &Fault::Kill { node: "n1".into(), data: nemesis::Data::Lost }).await;
    assert!(kill.contains("with 1 key,"), "{kill}");
}

#[tokio::test]
async fn what_a_client_says_unasked_is_announced_in_its_order() {
    if !redis_is_here() {
        return;
    }
    let script = r#"echo '{"lost":"too early"}'; echo '{"ready":"c1"}'; echo '{"extending":1,"lock":"order:42","ttl_ms":500}'
        echo '{"extended":1,"ok":true,"valid_until":7}'; echo '{"extended":1}'; echo '{"lost":"order:42"}'; cat >/dev/null"#;
    let (world, started) = scripted(script).await;
    assert_eq!(started, Ok(()));
    let renewed = Answer::Ok(Told { valid_until: Some(7), ..Told::default() });
    let said = [
        Unasked::Extending { number: 1, lock: "order:42".into(), ttl_ms: 500 },
        Unasked::Extended { number: 1, answer: renewed },
        Unasked::Lost("order:42".into()),
    ];
    for what in said {
        assert_eq!(soon(world.announced()).await, Announced { client: "c1".into(), what });
    }
}
