//! The characters of a diagram, and what they mean.

use crate::report::mark::Mark;
use crate::report::paint::{Look, Paint};

/// A character of a diagram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Glyph {
    /// Something a client did.
    Mark(Mark),
    /// An operation that is on its way.
    InFlight,
    /// A lease that runs.
    Lease,
    /// The end of a lease's time to live.
    Expiry,
    /// The lease is over, and its holder does not know.
    Believed,
    /// Paused.
    Paused,
    /// Paused while the lease runs.
    PausedLease,
    /// The client is no more.
    Gone,
}

impl Glyph {
    /// Its character and its paint.
    pub fn drawn(self, look: Look) -> (char, Paint) {
        let (unicode, ascii, paint) = match self {
            Glyph::Mark(Mark::Granted) => ('A', 'A', Paint::Bold),
            Glyph::Mark(Mark::Refused) => ('·', '.', Paint::Dim),
            Glyph::Mark(Mark::Read) => ('R', 'R', Paint::Bold),
            Glyph::Mark(Mark::Written) => ('W', 'W', Paint::Bold),
            Glyph::Mark(Mark::Harm) => ('‼', '!', Paint::Harm),
            Glyph::Mark(Mark::FencedOff) => ('✗', 'X', Paint::Guard),
            Glyph::Mark(Mark::Extended) => ('E', 'E', Paint::Bold),
            Glyph::Mark(Mark::Checked) => ('C', 'C', Paint::Bold),
            Glyph::Mark(Mark::Released) => ('>', '>', Paint::Bold),
            Glyph::Mark(Mark::Failed) => ('×', 'x', Paint::Bold),
            Glyph::Mark(Mark::Unknown) => ('?', '?', Paint::Bold),
            Glyph::InFlight => ('─', '-', Paint::Dim),
            Glyph::Lease => ('═', '=', Paint::Lease),
            Glyph::Expiry => ('┃', '|', Paint::Lease),
            Glyph::Believed => ('┄', '~', Paint::Dim),
            Glyph::Paused => ('░', ':', Paint::Pause),
            Glyph::PausedLease => ('▒', '#', Paint::Pause),
            Glyph::Gone => ('†', '+', Paint::Fault),
        };
        (look.glyph(unicode, ascii), paint)
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            Glyph::Mark(mark) => mark.meaning(),
            Glyph::InFlight => "on its way",
            Glyph::Lease => "lease",
            Glyph::Expiry => "end of its TTL",
            Glyph::Believed => "over, but its holder does not know",
            Glyph::Paused => "paused",
            Glyph::PausedLease => "paused, lease running",
            Glyph::Gone => "dead",
        }
    }
}
