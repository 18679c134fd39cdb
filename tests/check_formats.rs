//! `check` on histories that are not ours: every format, compressed or not, from files and from standard input.

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::process::{Command, Stdio};
use tempfile::TempDir;

struct Said {
    exit: i32,
    stdout: String,
    stderr: String,
}

impl Said {
    fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}{}", self.stdout, self.stderr))
    }

    /// On standard output, without what the width of the page does to it.
    fn words(&self) -> String {
        self.stdout.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

/// Runs `check` with these words in a folder with these files, and `stdin` where there is one.
fn check(files: &[(&str, &[u8])], args: &[&str], stdin: Option<&[u8]>) -> (Said, TempDir) {
    let home = tempfile::tempdir().expect("a folder");
    for (name, bytes) in files {
        fs::write(home.path().join(name), bytes).expect("written");
    }
    let mut command = Command::new(env!("CARGO_BIN_EXE_fencepost"));
    command.arg("check").args(args).current_dir(&home).env("LANG", "C.UTF-8").env_remove("LC_ALL").env_remove("COLUMNS");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(stdin.unwrap_or_default()).expect("it reads");
    drop(input);
    let output = child.wait_with_output().expect("it ends");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    let said = Said { exit: output.status.code().expect("it exits"), stdout: text(output.stdout), stderr: text(output.stderr) };
    (said, home)
}

fn compressed(program: &str, bytes: &str) -> Vec<u8> {
    let mut child = Command::new(program).arg("-c").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect(program);
    let mut input = child.stdin.take().expect("a pipe");
    input.write_all(bytes.as_bytes()).expect("it reads");
    drop(input);
    child.wait_with_output().expect("it ends").stdout
}

/// Two holders: the second is granted while the first has not released.
const TWO_HOLDERS: &str = r#"{"client":1,"op":"acquire","token":1,"call":1000000,"return":2000000,"ok":true}
{"client":2,"op":"acquire","token":2,"call":3000000,"return":4000000,"ok":true}
{"client":1,"op":"release","token":1,"call":5000000,"return":6000000,"ok":true}
{"client":2,"op":"release","token":2,"call":7000000,"return":8000000,"ok":true}
{"client":3,"op":"acquire","token":3,"call":8500000,"return":8600000,"ok":true}
{"client":3,"op":"release","token":3,"call":8700000,"return":8800000,"ok":true}
"#;

/// One after the other; one outcome is unknown.
const IN_TURN: &str = r#"{"client":1,"op":"acquire","token":1,"call":1000000,"return":2000000,"ok":true}
{"client":2,"op":"acquire","token":2,"call":2100000,"return":2200000,"ok":false}
{"client":1,"op":"release","token":1,"call":3000000,"return":4000000,"ok":true}
{"client":2,"op":"acquire","token":3,"call":5000000,"return":6000000,"ok":true}
{"client":2,"op":"release","token":3,"call":7000000,"return":null,"ok":null}
"#;

const STALE_READ: &str = r#"[{:process 0, :type :invoke, :f :write, :value 1}
{:process 0, :type :ok, :f :write, :value 1}
{:process 0, :type :invoke, :f :write, :value 2}
{:process 0, :type :ok, :f :write, :value 2}
{:process 1, :type :invoke, :f :read, :value nil}
{:process 1, :type :ok, :f :read, :value 1}]
"#;

const CONSOLE: &str = "INFO  jepsen.util - 0\t:invoke\t:write\t1
INFO  jepsen.util - 0\t:ok\t:write\t1
INFO  jepsen.util - 1\t:invoke\t:cas\t[1 4]
INFO  jepsen.util - 2\t:invoke\t:read\tnil
INFO  jepsen.util - 1\t:ok\t:cas\t[1 4]
INFO  jepsen.util - 2\t:ok\t:read\t4
";

#[test]
fn operations_of_locks_are_judged_and_cut_down_to_what_proves_it() {
    let (said, _home) = check(&[("h.jsonl", TWO_HOLDERS.as_bytes())], &["h.jsonl", "--json"], None);
    let object = said.json();
    assert_eq!((said.exit, object["verdict"].as_str()), (1, Some("violation")));
    assert_eq!(object["findings"][0]["kind"], "two-holders");
    let mut lines: Vec<u64> =
        object["findings"][0]["events"].as_array().expect("events").iter().filter_map(Value::as_u64).collect();
    lines.sort_unstable();
    assert_eq!(lines, [1, 2]);

    let (said, _home) = check(&[("h.jsonl", TWO_HOLDERS.as_bytes())], &["h.jsonl"], None);
    assert!(said.words().contains("VIOLATION: two-holders"), "{}", said.stdout);
    assert!(said.words().contains("was granted lock"), "{}", said.stdout);
}

