//! Ctrl-C: the run heals, keeps its history, reports, and ends with 130.

use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
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
releases = { at-ms = 50000 }
"#;

/// Waits until a file has so many lines.
fn wait_for_lines(file: &Path, lines: usize) {
    let give_up = Instant::now() + Duration::from_secs(30);
    while fs::read_to_string(file).map_or(0, |text| text.lines().count()) < lines {
        assert!(Instant::now() < give_up, "{} has not {lines} lines", file.display());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn an_interrupted_run_keeps_what_it_saw() {
    if fencepost::cli::machine::on_path("redis-server").is_none() {
        eprintln!("SKIPPED: an_interrupted_run_keeps_what_it_saw needs a redis-server");
        assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "nothing may be skipped");
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
