//! Toxics: coarse faults of a whole link, as Toxiproxy has them.
//!
//! Source: Toxiproxy (Shopify), <https://github.com/Shopify/toxiproxy>. Its *upstream* is the way from whoever dials to whoever listens; a plan
//! names the two parties and a [`Way`] instead.

use crate::Way;
use crate::wire_fault::one_or_many;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A toxic, as a plan says it:
/// `{ toxic = { from = ["c1"], to = ["n1"], way = "both", kind = "latency", latency_ms = 300, jitter_ms = 50 } }`.
///
/// It counts as injected only once something has met it on the link of each two that it names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Toxic {
    /// Clients or nodes at the one end.
    #[serde(deserialize_with = "one_or_many")]
    pub from: Vec<String>,
    /// Clients or nodes at the other end.
    #[serde(deserialize_with = "one_or_many")]
    pub to: Vec<String>,
    /// Which way it poisons.
    #[serde(default)]
    pub way: Way,
    /// Which toxic.
    pub kind: ToxicKind,
    /// Of `latency`: how much later everything arrives, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency_ms: Option<u64>,
    /// Of `latency`: by how much that varies, up and down, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jitter_ms: Option<u64>,
    /// Of `bandwidth`: how many kilobytes pass in a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kb_per_s: Option<u64>,
    /// Of `timeout` and `reset-peer`: after how many milliseconds the connection ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout_ms: Option<u64>,
    /// Of `slow-close` how much later an end of a connection is heard of, of `slicer` how long it waits after each slice, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
    /// Of `slicer` how large a slice is on the average, of `limit-data` how much passes before the connection ends, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
}

/// The toxics that there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToxicKind {
    /// Everything arrives later.
    Latency,
    /// No more than so much passes in a second.
    Bandwidth,
    /// Nothing passes, and the connection ends after a time, or when the toxic is removed.
    Timeout,
    /// A connection ends when something is sent over it; one that was made since then is reset.
    ResetPeer,
    /// The end of a connection is heard of later.
    SlowClose,
    /// Everything arrives in small slices.
    Slicer,
    /// A connection ends when so much has passed.
    LimitData,
    /// Connections are closed, and none can be made.
    Down,
}

/// A toxic with what it takes, all of it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is a field of `Toxic`")]
pub enum Dose {
    Latency { ms: u64, jitter_ms: u64 },
    Bandwidth { kb_per_s: u64 },
    Timeout { ms: u64 },
    ResetPeer { ms: u64 },
    SlowClose { ms: u64 },
    Slicer { bytes: u64, delay_ms: u64 },
    LimitData { bytes: u64 },
    Down,
}

/// A key that a toxic must have and has not, or has and cannot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Misdosed {
    Missing(&'static str),
    Foreign(&'static str),
}

impl ToxicKind {
    /// Its public name: `latency`, `bandwidth`, `timeout`, `reset-peer`, `slow-close`, `slicer`, `limit-data`, `down`.
    pub fn name(self) -> &'static str {
        match self {
            ToxicKind::Latency => "latency",
            ToxicKind::Bandwidth => "bandwidth",
            ToxicKind::Timeout => "timeout",
            ToxicKind::ResetPeer => "reset-peer",
            ToxicKind::SlowClose => "slow-close",
            ToxicKind::Slicer => "slicer",
            ToxicKind::LimitData => "limit-data",
            ToxicKind::Down => "down",
        }
    }

    /// The keys that it must have, and those that it can.
    fn keys(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            ToxicKind::Latency => (&["latency_ms"], &["jitter_ms"]),
            ToxicKind::Bandwidth => (&["kb_per_s"], &[]),
            ToxicKind::Timeout | ToxicKind::ResetPeer => (&[], &["timeout_ms"]),
            ToxicKind::SlowClose => (&["delay_ms"], &[]),
            ToxicKind::Slicer => (&["bytes"], &["delay_ms"]),
            ToxicKind::LimitData => (&["bytes"], &[]),
            ToxicKind::Down => (&[], &[]),
        }
    }
}

impl Toxic {
    /// Each key of a number, with what the plan says of it.
    pub fn numbers(&self) -> [(&'static str, Option<u64>); 6] {
        [
            ("latency_ms", self.latency_ms),
            ("jitter_ms", self.jitter_ms),
            ("kb_per_s", self.kb_per_s),
            ("timeout_ms", self.timeout_ms),
            ("delay_ms", self.delay_ms),
            ("bytes", self.bytes),
        ]
    }

    /// What it takes, all of it there.
    ///
    /// # Errors
    /// The first key that is missing, or that it cannot have.
    pub fn dose(&self) -> Result<Dose, Misdosed> {
        let (must, can) = self.kind.keys();
        let numbers = self.numbers();
        if let Some((key, _)) = numbers.iter().find(|(key, said)| must.contains(key) && said.is_none()) {
            return Err(Misdosed::Missing(key));
        }
        if let Some((key, _)) = numbers.iter().find(|(key, said)| !must.contains(key) && !can.contains(key) && said.is_some()) {
            return Err(Misdosed::Foreign(key));
        }
        let of = |said: Option<u64>| said.unwrap_or(0);
        Ok(match self.kind {
            ToxicKind::Latency => Dose::Latency { ms: of(self.latency_ms), jitter_ms: of(self.jitter_ms) },
            ToxicKind::Bandwidth => Dose::Bandwidth { kb_per_s: of(self.kb_per_s) },
            ToxicKind::Timeout => Dose::Timeout { ms: of(self.timeout_ms) },
            ToxicKind::ResetPeer => Dose::ResetPeer { ms: of(self.timeout_ms) },
            ToxicKind::SlowClose => Dose::SlowClose { ms: of(self.delay_ms) },
            ToxicKind::Slicer => Dose::Slicer { bytes: of(self.bytes), delay_ms: of(self.delay_ms) },
            ToxicKind::LimitData => Dose::LimitData { bytes: of(self.bytes) },
            ToxicKind::Down => Dose::Down,
        })
    }

    /// Each two that it names, one of either end.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        self.from.iter().flat_map(|from| self.to.iter().map(move |to| (from.as_str(), to.as_str())))
    }
}