#[test]
fn a_valid_verdict_says_what_was_looked_at() {
    let (said, _home) = check(&[("h.jsonl", IN_TURN.as_bytes())], &["h.jsonl"], None);
    let counts = "Looked at 5 operations, 1 lock, 2 grants, 1 wait, 0 writes, 1 unknown outcome, \
                  leases of different owners came as close as";
    assert!(said.exit == 0 && said.words().contains(counts), "{}", said.stdout);
}

#[test]
fn lines_in_no_order_are_sorted() {
    // Further from their place than a stream can put right.
    let line = |n: u64| {
        let call = n * 100;
        let (op, token) = if n.is_multiple_of(2) { ("acquire", n) } else { ("release", n - 1) };
        format!("{{\"client\":1,\"op\":\"{op}\",\"token\":{token},\"call\":{call},\"return\":{},\"ok\":true}}\n", call + 50)
    };
    let lines: String = (2..70_002).map(line).chain([0, 1].map(line)).collect();
    let (said, _home) = check(&[("h.jsonl", lines.as_bytes())], &["h.jsonl", "--json"], None);
    assert_eq!((said.exit, said.json()["counts"]["granted"].as_u64()), (0, Some(35_001)), "{}", said.stderr);
}

#[test]
fn a_read_that_fits_nothing_is_explained() {
    let (said, _home) = check(&[("h.edn", STALE_READ.as_bytes())], &["h.edn", "--json"], None);
    let object = said.json();
    assert_eq!((said.exit, object["findings"][0]["kind"].as_str()), (1, Some("not-linearizable")));
    let stuck = &object["searched"]["stuck"][0];
    assert_eq!((stuck["operation"]["line"].as_u64(), &stuck["states"]), (Some(5), &serde_json::json!(["2"])));
    assert_eq!((stuck["explained"].as_u64(), stuck["operations"].as_u64()), (Some(2), Some(3)));

    let (said, _home) = check(&[("h.edn", STALE_READ.as_bytes())], &["h.edn"], None);
    let sentence = "client 1 read 1 (line 5), which fits nothing: the only state possible there is 2; the longest prefix that an \
                    order explains is 2 of 3 operations";
    assert!(said.words().contains(sentence), "{}", said.stdout);
    let pictured = |words: &str| said.stdout.lines().any(|line| line.contains(words) && line.contains('├') && line.contains('┤'));
    assert!(pictured("line 5  client 1  read 1") && pictured("line 3  client 0  wrote 2"), "{}", said.stdout);
}

#[test]
fn a_console_log_is_read_and_goes_to_edn_and_back() {
    let broken = CONSOLE.replace(":read\t4", ":read\t3");
    for (log, verdict) in [(CONSOLE, "valid"), (broken.as_str(), "violation")] {
        let (said, home) = check(&[("h.log", log.as_bytes())], &["h.log", "--json", "--write-edn", "h.edn"], None);
        let first = said.json();
        assert_eq!((first["verdict"].as_str(), first["searched"]["model"].as_str()), (Some(verdict), Some("cas-register")));
        let edn = fs::read(home.path().join("h.edn")).expect("EDN");
        let (said, home) = check(&[("h.edn", &edn)], &["h.edn", "--json", "--write-edn", "again.edn"], None);
        assert_eq!(said.json()["verdict"].as_str(), Some(verdict), "{}", String::from_utf8_lossy(&edn));
        assert_eq!(fs::read(home.path().join("again.edn")).expect("EDN"), edn);
    }
}

