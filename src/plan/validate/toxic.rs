//! Toxics: on which links, and how much of them.

use super::{Invalid, Names, sides, too_long};
use nemesis::{Misdosed, Toxic, ToxicKind, Way};

/// Toxiproxy's client counts in 32 bits.
const MOST: u64 = u32::MAX as u64;
/// The longest that a slicer waits after each slice: it is told in microseconds.
const LONGEST_SLICE_MS: u64 = 1_000;

pub(super) fn check(path: &str, toxic: &Toxic, names: &Names) -> Vec<Invalid> {
    let mut found = sides::check(path, &toxic.from, &toxic.to, names, "has no link to itself");
    let kind = toxic.kind.name();
    if toxic.kind == ToxicKind::Down && toxic.way != Way::Both {
        found.push(Invalid::value(format!("{path}.way"), "a link is down both ways").help("remove it"));
    }
    match toxic.dose() {
        Err(Misdosed::Missing(key)) => {
            found
                .push(Invalid::value(format!("{path}.kind"), format!("`{kind}` needs `{key}`")).help(format!("say `{key} = …`")));
        }
        Err(Misdosed::Foreign(key)) => {
            found.push(Invalid::key(format!("{path}.{key}"), format!("`{kind}` takes no `{key}`")).help("remove it"));
        }
        Ok(_) => found.extend(toxic.numbers().into_iter().filter_map(|(key, said)| number(path, toxic, key, said?))),
    }
    found
}

/// What is wrong with one number.
fn number(path: &str, toxic: &Toxic, key: &str, said: u64) -> Option<Invalid> {
    let path = format!("{path}.{key}");
    // A timeout of 0 never ends a connection by itself, and resets a peer at once: Toxiproxy's own default.
    if said == 0 && !["timeout_ms", "jitter_ms"].contains(&key) && (key, toxic.kind) != ("delay_ms", ToxicKind::Slicer) {
        return Some(Invalid::value(path, "with 0 it does nothing, or nothing that was meant").help("at least 1"));
    }
    if key == "jitter_ms" && toxic.latency_ms.is_some_and(|latency| said > latency) {
        return Some(Invalid::value(path, "nothing arrives before it was sent").help("at most `latency_ms`"));
    }
    if (key, toxic.kind) == ("delay_ms", ToxicKind::Slicer) && said > LONGEST_SLICE_MS {
        return Some(Invalid::value(path, "so slow a slicer is a `timeout`").help(format!("at most {LONGEST_SLICE_MS}")));
    }
    match key {
        "kb_per_s" | "bytes" => {
            (said > MOST).then(|| Invalid::value(path, "so much passes in no run").help(format!("at most {MOST}")))
        }
        _ => too_long(&path, said),
    }
}
