//! The nightly run from outside: what fails it, what it leaves behind, and how it is gone on with.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

fn home() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

fn fencepost(home: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.args(args).current_dir(home).stdin(Stdio::null());
    for unwanted in ["COLUMNS", "NO_COLOR", "LC_ALL", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"] {
        command.env_remove(unwanted);
    }
    command.env("LANG", "C.UTF-8");
    command
}

fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    (status.code().expect("it exits"), text(stdout), text(stderr))
}

/// A matrix in simulation, as the object that `--json` prints.
fn matrix(home: &Path, args: &[&str]) -> (i32, Value) {
    let args = [&["matrix", "--world", "sim", "--json"], args].concat();
    let (exit, stdout, stderr) = run(&mut fencepost(home, &args));
    (exit, serde_json::from_str(&stdout).unwrap_or_else(|why| panic!("{why}: {stdout}{stderr}")))
}

/// The state of each cell.
fn states(matrix: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let cells = matrix["cells"].as_array().expect("cells").iter();
    cells.map(|cell| (text(&cell["name"]), text(&cell["state"]))).collect()
}

fn in_state(matrix: &Value, state: &str) -> Vec<String> {
    states(matrix).into_iter().filter(|(_, is)| is == state).map(|(name, _)| name).collect()
}

#[test]
fn every_scenario_is_as_expected_and_every_report_is_left_behind() {
    let home = home();
    let (exit, matrix) = matrix(home.path(), &["--junit", "out.xml", "--markdown", "out.md"]);
    assert_eq!(exit, 0, "{:?}", matrix["cells"]);
    assert_eq!(in_state(&matrix, "as-expected").len(), fencepost::scenario::all().len());

    let read = |name: &str| fs::read_to_string(home.path().join(name)).unwrap_or_else(|why| panic!("{name}: {why}"));
    let kept: Value = serde_json::from_str(&read("runs/latest/matrix.json")).expect("JSON");
    assert_eq!(kept, matrix);
    assert_eq!(read("runs/latest/junit.xml"), read("out.xml"));
    assert_eq!(read("runs/latest/summary.md"), read("out.md"));
    let page = read("runs/latest/matrix.html");
    let links: Vec<&str> = page.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
    assert_eq!(links.len(), fencepost::scenario::all().len());
    for link in links {
        assert!(home.path().join("runs/latest").join(link).is_file(), "{link} leads nowhere");
    }
}

/// L4 with its owner check dropped, and every expectation left as it is: only where a release comes after its lease, while another holds the
/// lock, can a check be missed. `reply-lost-release` waits for the release's script, which is not sent any more.
#[test]
fn a_lock_that_was_broken_on_purpose_fails_just_the_cells_that_should_notice() {
    let home = home();
    let file = r#"
        filter = "lock(set-nx-px)"
        axis = [{ name = "release", value = [{ name = "blind", plan.lock.kind = "set-nx-px-del" }] }]
    "#;
    fs::write(home.path().join("broken.toml"), file).expect("written");
    let (exit, broken) = matrix(home.path(), &["broken.toml"]);
    assert_eq!(exit, 1);
    let noticed = ["gc-pause-in-flight/release=blind", "reply-lost-release/release=blind"];
    assert_eq!(in_state(&broken, "changed"), noticed);
    assert_eq!(in_state(&broken, "as-expected").len(), states(&broken).len() - noticed.len());
    let cells = broken["cells"].as_array().expect("cells");
    let of = |name: &str| cells.iter().find(|cell| cell["name"] == name).expect("it is there");
    assert_eq!(of(noticed[0])["attempts"][0]["came_out"]["violation"], serde_json::json!(["ownership"]));
    assert_eq!(of(noticed[0])["attempts"].as_array().map(Vec::len), Some(4), "it was asked for again, three times");
    // The command that reproduces it does.
    let replay = of(noticed[0])["attempts"][0]["replay"].as_str().expect("a command");
    let words: Vec<&str> = replay.split(' ').skip(1).collect();
    let (exit, stdout, stderr) = run(&mut fencepost(home.path(), &words));
    assert_eq!(exit, 1, "{replay}: {stdout}{stderr}");
    assert!(stdout.contains("ownership"), "{stdout}");
}

#[test]
fn the_parts_of_a_matrix_are_the_whole() {
    let home = home();
    let filter = "topology(single) & fault(pause)";
    let (exit, whole) = matrix(home.path(), &["--filter", filter]);
    assert_eq!(exit, 0);
    let mut parts = BTreeMap::new();
    for part in ["1/3", "2/3", "3/3"] {
        let (exit, matrix) = matrix(home.path(), &["--filter", filter, "--partition", part]);
        assert_eq!((exit, &matrix["partition"]), (0, &part.into()));
        for (name, state) in states(&matrix) {
            assert_eq!(parts.insert(name, state), None, "no cell is in two parts");
        }
    }
    assert_eq!(parts, states(&whole));
}

