//! A scenario of every family, run in containers as anywhere else, and held against what its plan expects.

use super::stage::{engine, fencepost, on_a_thread, ours, outcome};
use serde_json::Value;
use std::time::{Duration, Instant};

/// The longest that a scenario of one node may take, and one with Sentinel, on two processors that have nothing else to do. A machine that is busy with
/// others is given three times as much.
const SLOWEST: [(&str, Duration); 2] = [("gc-pause", Duration::from_secs(4)), ("sentinel-failover", Duration::from_secs(10))];

fn as_expected(scenario: &str) -> Value {
    let home = tempfile::tempdir().expect("a folder");
    let begun = Instant::now();
    let args = ["reproduce", scenario, "--world", "docker", "--json"];
    let (exit, stdout, stderr) = outcome(&mut fencepost(home.path(), &args));
    let took = begun.elapsed();
    eprintln!("{scenario}: {:.1} s", took.as_secs_f64());
    assert_eq!(exit, 0, "{scenario}: {stdout}\n{stderr}");
    if let Some((_, slowest)) = SLOWEST.iter().find(|(name, _)| *name == scenario) {
        assert!(took < *slowest * 3, "{scenario} took {took:?}");
    }
    let object: Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!((&object["world"], &object["as_expected"]), (&"docker".into(), &true.into()), "{scenario}: {stdout}");
    object
}

fn kinds(object: &Value) -> Vec<&str> {
    object["findings"].as_array().expect("findings").iter().filter_map(|finding| finding["kind"].as_str()).collect()
}

macro_rules! families {
    ($($test:ident: $($scenario:literal)+;)+) => {$(
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
}

#[test]
fn the_findings_are_those_of_any_world() {
    let Some((_turn, _engine)) = engine("the findings are those of any world") else { return };
    assert_eq!(kinds(&as_expected("lost-update")), ["stale-holder", "stale-write", "lost-update"]);
}
