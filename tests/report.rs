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