#[test]
fn a_runs_own_history_and_one_of_locks_go_to_edn() {
    let run = r#"{"fencepost":1}
{"at":1,"type":"invoke","client":"c1","id":1,"op":"acquire","lock":"l","ttl_ms":500}
{"at":2,"type":"ok","client":"c1","id":1,"token":"t"}
{"at":3,"type":"invoke","client":"c1","id":2,"op":"release","lock":"l","grant":1}
{"at":4,"type":"ok","client":"c1","id":2}
"#;
    for (name, text, events) in [("run.jsonl", run, 4), ("locks.jsonl", TWO_HOLDERS, 12)] {
        let (said, home) = check(&[(name, text.as_bytes())], &[name, "--write-edn", "h.edn"], None);
        let edn = fs::read_to_string(home.path().join("h.edn")).unwrap_or_else(|why| panic!("{name}: {why} {}", said.stderr));
        assert_eq!(edn.matches(":process").count(), events, "{edn}");
        assert!(edn.contains(":f :acquire"), "{edn}");
    }
}

#[test]
fn compressed_files_and_standard_input_are_histories_too() {
    let gz = compressed("gzip", TWO_HOLDERS);
    let zst = hand_packed(STALE_READ.as_bytes());
    for (name, bytes, kind) in [("h.gz", &gz, "two-holders"), ("h.zst", &zst, "not-linearizable")] {
        let (said, _home) = check(&[(name, bytes)], &[name, "--json"], None);
        assert_eq!((said.exit, said.json()["findings"][0]["kind"].as_str()), (1, Some(kind)), "{name}");
        let (said, _home) = check(&[], &["-", "--json"], Some(bytes));
        assert_eq!((said.exit, said.json()["findings"][0]["kind"].as_str()), (1, Some(kind)), "{name} on standard input");
        assert_eq!(said.json()["replay"], "fencepost check -");
    }
}

/// Zstandard's frame of one block that is not compressed (RFC 8878, 3.1.1): magic, a descriptor of a single segment, its size, the block.
fn hand_packed(bytes: &[u8]) -> Vec<u8> {
    let size = u32::try_from(bytes.len()).expect("it is small");
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0b1010_0000];
    frame.extend(size.to_le_bytes());
    frame.extend(&((size << 3) | 1).to_le_bytes()[..3]);
    frame.extend(bytes);
    frame
}

#[test]
fn a_bad_line_is_an_error_or_is_counted() {
    let lines: Vec<&str> = IN_TURN.lines().collect();
    let torn = [&lines[..2], &["{\"client\":1,\"op\":\"aquire\"}"], &lines[2..]].concat().join("\n");
    let run = "{\"fencepost\":1}\n{\"at\":1,\"tpye\":\"invoke\"}\n\
               {\"at\":2,\"type\":\"invoke\",\"client\":\"c\",\"id\":1,\"op\":\"acquire\",\"lock\":\"l\"}\n\
               {\"at\":3,\"type\":\"ok\",\"client\":\"c\",\"id\":1}\n";
    let edn = STALE_READ.replace(":f :read, :value 1", ":f :raed, :value 1");
    let log = CONSOLE.replace(":ok\t:read", ":okay\t:read");
    for (name, text, place) in [
        ("h.jsonl", torn.as_str(), "h.jsonl:3"),
        ("run.jsonl", run, "run.jsonl:2"),
        ("h.edn", &edn, "h.edn:6"),
        ("h.log", &log, "h.log:6"),
    ] {
        let (said, _home) = check(&[(name, text.as_bytes())], &[name], None);
        assert_eq!((said.exit, said.stdout.as_str()), (65, ""), "{name}");
        assert!(
            said.stderr.contains(place) && said.stderr.contains(if name == "run.jsonl" { "did you mean" } else { "expected" }),
            "{}",
            said.stderr
        );

        let (said, _home) = check(&[(name, text.as_bytes())], &[name, "--skip-bad-lines"], None);
        assert_eq!(said.exit, 0, "{name}: {}{}", said.stdout, said.stderr);
        assert!(said.words().contains("1 line could not be read and was skipped"), "{}", said.stdout);
        assert!(said.words().contains(&format!("fencepost check {name} --skip-bad-lines")), "{}", said.stdout);
    }
}

