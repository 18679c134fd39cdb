//! The commands from outside: exit codes, sentences, and what is left behind.

use std::fs;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The command, in a folder of its own and a world without surprises.
fn fencepost(home: &TempDir, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(args).current_dir(home).stdin(Stdio::null());
    command.env_remove("COLUMNS").env_remove("NO_COLOR").env_remove("LC_ALL").env("LANG", "C.UTF-8");
    command
}

fn home() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code().expect("it exits"), text(stdout), text(stderr))
}

/// What it says on standard error, having ended with that code and said nothing else.
fn refused(code: i32, command: &mut Command) -> String {
    let (exit, stdout, stderr) = run(command);
    assert_eq!((exit, stdout.as_str()), (code, ""), "{stderr}");
    stderr
}

const PLAN: &str = include_str!("../scenarios/gc-pause.toml");

#[test]
fn a_command_line_that_cannot_be_understood_is_usage() {
    let home = home();
    for args in [
        &["reproduce"][..],
        &["reprodcue", "gc-pause"],
        &["reproduce", "gc-puase"],
        &["reproduce", "gc-pause", "--world", "sin"],
        &["reproduce", "gc-pause", "--expect", "stale-wrote"],
        &["reproduce", "gc-pause", "--times", "0"],
        &["reproduce", "gc-pause", "--sead", "1"],
        &["list", "scenaries"],
        &["check"],
        &[],
    ] {
        let (exit, _, stderr) = run(&mut fencepost(&home, args));
        assert_eq!(exit, 64, "{args:?}: {stderr}");
        assert!(!stderr.is_empty());
    }
    assert_eq!(fs::read_dir(&home).expect("a folder").count(), 0, "nothing is left behind");
}

#[test]
fn a_misspelt_scenario_is_recognised() {
    insta::assert_snapshot!(refused(64, &mut fencepost(&home(), &["reproduce", "gc-puase"])));
}

#[test]
fn help_and_version_are_no_failures() {
    let home = home();
    for args in [&["--help"][..], &["--version"], &["reproduce", "--help"], &["help", "check"]] {
        let (exit, stdout, _) = run(&mut fencepost(&home, args));
        assert_eq!(exit, 0);
        assert!(stdout.contains("fencepost") || stdout.contains("Fencepost"), "{stdout}");
    }
}

#[test]
fn a_bad_plan_is_refused_with_its_place() {
    let home = home();
    fs::write(
        home.path().join("p.toml"),
        PLAN.replace("ttl_ms = 500", "tll_ms = 500").replace("pause = \"c1\"", "pause = \"c7\""),
    )
    .expect("written");
    insta::assert_snapshot!(refused(65, &mut fencepost(&home, &["run", "p.toml"])));
    fs::write(home.path().join("p.toml"), PLAN.replace("ttl_ms = 500", "ttl_ms = 0").replace("pause = \"c1\"", "pause = \"c7\""))
        .expect("written");
    insta::assert_snapshot!(refused(65, &mut fencepost(&home, &["run", "p.toml"])));
    assert!(!home.path().join("runs").exists(), "nothing was begun");
}

#[test]
fn a_plan_that_is_not_there_or_is_no_file_is_bad_input() {
    let home = home();
    insta::assert_snapshot!(refused(65, &mut fencepost(&home, &["run", "none.toml"])));
    insta::assert_snapshot!(refused(65, &mut fencepost(&home, &["run", "."])));
    fs::write(home.path().join("p.toml"), b"about = \"\xff\"").expect("written");
    assert!(refused(65, &mut fencepost(&home, &["run", "p.toml"])).contains("p.toml:1:10: this is not UTF-8 text"));
}

#[test]
fn a_machine_is_told_of_a_failure_too() {
    let (exit, stdout, _) = run(&mut fencepost(&home(), &["run", "none.toml", "--json"]));
    let object: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!((exit, &object["exit"], &object["replay"]), (65, &65.into(), &"fencepost run none.toml".into()));
}

