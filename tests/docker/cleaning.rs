//! Nothing of a run outlives it: not its end, not its interruption, and not its runner's death for longer than until the next start.

use super::stage::{engine, fencepost, of, on_a_thread, ours, outcome};
use bollard::Docker;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// A plan of which nothing ends by itself for a minute.
const LONG: &str = r#"
about = "Held for a minute."
time_limit_ms = 60000

[lock]
kind = "set-nx-px"
ttl_ms = 60000

[[client]]
name = "c1"
releases = { at_ms = 50000 }
"#;

/// A runner in the middle of that plan: its node and its three clients are up.
fn midway(home: &Path, docker: &Docker) -> Child {
    std::fs::write(home.join("long.toml"), LONG).expect("a file");
    let mut command = fencepost(home, &["run", "long.toml", "--world", "docker", "--json"]);
    let runner = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let history = home.join("runs/latest/history.jsonl");
    let begun = Instant::now();
    while std::fs::read_to_string(&history).map_or(0, |text| text.lines().count()) < 5 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the run does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    let all = on_a_thread(ours(docker));
    assert_eq!(of(runner.id(), &all).len(), 5, "a node, a probe, two clients and a network: {all:?}");
    runner
}

fn killed(home: &Path, docker: &Docker) -> u32 {
    let mut runner = midway(home, docker);
    let pid = runner.id();
    runner.kill().and_then(|()| runner.wait()).expect("a child can be killed");
    let all = on_a_thread(ours(docker));
    assert!(!of(pid, &all).is_empty(), "nobody was left to remove the network");
    pid
}

#[test]
fn what_a_killed_runner_left_is_gone_after_the_next_start() {
    let Some((_turn, engine)) = engine("cleaning at the next start") else { return };
    let home = tempfile::tempdir().expect("a folder");
    let pid = killed(home.path(), engine.docker());
    let (exit, stdout, stderr) = outcome(&mut fencepost(home.path(), &["reproduce", "reply-lost-acquire", "--world", "docker"]));
    assert_eq!(exit, 0, "{stdout}{stderr}");
    let all = on_a_thread(ours(engine.docker()));
    assert_eq!(of(pid, &all), [""; 0]);
    let folders = std::fs::read_dir(std::env::temp_dir()).expect("a folder").flatten();
    let left: Vec<String> = folders.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let left: Vec<String> = left.into_iter().filter(|name| name.starts_with(&format!("fencepost-docker-{pid}-"))).collect();
    assert_eq!(left, [""; 0]);
}

#[test]
fn what_a_killed_runner_left_is_removed_by_clean_which_says_what() {
    let Some((_turn, engine)) = engine("clean") else { return };
    let home = tempfile::tempdir().expect("a folder");
    let pid = killed(home.path(), engine.docker());
    let living = tempfile::tempdir().expect("a folder");
    let (exit, stdout, stderr) = outcome(&mut fencepost(living.path(), &["clean", "--json"]));
    assert_eq!(exit, 0, "{stderr}");
    let swept: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    let named = |what: &str| swept[what].as_array().expect("a list").len();
    assert!(named("containers") >= 4 && named("networks") >= 1 && named("folders") >= 1, "{stdout}");
    let all = on_a_thread(ours(engine.docker()));
    assert_eq!(of(pid, &all), [""; 0]);
    let (exit, stdout, _) = outcome(&mut fencepost(living.path(), &["clean"]));
    assert_eq!((exit, stdout.contains(&format!("fencepost-{pid}-"))), (0, false), "{stdout}");
}

#[test]
fn whoever_lives_is_left_alone_and_leaves_nothing_when_interrupted() {
    let Some((_turn, engine)) = engine("cleaning up after Ctrl-C") else { return };
    let home = tempfile::tempdir().expect("a folder");
    let mut runner = midway(home.path(), engine.docker());
    let (_, stdout, _) = outcome(&mut fencepost(home.path(), &["clean"]));
    assert!(stdout.contains(&format!("its runner, process {}, may be alive", runner.id())), "{stdout}");
    assert_eq!(of(runner.id(), &on_a_thread(ours(engine.docker()))).len(), 5);
    let pid = rustix::process::Pid::from_child(&runner);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it lives");
    assert_eq!(runner.wait().expect("it ends").code(), Some(130));
    assert_eq!(of(runner.id(), &on_a_thread(ours(engine.docker()))), [""; 0]);
}

/// A client ends with its runner, since its input does; only servers stay until they are swept.
#[test]
fn clients_die_with_their_runner() {
    let Some((_turn, engine)) = engine("clients of a dead runner") else { return };
    let home = tempfile::tempdir().expect("a folder");
    let pid = killed(home.path(), engine.docker());
    let running = |name: &str| {
        let all = on_a_thread(ours(engine.docker()));
        let name = of(pid, &all).into_iter().find(|known| known.ends_with(name)).expect("it is there").clone();
        let seen = on_a_thread(engine.docker().inspect_container(&name, None)).expect("it is there");
        seen.state.and_then(|state| state.running) == Some(true)
    };
    let begun = Instant::now();
    while running("-c2") {
        assert!(begun.elapsed() < Duration::from_secs(10), "c2 lives on");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(running("-n1"));
    outcome(&mut fencepost(home.path(), &["clean"]));
}
