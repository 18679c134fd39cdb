//! `check` on files: the verdict is told again, and what cannot be read is refused with its line.

mod hand_made;

use checker::history::jsonl::Writer;
use checker::history::{Event, Header};
use fencepost::plan::Plan;
use fencepost::report::Subject;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

struct Said {
    exit: i32,
    stdout: String,
    stderr: String,
}

fn check(home: &TempDir, args: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.arg("check").args(args).current_dir(home).env("LANG", "C.UTF-8").env_remove("LC_ALL").env_remove("COLUMNS");
    let output = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    Said { exit: output.status.code().expect("it exits"), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// Writes a hand-made history with the plan that it stands for.
fn written(home: &TempDir, name: &str, subject: &Subject) -> PathBuf {
    let mut plan: Plan = fencepost::scenario::find("gc-pause").expect("a scenario").plan();
    plan.expect = subject.expected.clone();
    let header = Header { plan: Some(toml::to_string(&plan).expect("TOML")), ..subject.header.clone() };
    let path = home.path().join(name);
    write(&path, &header, &subject.events);
    path
}

fn write(path: &Path, header: &Header, events: &[Event]) {
    let mut writer = Writer::new(fs::File::create(path).expect("a file"), header).expect("written");
    for event in events {
        writer.write(event).expect("written");
    }
}

fn home() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn json(said: &Said) -> serde_json::Value {
    serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", said.stdout, said.stderr))
}

#[test]
fn a_history_is_held_against_the_plan_in_it_or_what_is_asked() {
    let home = home();
    written(&home, "h.jsonl", &hand_made::gc_pause());
    let said = check(&home, &["h.jsonl", "--json"]);
    let object = json(&said);
    let kinds: Vec<&str> =
        object["findings"].as_array().expect("findings").iter().filter_map(|finding| finding["kind"].as_str()).collect();
    assert_eq!(
        (object["verdict"].as_str(), kinds.as_slice()),
        (Some("violation"), &["stale-holder", "stale-write", "lost-update"][..])
    );
    assert_eq!((said.exit, object["as_expected"].as_bool()), (0, Some(true)));
    assert_eq!(object["injected"][0]["end_s"].as_f64(), Some(0.512));

    assert_eq!(check(&home, &["h.jsonl", "--expect", "safe"]).exit, 1);
    assert_eq!(check(&home, &["h.jsonl", "--expect", "stale-holder,stale-write,lost-update,stuck"]).exit, 5);
    let said = check(&home, &["h.jsonl", "--expect", "safe"]);
    assert_eq!(said.stdout.lines().last(), Some("Reproduce: fencepost check h.jsonl --expect safe"));
}

#[test]
fn of_several_histories_the_worst_decides() {
    let home = home();
    written(&home, "a.jsonl", &hand_made::gc_pause());
    written(&home, "b.jsonl", &hand_made::gc_pause_fenced());
    fs::write(home.path().join("c.jsonl"), "{\n").expect("written");
    let both = check(&home, &["a.jsonl", "b.jsonl", "--expect", "safe"]);
    assert_eq!(both.exit, 1, "{}", both.stdout);
    let all = check(&home, &["a.jsonl", "c.jsonl", "--json"]);
    assert_eq!((all.exit, json(&all)["histories"].as_array().map(Vec::len)), (65, Some(2)));
}

#[test]
fn what_cannot_be_read_is_refused_with_its_line() {
    let home = home();
    let cases = [
        ("empty", String::new()),
        ("blank", "\n\n".into()),
        ("no-header", "{\"at\":1}\n".into()),
        ("future", "{\"fencepost\":99}\n".into()),
        ("misspelt", "{\"fencepost\":1}\n{\"at\":1,\"tpye\":\"invoke\"}\n".into()),
        ("binary", "\u{0}\u{1}\u{2}\n".into()),
    ];
    let mut said = Vec::new();
    for (name, text) in cases {
        fs::write(home.path().join(name), text).expect("written");
        let Said { exit, stdout, stderr } = check(&home, &[name]);
        assert_eq!((exit, stdout.as_str()), (65, ""), "{name}: {stderr}");
        said.push(stderr);
    }
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn a_torn_last_line_is_told_and_skipped() {
    let home = home();
    let path = written(&home, "h.jsonl", &hand_made::gc_pause());
    let text = fs::read_to_string(&path).expect("text");
    fs::write(&path, format!("{text}{{\"at\":99")).expect("written");
    let said = check(&home, &["h.jsonl"]);
    assert_eq!(said.exit, 0, "{}", said.stdout);
    let words = said.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("is torn after 8 bytes and was skipped"), "{words}");
}

#[test]
fn a_history_of_nothing_proves_nothing() {
    let home = home();
    write(&home.path().join("h.jsonl"), &Header { fencepost: 1, ..Header::default() }, &[]);
    assert_eq!(check(&home, &["h.jsonl"]).exit, 4);
}