#[test]
fn a_machine_is_told_that_its_command_line_is_not_understood() {
    for args in [
        &["reproduce", "gc-puase", "--json"][..],
        &["reproduce", "gc-pause", "--sead", "1", "--json"],
        &["list", "--json", "locsk"],
    ] {
        let (exit, stdout, _) = run(&mut fencepost(&home(), args));
        let object: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
        assert_eq!((exit, &object["exit"]), (64, &64.into()));
        assert!(object["error"].as_str().is_some_and(|error| !error.is_empty()), "{object}");
    }
}

#[test]
fn what_cannot_be_said_is_no_success() {
    for args in [&["reproduce", "gc-pause", "--world", "sim", "--json"][..], &["list"], &["doctor"], &["completions", "bash"]] {
        let full = fs::File::options().write(true).open("/dev/full").expect("every Linux has it");
        let output = fencepost(&home(), args).stdout(full).output().expect("it starts");
        assert_eq!(output.status.code(), Some(69), "{args:?}");
        assert!(String::from_utf8_lossy(&output.stderr).contains("standard output cannot be written"));
    }
}

#[test]
fn a_file_named_latest_is_not_replaced() {
    let home = home();
    fs::create_dir(home.path().join("runs")).expect("made");
    fs::write(home.path().join("runs/latest"), "mine").expect("written");
    let stderr = refused(69, &mut fencepost(&home, &["reproduce", "gc-pause", "--world", "sim"]));
    assert!(stderr.contains("runs/latest is in the way"), "{stderr}");
    assert_eq!(fs::read_to_string(home.path().join("runs/latest")).expect("still there"), "mine");
}

/// A folder with a program in it that goes by the name of redis-server.
fn pretender(script: &str) -> TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = home();
    let file = folder.path().join("redis-server");
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).expect("written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("ours");
    folder
}

#[test]
fn a_redis_server_that_does_not_work_is_not_ticked() {
    for (script, why) in
        [("echo v=7.0.0; exit 3", "`--version` ended with exit status: 3"), ("exec /bin/sleep 60", "did not end within")]
    {
        let folder = pretender(script);
        let begun = std::time::Instant::now();
        let (exit, stdout, _) = run(fencepost(&home(), &["doctor"]).env("PATH", folder.path()));
        let words = stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(exit == 0 && words.contains(why) && words.contains("✗ redis-server"), "{stdout}");
        assert!(begun.elapsed() < std::time::Duration::from_secs(20));
    }
}

#[test]
fn a_byte_order_mark_is_no_part_of_a_history() {
    let home = home();
    let (exit, ..) = run(&mut fencepost(&home, &["reproduce", "gc-pause", "--world", "sim"]));
    assert_eq!(exit, 0);
    let history = fs::read_to_string(home.path().join("runs/latest/history.jsonl")).expect("kept");
    fs::write(home.path().join("marked.jsonl"), format!("\u{feff}{history}")).expect("written");
    let (exit, ..) = run(&mut fencepost(&home, &["check", "marked.jsonl"]));
    assert_eq!(exit, 0);
}

#[test]
fn without_a_redis_server_the_process_world_says_what_to_do() {
    let home = home();
    let mut command = fencepost(&home, &["reproduce", "gc-pause", "--world", "process"]);
    insta::assert_snapshot!(refused(69, command.env("PATH", "")));
    assert!(!home.path().join("runs").exists(), "nothing was begun");
}

#[test]
fn a_folder_that_cannot_be_written_fails_before_the_run() {
    let home = home();
    fs::write(home.path().join("runs"), "in the way").expect("written");
    insta::assert_snapshot!(refused(69, &mut fencepost(&home, &["reproduce", "gc-pause", "--world", "sim"])));
    let stderr = refused(69, &mut fencepost(&home, &["reproduce", "gc-pause", "--world", "sim", "--runs-dir", "/proc/runs"]));
    assert!(stderr.contains("/proc/runs cannot be written, so the run was not begun"), "{stderr}");
}

