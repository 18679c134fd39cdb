//! Ctrl-C: the run heals, keeps its history, reports, and ends with 130.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A plan of which nothing ends by itself for a minute: c1 keeps its first grant until a step begins that is far away.
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

/// Waits until a file has so many lines.
fn wait_for_lines(file: &Path, lines: usize) {
    let give_up = Instant::now() + Duration::from_secs(30);
    while fs::read_to_string(file).map_or(0, |text| text.lines().count()) < lines {
        assert!(Instant::now() < give_up, "{} has not {lines} lines", file.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Whether there is no Redis here, and so a test is passed over.
fn no_redis(test: &str) -> bool {
    let missing = fencepost::cli::machine::on_path("redis-server").is_none();
    if missing {
        eprintln!("SKIPPED: {test} needs a redis-server");
        assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "nothing may be skipped");
    }
    missing
}

/// Waits until a file has a text in it.
fn wait_for(file: &Path, text: &str) {
    let give_up = Instant::now() + Duration::from_secs(30);
    while !fs::read_to_string(file).is_ok_and(|all| all.contains(text)) {
        assert!(Instant::now() < give_up, "{} has no {text}", file.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// A run of a plan in a folder of its own.
fn begin(home: &Path, plan: &str) -> (Child, PathBuf) {
    fs::write(home.join("plan.toml"), plan).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(["run", "plan.toml", "--world", "process", "--json"]).current_dir(home);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    (child, home.join("runs/latest/history.jsonl"))
}

/// How it ended, and the names of the assumptions that were broken and of what was found.
fn ended(child: Child) -> (Option<i32>, Vec<String>, Vec<String>) {
    let output = child.wait_with_output().expect("it ends");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    let names = |list: &str, key: &str| {
        let all = report[list].as_array().into_iter().flatten();
        all.map(|one| one[key].as_str().unwrap_or_default().to_owned()).collect()
    };
    (output.status.code(), names("assumptions", "name"), names("findings", "kind"))
}

/// Nobody gets this lock any more once c1 has crashed, and it takes a minute until that is certain.
const STUCK: &str = r#"
about = "Stuck for a minute."

[lock]
kind = "setnx"
ttl_ms = 60000

[workload]
patience_ms = 50
contention = false

[[client]]
name = "c2"
starts = { step = { name = "crash", moment = "begin" } }

[[step]]
name = "crash"
when = { completed = { client = "c1", op = "acquire" } }
fault = { crash = "c1" }
"#;

#[test]
fn a_run_can_be_interrupted_while_it_looks_what_is_left() {
    if no_redis("a_run_can_be_interrupted_while_it_looks_what_is_left") {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let (child, history) = begin(home.path(), STUCK);
    wait_for(&history, "\"quiet\"");
    wait_for(&history, "\"client\":\"probe\"");
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    let begun = Instant::now();
    let (exit, broken, _) = ended(child);
    assert_eq!((exit, broken), (Some(130), vec!["interrupted".to_owned()]));
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn a_node_that_dies_by_itself_is_a_sick_world() {
    if no_redis("a_node_that_dies_by_itself_is_a_sick_world") {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    let (child, history) =
        begin(home.path(), &LONG.replace("50000", "1500").replace("[[client]]", "[workload]\npatience_ms = 100\n[[client]]"));
    wait_for_lines(&history, 8);
    let node = nodes_of(Pid::from_child(&child)).into_iter().next().expect("it runs a node");
    kill_process(node, Signal::KILL).expect("it lives");
    let (exit, broken, found) = ended(child);
    assert_eq!((exit, found), (Some(3), vec![]));
    assert!(broken.contains(&"sick-world".to_owned()), "{broken:?}");
}

/// The Redis servers that a process has started.
fn nodes_of(parent: Pid) -> Vec<Pid> {
    let stat = |pid: i32| fs::read_to_string(format!("/proc/{pid}/stat")).ok();
    let pids = fs::read_dir("/proc").expect("it is mounted").filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
    let ours = pids.filter(|pid| {
        stat(*pid).is_some_and(|stat| {
            let parent = format!(" {} ", parent.as_raw_nonzero());
            stat.contains("(redis-server)") && stat.rsplit_once(") ").is_some_and(|(_, rest)| rest[1..].starts_with(&parent))
        })
    });
    ours.filter_map(Pid::from_raw).collect()
}

#[test]
fn a_start_that_hangs_can_be_interrupted() {
    let home = tempfile::tempdir().expect("a folder");
    let file = home.path().join("redis-server");
    fs::write(&file, "#!/bin/sh\necho > hanging\nexec sleep 60\n").expect("written");
    fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    let path = std::env::join_paths([home.path(), Path::new("/usr/bin"), Path::new("/bin")]).expect("a PATH");
    command.args(["reproduce", "gc-pause", "--world", "process", "--json"]).current_dir(&home).env("PATH", path);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    wait_for(&home.path().join("hanging"), "");
    let begun = Instant::now();
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}

#[test]
fn an_interrupted_run_keeps_what_it_saw() {
    if no_redis("an_interrupted_run_keeps_what_it_saw") {
        return;
    }
    let home = tempfile::tempdir().expect("a folder");
    fs::write(home.path().join("long.toml"), LONG).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(["run", "long.toml", "--world", "process", "--json"]).current_dir(&home);
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let history = home.path().join("runs/latest/history.jsonl");
    // The header, the phase, and some of what the two clients do.
    wait_for_lines(&history, 8);
    kill_process(Pid::from_child(&child), Signal::INT).expect("it lives");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert_eq!(report["as_expected"], false, "{report}");
    assert!(
        report["assumptions"].as_array().is_some_and(|broken| broken.iter().any(|one| one["name"] == "interrupted")),
        "{report}"
    );
    assert!(home.path().join("runs/latest/findings.json").exists());

    let check =
        Command::new(env!("CARGO_BIN_EXE_fencepost")).args(["check", "runs/latest/history.jsonl"]).current_dir(&home).output();
    assert_eq!(check.expect("it starts").status.code(), Some(3), "a history that was cut short proves nothing");
}
