//! A scenario of every family, run in containers as anywhere else, and held against what its plan expects.

use super::stage::{engine, fencepost, on_a_thread, ours, outcome};
use serde_json::Value;
use std::time::Instant;

fn as_expected(scenario: &str) -> Value {
    let home = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    let args = ["reproduce", scenario, "--world", "docker", "--json"];
    let (exit, stdout, stderr) = outcome(&mut fencepost(home.path(), &args));
    eprintln!("{scenario}: {:.1} s", begun.elapsed().as_secs_f64());
    assert_eq!(exit, 0, "{scenario}: {stdout}\n{stderr}");
    let object: Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!((&object["world"], &object["as_expected"]), (&"docker".into(), &true.into()), "{scenario}: {stdout}");
    object
}

fn kinds(object: &Value) -> Vec<&str> {
    object["findings"].as_array().expect("findings").iter().filter_map(|finding| finding["kind"].as_str()).collect()
}

macro_rules! families {
    ($($(#[$only:meta])? $test:ident: $($scenario:literal)+;)+) => {$(
        $(#[$only])?
        #[test]
        fn $test() {
            let Some((_turn, engine)) = engine(stringify!($test)) else { return };
            let found = [$(as_expected($scenario)),+];
            let left = on_a_thread(ours(engine.docker()));
            assert_eq!(super::stage::of(std::process::id(), &left), [""; 0]);
            assert!(found.iter().all(|object| object["versions"]["docker"].is_string()), "{found:?}");
        }
    )+};
}

families! {
    pauses: "gc-pause" "gc-pause-in-flight";
    failovers: "failover-before-replication" "zombie-master" "graceful-failover";
    sentinels: "sentinel-failover";
    quorums: "redlock-healthy" "redlock-restart-without-delay" "redlock-clock-jump" "redlock-slow-node-timeout";
    clocks: "clock-jump" "clock-drift" "getset-clock-skew";
    power: "power-loss-everysec" "power-loss-always";
    restarts: "restart-without-data" "restart-with-aof";
    pressure: "eviction" "script-flush-evalsha-only" "blocked-event-loop";
    the_wire: "reply-lost-acquire" "connections-reset" "zombie-set";
    watchdogs: "watchdog-partition" "watchdog-pause-fenced";
    sqlite: "gc-pause-sqlite-fenced";
    crashes: "crash-holding";
    clusters: "cluster-failover" "cluster-resend" "redlock-over-cluster";
    #[cfg(feature = "toxiproxy")]
    toxics: "slow-link" "slow-replication" "watchdog-link-down";
}

#[test]
fn the_findings_are_those_of_any_world() {
    let Some((_turn, _engine)) = engine("the findings are those of any world") else { return };
    assert_eq!(kinds(&as_expected("lost-update")), ["stale-holder", "stale-write", "lost-update"]);
}