#[test]
fn what_is_torn_off_is_run_again_and_nothing_else() {
    let home = home();
    let filter = ["--filter", "name(gc-pause*)"];
    let (exit, whole) = matrix(home.path(), &filter);
    assert_eq!(exit, 0);
    let results = home.path().join("runs/latest/results.jsonl");
    let text = fs::read_to_string(&results).expect("it is there");
    let lines: Vec<&str> = text.lines().collect();
    let (left, torn) = (lines.len() - 2, lines[2].len() / 2);
    fs::write(&results, [lines[0], "\n", lines[1], "\n", &lines[2][..torn]].concat()).expect("written");

    let folder = fs::read_link(home.path().join("runs/latest")).expect("a link");
    let folder = Path::new("runs").join(folder).display().to_string();
    let args = [&["matrix", "--world", "sim", "--json", "--resume", &folder], &filter[..]].concat();
    let (exit, stdout, stderr) = run(&mut fencepost(home.path(), &args));
    let resumed: Value = serde_json::from_str(&stdout).expect("JSON");
    assert_eq!((exit, states(&resumed)), (0, states(&whole)));
    assert!(stderr.contains("2 cells were done before"), "{stderr}");
    assert_eq!(stderr.lines().filter(|line| line.starts_with('[')).count(), left, "{stderr}");
}

#[test]
fn what_there_was_no_time_for_is_not_green() {
    let home = home();
    let (exit, matrix) = matrix(home.path(), &["--max-time", "0s", "--filter", "name(gc-pause*)"]);
    assert_eq!(exit, 4, "nothing ran");
    assert_eq!(in_state(&matrix, "not-run").len(), states(&matrix).len());
    let (exit, _, stderr) = run(&mut fencepost(home.path(), &["matrix", "--world", "sim", "--filter", "name(nothing)"]));
    assert_eq!(exit, 4);
    assert!(stderr.contains("Reproduce: fencepost matrix --filter 'name(nothing)'"), "{stderr}");
    for (args, sentence) in [
        (&["matrix", "--filter", "lock(redlok)"][..], "did you mean `redlock`?"),
        (&["matrix", "--partition", "5/4"], "there is no part 5 of 4"),
        (&["matrix", "--max-time", "20"], "such as `20m`"),
    ] {
        let (exit, _, stderr) = run(&mut fencepost(home.path(), args));
        assert_eq!(exit, 64, "{stderr}");
        assert!(stderr.contains(sentence), "{stderr}");
    }
}

#[test]
fn two_nights_are_compared() {
    let home = home();
    let filter = ["--filter", "name(gc-pause, gc-pause-fenced, blind-release)"];
    let (_, old) = matrix(home.path(), &filter);
    let mut new = old.clone();
    let cells = new["cells"].as_array_mut().expect("cells");
    cells[1]["state"] = "changed".into();
    cells[1]["attempts"][0]["came_out"] = serde_json::json!({ "violation": ["two-holders"] });
    cells[2]["name"] = "gc-pause-renamed".into();
    let write = |name: &str, matrix: &Value| fs::write(home.path().join(name), matrix.to_string()).expect("written");
    write("old.json", &old);
    write("new.json", &new);
    let (exit, stdout, _) = run(&mut fencepost(home.path(), &["matrix", "compare", "old.json", "new.json"]));
    assert_eq!(exit, 1);
    insta::assert_snapshot!(stdout);
    let (exit, stdout, _) = run(&mut fencepost(home.path(), &["matrix", "compare", "old.json", "old.json"]));
    assert_eq!((exit, stdout.as_str()), (0, "No verdict changed.\n"));
    let (exit, _, stderr) = run(&mut fencepost(home.path(), &["matrix", "compare", "old.json", "nowhere.json"]));
    assert_eq!(exit, 65, "{stderr}");
}

/// What people read of a night with everything in it; times and folders are not the same twice.
#[test]
fn what_people_read() {
    let home = home();
    let file = r#"
        filter = "name(gc-pause-in-flight, gc-pause-fenced, redlock-healthy)"
        axis = [{ name = "release", applies = "lock(set-nx-px)", value = [{ name = "as-is" }, { name = "blind", plan.lock.kind = "set-nx-px-del" }] }]
    "#;
    fs::write(home.path().join("m.toml"), file).expect("written");
    let summary = home.path().join("step.md");
    let mut command = fencepost(home.path(), &["matrix", "m.toml", "--world", "sim", "--junit", "junit.xml", "--color", "never"]);
    let (exit, stdout, _) = run(command.env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &summary));
    assert_eq!(exit, 1);
    let steady = |text: &str| {
        let stamp = regex_lite::Regex::new(r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\dZ?").expect("sound");
        let time = regex_lite::Regex::new(r"\d+\.\d+ s\b|\d+\.\d{3}\x22").expect("sound");
        let blanks = regex_lite::Regex::new(r" +TIME").expect("sound");
        let text = stamp.replace_all(text, "STAMP");
        let text =
            time.replace_all(&text, |found: &regex_lite::Captures<'_>| if found[0].ends_with('"') { "TIME\"" } else { "TIME" });
        let text = blanks.replace_all(&text, " TIME");
        let version = regex_lite::Regex::new(r#"value="[^"]*\d[^"]*""#).expect("sound");
        version.replace_all(&text, "value=\"VERSION\"").into_owned()
    };
    insta::assert_snapshot!("terminal_with_annotations", steady(&stdout));
    insta::assert_snapshot!("summary", steady(&fs::read_to_string(summary).expect("it was written")));
    insta::assert_snapshot!("junit", steady(&fs::read_to_string(home.path().join("junit.xml")).expect("it was written")));
}

