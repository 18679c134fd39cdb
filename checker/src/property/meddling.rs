//! Who may have taken a lock away, or changed it, since some time.

use crate::Nanos;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Completed, Instant, OpKind, Operation};
use crate::judge::names::{ByName, Name};
use crate::lease::Grant;

/// The releases and extensions of each lock that took effect or may have.
///
/// Whether another hand than some grant's meddled is known from the last of two different hands.
#[derive(Debug, Default)]
pub(super) struct Meddling {
    locks: ByName<Meddlers>,
}

/// A client that acts under a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Hand(Name, Option<OpId>);

#[derive(Debug, Default)]
struct Meddlers {
    /// The last that took effect, and the last of another hand: when it was answered.
    certain: [Option<(Hand, Nanos)>; 2],
    /// Two hands of which something has an unknown outcome, and may take effect at any time.
    unknown: [Option<Hand>; 2],
}

fn meddles(op: &Operation) -> bool {
    matches!(op.kind, OpKind::Release | OpKind::Extend)
}

impl Meddling {
    /// Takes in a completion.
    pub(super) fn done(&mut self, done: &Completed) {
        if meddles(&done.op) && done.outcome != Outcome::Fail {
            self.locks.get_or_insert_with(done.op.target, Meddlers::default).done(Hand(done.op.client, done.op.grant), done);
        }
    }

    /// Whether a release or an extension under another grant may have taken effect since this grant was asked for.
    pub(super) fn may_explain(&self, now: &Instant<'_>, grant: &Grant) -> bool {
        let own = Hand(grant.client, Some(grant.id));
        let in_flight = |op: &Operation| op.target == grant.lock && meddles(op) && Hand(op.client, op.grant) != own;
        let ended = self.locks.get(grant.lock).is_some_and(|meddlers| meddlers.may_explain(own, grant.invoked));
        ended || now.leases.pending().any(|op| in_flight(op))
    }
}

impl Meddlers {
    fn done(&mut self, hand: Hand, done: &Completed) {
        if done.outcome == Outcome::Ok {
            let [last, other] = &mut self.certain;
            if last.is_some_and(|(before, _)| before != hand) {
                *other = *last;
            }
            *last = Some((hand, done.at));
        } else if !self.unknown.contains(&Some(hand))
            && let Some(place) = self.unknown.iter_mut().find(|place| place.is_none())
        {
            *place = Some(hand);
        }
    }

    fn may_explain(&self, own: Hand, since: Nanos) -> bool {
        let took_effect = self.certain.iter().flatten().any(|(hand, at)| *hand != own && *at >= since);
        took_effect || self.unknown.iter().flatten().any(|hand| *hand != own)
    }
}
