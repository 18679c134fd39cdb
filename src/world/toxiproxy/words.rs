//! Toxics in Toxiproxy's own words.

use nemesis::Dose;
use std::collections::BTreeMap;

/// A toxic as Toxiproxy's interface has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words {
    /// Its type.
    pub kind: &'static str,
    /// Its attributes, in milliseconds and bytes; what a slicer waits is in microseconds.
    pub attributes: BTreeMap<&'static str, u32>,
}

/// A dose in words; `down` is no toxic there, but a state of the proxy.
pub fn words(dose: Dose) -> Option<Words> {
    // A plan is held to numbers that fit.
    let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let words = |kind, attributes: &[(&'static str, u64)]| {
        let attributes = attributes.iter().map(|(name, value)| (*name, number(*value))).collect();
        Some(Words { kind, attributes })
    };
    match dose {
        Dose::Latency { ms, jitter_ms } => words("latency", &[("latency", ms), ("jitter", jitter_ms)]),
        Dose::Bandwidth { kb_per_s } => words("bandwidth", &[("rate", kb_per_s)]),
        Dose::Timeout { ms } => words("timeout", &[("timeout", ms)]),
        Dose::ResetPeer { ms } => words("reset_peer", &[("timeout", ms)]),
        Dose::SlowClose { ms } => words("slow_close", &[("delay", ms)]),
        Dose::Slicer { bytes, delay_ms } => {
            words("slicer", &[("average_size", bytes), ("size_variation", 0), ("delay", delay_ms * 1000)])
        }
        Dose::LimitData { bytes } => words("limit_data", &[("bytes", bytes)]),
        Dose::Down => None,
    }
}