/// The structure that the readers of GitLab, Jenkins and GitHub agree on.
#[test]
fn junit_is_what_its_readers_want() {
    let home = home();
    let (exit, _) = matrix(home.path(), &["--filter", "fault(pause) or fault(kill)", "--junit", "out.xml"]);
    assert_eq!(exit, 0);
    let text = fs::read_to_string(home.path().join("out.xml")).expect("it was written");
    let document = roxmltree::Document::parse(&text).expect("well-formed");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let count =
        |node: roxmltree::Node<'_, '_>, name: &str| node.attribute(name).and_then(|n| n.parse::<usize>().ok()).expect("a number");
    let suites: Vec<_> = root.children().filter(|node| node.is_element()).collect();
    assert_eq!(suites.iter().map(|suite| count(*suite, "tests")).sum::<usize>(), count(root, "tests"));
    for suite in suites {
        assert_eq!(suite.tag_name().name(), "testsuite");
        let cases: Vec<_> = suite.children().filter(|node| node.has_tag_name("testcase")).collect();
        assert_eq!(cases.len(), count(suite, "tests"));
        for (element, of) in [("failure", "failures"), ("error", "errors"), ("skipped", "skipped")] {
            let here = cases.iter().filter(|case| case.children().any(|node| node.has_tag_name(element))).count();
            assert_eq!(here, count(suite, of));
        }
        for case in cases {
            assert!(case.attribute("name").is_some() && case.attribute("classname").is_some());
            case.attribute("time").and_then(|time| time.parse::<f64>().ok()).expect("seconds");
        }
    }
}

#[test]
fn ctrl_c_keeps_what_was_done_and_says_how_to_go_on() {
    if fencepost::cli::machine::on_path("redis-server").is_none() {
        eprintln!("SKIPPED: a matrix of real Redis needs a redis-server");
        assert!(std::env::var_os("FENCEPOST_NO_SKIP").is_none(), "nothing may be skipped");
        return;
    }
    let home = home();
    let args = ["matrix", "--world", "process", "--jobs", "1", "--json", "--filter", "name(gc-pause*) or topology(sentinel)"];
    let mut command = fencepost(home.path(), &args);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let results = home.path().join("runs/latest/results.jsonl");
    let give_up = Instant::now() + Duration::from_secs(60);
    while fs::read_to_string(&results).map_or(0, |text| text.lines().count()) < 1 {
        assert!(Instant::now() < give_up, "no cell ends");
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is there");
    let output = child.wait_with_output().expect("it ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    let matrix: Value = serde_json::from_slice(&output.stdout).expect("one JSON object");
    assert!(!in_state(&matrix, "as-expected").is_empty() && !in_state(&matrix, "interrupted").is_empty());
    assert!(stderr.contains("--resume runs/"), "{stderr}");
}

#[test]
fn init_writes_what_a_night_needs_and_replaces_nothing() {
    let home = home();
    let (exit, stdout, _) = run(&mut fencepost(home.path(), &["init"]));
    assert_eq!(exit, 0);
    insta::assert_snapshot!(stdout);
    for (name, text) in fencepost::cli::init::FILES {
        assert_eq!(fs::read_to_string(home.path().join(name)).expect(name), text);
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        assert_eq!(fs::read_to_string(ours).expect(name), text, "what is copied is what stands here");
    }
    fs::write(home.path().join("fencepost.toml"), "filter = \"name(gc-pause)\"\n").expect("written");
    let (exit, stdout, _) = run(&mut fencepost(home.path(), &["init"]));
    assert!(exit == 0 && stdout.contains("left ./fencepost.toml as it is"), "{stdout}");
    let (exit, matrix) = matrix(home.path(), &["fencepost.toml"]);
    assert_eq!((exit, states(&matrix).len()), (0, 1));
    let (exit, stdout, _) = run(&mut fencepost(home.path(), &["init", "--force"]));
    assert!(exit == 0 && stdout.contains("wrote ./fencepost.toml"), "{stdout}");
    let (exit, matrix) = self::matrix(home.path(), &["fencepost.toml", "--filter", "name(gc-*)"]);
    assert!(exit == 0 && states(&matrix).len() > 1);
}