#[test]
fn what_is_no_history_is_bad_input() {
    let home = home();
    insta::assert_snapshot!(refused(65, &mut fencepost(&home, &["check", "none.jsonl"])));
    fs::create_dir(home.path().join("run")).expect("made");
    fs::write(home.path().join("run/history.jsonl"), "").expect("written");
    insta::assert_snapshot!(refused(65, &mut fencepost(&home, &["check", "run"])));
}

#[test]
fn every_run_keeps_a_page_and_check_writes_one() {
    let home = home();
    let (exit, ..) = run(&mut fencepost(&home, &["reproduce", "gc-pause", "--world", "sim"]));
    assert_eq!(exit, 0);
    let page = fs::read_to_string(home.path().join("runs/latest/report.html")).expect("kept");
    assert!(
        page.contains("<title>VIOLATION: stale-holder, stale-write, lost-update (gc-pause, sim)</title>"),
        "{}",
        &page[..900]
    );
    let check = ["check", "runs/latest/history.jsonl", "--html", "page.html"];
    let (exit, plain, _) = run(&mut fencepost(&home, &check));
    let (_, without, _) = run(&mut fencepost(&home, &check[..2]));
    assert_eq!((exit, plain), (0, without), "the page changes nothing else");
    let written = fs::read_to_string(home.path().join("page.html")).expect("written");
    let data = |page: &str| page.split_once("id=\"history\">").map(|(_, rest)| rest.to_owned()).expect("data");
    assert_eq!(data(&written), data(&page));

    assert!(
        refused(69, &mut fencepost(&home, &["check", check[1], "--html", "none/page.html"]))
            .contains("none/page.html cannot be written")
    );
    assert!(
        refused(64, &mut fencepost(&home, &["check", check[1], check[1], "--html", "two.html"]))
            .contains("one history at a time")
    );
    assert!(!home.path().join("two.html").exists());
}

#[test]
fn lists_are_for_people_and_machines() {
    let home = home();
    let (exit, stdout, _) = run(&mut fencepost(&home, &["list", "--json"]));
    let object: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    assert_eq!(exit, 0);
    let named = |what: &str, name: &str| object[what].as_array().is_some_and(|rows| rows.iter().any(|row| row["name"] == name));
    assert!(named("scenarios", "gc-pause") && named("locks", "fenced") && named("faults", "pause"), "{stdout}");
    let (_, stdout, _) = run(&mut fencepost(&home, &["list", "faults"]));
    insta::assert_snapshot!(stdout);
}

#[test]
fn the_doctor_says_how_to_get_what_is_missing() {
    let home = home();
    let (exit, stdout, _) = run(fencepost(&home, &["doctor"]).env("PATH", ""));
    assert_eq!(exit, 0);
    assert!(stdout.contains("apt-get install redis-server"), "{stdout}");
    let (_, stdout, _) = run(fencepost(&home, &["doctor", "--json"]).env("PATH", ""));
    let object: serde_json::Value = serde_json::from_str(&stdout).expect("one JSON object");
    let ready: Vec<&serde_json::Value> =
        object["worlds"].as_array().expect("worlds").iter().map(|world| &world["ready"]).collect();
    assert_eq!(ready, [true, false, false]);
}

#[test]
fn every_shell_gets_its_completions() {
    let home = home();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let (exit, stdout, _) = run(&mut fencepost(&home, &["completions", shell]));
        assert!(exit == 0 && stdout.contains("reproduce"), "{shell}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_bug() {
    let home = home();
    let mut child = fencepost(&home, &["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn the_exit_codes_are_in_the_help() {
    let (_, help, _) = run(&mut fencepost(&home(), &["--help"]));
    let said: String = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for exit in fencepost::cli::Exit::ALL {
        assert!(said.contains(&format!("{} ", exit.code())), "{exit:?}");
    }
}
