//! Extensions of one grant that may take effect in any order: what they leave of each other's promises.

use super::NEVER;
use crate::Nanos;
use crate::history::{OpId, Outcome};

/// The extensions of a grant that may take effect or have.
#[derive(Debug, Clone, Default)]
pub(super) struct Extending {
    in_flight: Vec<InFlight>,
    /// The shortest TTL of those that nobody knows of whether they took effect, or ever will.
    adrift: Option<Nanos>,
    /// When the last that took effect was answered.
    done: Option<Nanos>,
}

#[derive(Debug, Clone, Copy)]
struct InFlight {
    id: OpId,
    ttl: Nanos,
    /// The end of what it promises, as far as the others may shorten it.
    until: Nanos,
}

impl Extending {
    /// An extension is invoked, with its TTL in nanoseconds ([`NEVER`] without one). What was in flight then and what is invoked before it
    /// is answered may take effect after it.
    pub(super) fn begin(&mut self, id: OpId, at: Nanos, ttl: Nanos) {
        let others = self.in_flight.iter().map(|other| other.ttl);
        let shortest = others.chain(self.adrift).min().unwrap_or(NEVER);
        for other in &mut self.in_flight {
            other.until = other.until.min(at.saturating_add(ttl));
        }
        self.in_flight.push(InFlight { id, ttl, until: at.saturating_add(shortest) });
    }

    /// An extension ended. Returns the end of what it promises, as far as the others may have shortened it.
    pub(super) fn end(&mut self, id: OpId, at: Nanos, outcome: Outcome) -> Nanos {
        let Some(place) = self.in_flight.iter().position(|extension| extension.id == id) else { return NEVER };
        let ended = self.in_flight.swap_remove(place);
        match outcome {
            Outcome::Ok => self.done = Some(at),
            Outcome::Info => self.adrift = Some(self.adrift.map_or(ended.ttl, |shortest| shortest.min(ended.ttl))),
            Outcome::Fail => {}
        }
        ended.until
    }

    /// Whether one may have taken effect since then.
    pub(super) fn since(&self, since: Nanos) -> bool {
        !self.in_flight.is_empty() || self.adrift.is_some() || self.done.is_some_and(|at| at >= since)
    }
}
