//! The terminal report of hand-made histories, as a person sees it.

mod hand_made;

use fencepost::report::paint::{Charset, Colour, Look};
use fencepost::report::terminal::terminal;
use hand_made::{clock_stolen, crash_holding, gc_pause, gc_pause_fenced, in_flight, nothing, on_real_redis};

const PLAIN: Look = Look { width: 100, charset: Charset::Unicode, colour: Colour::Off };

#[test]
fn gc_pause_is_told() {
    insta::assert_snapshot!(terminal(&gc_pause(), PLAIN));
}

#[test]
fn gc_pause_fenced_is_told() {
    insta::assert_snapshot!(terminal(&gc_pause_fenced(), PLAIN));
}

#[test]
fn gc_pause_on_a_clock_of_microseconds_is_told() {
    insta::assert_snapshot!(terminal(&on_real_redis(), PLAIN));
}

#[test]
fn a_grant_that_was_told_too_late_is_told() {
    insta::assert_snapshot!(terminal(&in_flight(), PLAIN));
}

#[test]
fn a_lock_that_is_never_free_again_is_told() {
    insta::assert_snapshot!(terminal(&crash_holding(), PLAIN));
}

#[test]
fn a_run_that_proves_nothing_is_told() {
    insta::assert_snapshot!(terminal(&nothing(), PLAIN));
}

#[test]
fn two_holders_among_many_cycles_are_told() {
    insta::assert_snapshot!(terminal(&clock_stolen(), PLAIN));
}

#[test]
fn the_narrowest_terminal_without_unicode_can_show_it() {
    let text = terminal(&gc_pause(), Look { width: 60, charset: Charset::Ascii, colour: Colour::Off });
    assert!(text.is_ascii(), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn no_line_is_wider_than_asked_and_colour_changes_no_character() {
    for subject in [gc_pause(), gc_pause_fenced(), on_real_redis(), in_flight(), crash_holding(), nothing(), clock_stolen()] {
        for width in [60, 72, 80, 100, 140] {
            let look = Look { width, ..PLAIN };
            let plain = terminal(&subject, look);
            for line in plain.lines().filter(|line| !line.contains("fencepost ") && !line.starts_with("Kept in")) {
                assert!(line.chars().count() <= width, "{} of {width} columns: {line}", line.chars().count());
            }
            let coloured = terminal(&subject, Look { colour: Colour::On, ..look });
            assert_ne!(coloured, plain);
            assert_eq!(without_escapes(&coloured), plain);
        }
    }
}

fn without_escapes(text: &str) -> String {
    let mut pieces = text.split("\u{1b}[");
    let first = pieces.next().unwrap_or("").to_owned();
    pieces.fold(first, |out, piece| out + piece.split_once('m').map_or("", |(_, rest)| rest))
}

/// What the report shows of a history in which c1 and c2 hold order:1 at once, and meanwhile one after the other order:2, with these fencing tokens.
fn two_holders_and(tokens: [u64; 2]) -> String {
    let mut lines = vec![];
    let mut event = |at: u64, rest: String| lines.push((at, format!("{{\"at\":{},{rest}}}\n", at * 1_000_000)));
    let mut ids = 10..;
    let mut hold = |client: &str, lock: &str, from: u64, until: u64, more: &str| {
        let (take, give) = (ids.next().unwrap_or_default(), ids.next().unwrap_or_default());
        let of = format!("\"client\":\"{client}\"");
        event(from, format!(r#""type":"invoke",{of},"id":{take},"op":"acquire","lock":"{lock}","ttl_ms":500"#));
        event(from + 2, format!(r#""type":"ok",{of},"id":{take}{more}"#));
        event(until, format!(r#""type":"invoke",{of},"id":{give},"op":"release","lock":"{lock}","grant":{take}"#));
        event(until + 2, format!(r#""type":"ok",{of},"id":{give}"#));
    };
    hold("c1", "order:1", 0, 300, "");
    hold("c2", "order:1", 100, 310, "");
    for ((client, from), token) in [("c1", 120), ("c2", 160)].into_iter().zip(tokens) {
        hold(client, "order:2", from, from + 20, &format!(",\"fence\":{token}"));
    }
    lines.sort();
    let body: String = lines.into_iter().map(|(_, line)| line).collect();
    let home = tempfile::tempdir().expect("a folder");
    std::fs::write(home.path().join("h.jsonl"), format!("{{\"fencepost\":1}}\n{body}")).expect("written");
    let mut check = std::process::Command::new(env!("CARGO_BIN_EXE_fencepost"));
    let output = check.args(["check", "h.jsonl"]).current_dir(&home).env("LANG", "C.UTF-8").output().expect("it starts");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// What stands before the lanes of clients in a report's diagram.
fn lanes(report: &str) -> Vec<&str> {
    let rows = report.lines().filter(|line| line.starts_with("  c"));
    rows.map(|line| line.trim().split("  ").next().unwrap_or_default()).collect()
}

#[test]
fn a_lane_says_which_lock_it_is_about_where_there_are_several() {
    let report = two_holders_and([2, 1]);
    assert!(report.contains("two-holders, token-order"), "{report}");
    assert_eq!(lanes(&report), ["c1 order:1", "c1 order:2", "c2 order:1", "c2 order:2"], "{report}");
}

#[test]
fn what_a_client_does_meanwhile_with_another_lock_is_another_story() {
    let report = two_holders_and([1, 2]);
    assert_eq!(lanes(&report), ["c1", "c2"], "{report}");
    assert!(!report.contains("order:2"), "{report}");
}