#[test]
fn a_model_and_a_first_value_can_be_forced() {
    let read = "{:process 0, :type :invoke, :f :read, :value nil}\n{:process 0, :type :ok, :f :read, :value 7}\n";
    for (initial, exit) in [("7", 0), ("8", 1), ("\"7\"", 1)] {
        let (said, _home) = check(&[("h.edn", read.as_bytes())], &["h.edn", "--model", "register", "--initial", initial], None);
        assert_eq!(said.exit, exit, "{initial}: {}", said.stdout);
    }
    let (said, _home) = check(&[("h.jsonl", TWO_HOLDERS.as_bytes())], &["h.jsonl", "--model", "mutex", "--json"], None);
    assert_eq!((said.exit, said.json()["findings"][0]["kind"].as_str()), (1, Some("not-linearizable")));
    let permits = ["h.jsonl", "--model", "semaphore", "--initial", "2", "--json"];
    let (said, _home) = check(&[("h.jsonl", TWO_HOLDERS.as_bytes())], &permits, None);
    assert_eq!((said.exit, said.json()["verdict"].as_str()), (0, Some("valid")), "{}", said.stderr);
}

#[test]
fn what_cannot_be_forced_is_said() {
    let run = "{\"fencepost\":1}\n";
    let file = |text: &'static str| [("h", text.as_bytes())];
    for (text, args, exit, says) in [
        (TWO_HOLDERS, &["h", "--model", "mutx"][..], 64, "no model is named `mutx`: did you mean `mutex`?"),
        (TWO_HOLDERS, &["h", "--initial", "x"], 64, "a text has quotes of its own"),
        (TWO_HOLDERS, &["h", "--model", "semaphore"], 64, "give --initial"),
        (run, &["h", "--model", "mutex"], 64, "is the history of a run"),
        (TWO_HOLDERS, &["h", "--model", "register"], 65, "h:1: the model register expects a read or a write"),
        (TWO_HOLDERS, &["h", "h", "--write-edn", "e"], 64, "one history at a time"),
    ] {
        let (said, _home) = check(&file(text), args, None);
        assert_eq!((said.exit, said.stdout.as_str()), (exit, ""), "{args:?}: {}", said.stderr);
        assert!(said.stderr.contains(says), "{args:?}: {}", said.stderr);
    }
}

#[test]
fn a_search_that_is_bounded_says_how_far_it_got() {
    // Every step between six values, and two more that leave no way to take all of them one after the other: the search would have to
    // try them all, and has no time for it.
    let steps: Vec<(u32, u32)> =
        (0..36).map(|n| (n / 6, n % 6)).filter(|(from, to)| from != to).chain([(1, 2), (3, 4)]).collect();
    let mut edn = String::new();
    for kind in ["invoke", "ok"] {
        for (client, (from, to)) in steps.iter().enumerate() {
            edn.push_str(&format!("{{:process {client}, :type :{kind}, :f :cas, :value [{from} {to}]}}\n"));
        }
    }
    let args = ["h.edn", "--model", "cas-register", "--initial", "0", "--time-limit", "0"];
    let (said, _home) = check(&[("h.edn", edn.as_bytes())], &args, None);
    assert_eq!(said.exit, 2, "{}{}", said.stdout, said.stderr);
    let words = said.words();
    assert!(words.contains("UNKNOWN") && words.contains("the time allowed was over: the search had come to client"), "{words}");
    assert!(words.contains("operation in line"), "{words}");
}

#[test]
fn of_several_each_has_a_verdict_and_a_table_is_passed_over() {
    let files = [("a.jsonl", TWO_HOLDERS), ("b.edn", STALE_READ), ("c.log", CONSOLE), ("expected.tsv", "file\tlinearizable\n")];
    let files = files.map(|(name, text)| (name, text.as_bytes()));
    let (said, _home) = check(&files, &["a.jsonl", "b.edn", "c.log", "expected.tsv"], None);
    assert_eq!(said.exit, 1, "{}", said.stderr);
    let summary: Vec<&str> = said.stdout.lines().rev().take(4).collect();
    assert!(summary[0].contains("expected.tsv  passed over"), "{summary:?}");
    assert!(summary[1].starts_with("  0  c.log") && summary[2].starts_with("  1  b.edn"), "{summary:?}");
    let (said, _home) = check(&files, &["expected.tsv"], None);
    assert_eq!(said.exit, 65, "alone, it is asked for as a history");
}

#[test]
fn a_page_shows_what_is_not_ours() {
    for (name, text) in [("h.jsonl", TWO_HOLDERS), ("h.edn", STALE_READ)] {
        let (said, home) = check(&[(name, text.as_bytes())], &[name, "--html", "h.html"], None);
        assert_eq!(said.exit, 1, "{}", said.stderr);
        assert!(fs::read_to_string(home.path().join("h.html")).expect("a page").contains("VIOLATION"));
    }
}