impl Way {
    /// Whether it is the way from `from` to `to`.
    pub fn there(self) -> bool {
        matches!(self, Way::Both | Way::There)
    }

    /// Whether it is the way back.
    pub fn back(self) -> bool {
        matches!(self, Way::Both | Way::Back)
    }
}

impl fmt::Display for Toxic {
    /// In words, in the past tense: `what c1 and n1 sent each other took 300 ms longer`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (from, to) = (self.from.join(", "), self.to.join(", "));
        let what = match self.way {
            Way::Both => format!("what {from} and {to} sent each other"),
            Way::There => format!("what {from} sent to {to}"),
            Way::Back => format!("what {to} sent to {from}"),
        };
        let link = format!("the connections of {from} and {to}");
        let after = |ms: u64| if ms == 0 { String::new() } else { format!(" after {ms} ms") };
        match self.dose() {
            Ok(Dose::Latency { ms, jitter_ms: 0 }) => write!(f, "{what} took {ms} ms longer"),
            Ok(Dose::Latency { ms, jitter_ms }) => write!(f, "{what} took {ms} ± {jitter_ms} ms longer"),
            Ok(Dose::Bandwidth { kb_per_s }) => write!(f, "{what} went at {kb_per_s} KB/s"),
            Ok(Dose::Timeout { ms: 0 }) => write!(f, "{what} was lost"),
            Ok(Dose::Timeout { ms }) => write!(f, "{what} was lost, and its connection closed after {ms} ms"),
            Ok(Dose::ResetPeer { ms }) => write!(f, "{what} ended its connection{}", after(ms)),
            Ok(Dose::SlowClose { ms }) => write!(f, "the ends of {link} were heard of {ms} ms later"),
            Ok(Dose::Slicer { bytes, .. }) => write!(f, "{what} came in slices of {bytes} bytes"),
            Ok(Dose::LimitData { bytes }) => write!(f, "{what} ended its connection after {bytes} bytes"),
            Ok(Dose::Down) => write!(f, "{link} were closed, and no other could be made"),
            Err(_) => write!(f, "{link} met a toxic"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bare(kind: ToxicKind) -> Toxic {
        Toxic {
            from: vec!["c1".into()],
            to: vec!["n1".into(), "n2".into()],
            way: Way::Both,
            kind,
            latency_ms: None,
            jitter_ms: None,
            kb_per_s: None,
            timeout_ms: None,
            delay_ms: None,
            bytes: None,
        }
    }

    #[test]
    fn a_toxic_takes_its_own_keys_and_no_others() {
        let slow = Toxic { latency_ms: Some(300), ..bare(ToxicKind::Latency) };
        assert_eq!(slow.dose(), Ok(Dose::Latency { ms: 300, jitter_ms: 0 }));
        assert_eq!(bare(ToxicKind::Latency).dose(), Err(Misdosed::Missing("latency_ms")));
        assert_eq!(Toxic { kind: ToxicKind::Down, ..slow.clone() }.dose(), Err(Misdosed::Foreign("latency_ms")));
        assert_eq!(Toxic { bytes: Some(1), ..slow }.dose(), Err(Misdosed::Foreign("bytes")));
        assert_eq!(bare(ToxicKind::Timeout).dose(), Ok(Dose::Timeout { ms: 0 }));
    }

    #[test]
    fn it_is_told_in_words() {
        let slow = Toxic { latency_ms: Some(300), jitter_ms: Some(50), way: Way::There, ..bare(ToxicKind::Latency) };
        assert_eq!(slow.to_string(), "what c1 sent to n1, n2 took 300 ± 50 ms longer");
        assert_eq!(bare(ToxicKind::Timeout).to_string(), "what c1 and n1, n2 sent each other was lost");
        assert_eq!(bare(ToxicKind::Down).to_string(), "the connections of c1 and n1, n2 were closed, and no other could be made");
    }

    #[test]
    fn its_pairs_are_one_of_either_end() {
        assert_eq!(bare(ToxicKind::Down).pairs().collect::<Vec<_>>(), [("c1", "n1"), ("c1", "n2")]);
    }
}
