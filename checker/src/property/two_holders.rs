//! `two-holders`: two clients certainly held a mutex at once.
//!
//! **Definition.** The [certain leases](crate::lease) of two grants of one lock, of different clients, overlap: the later
//! start is before the earlier end. A claim to hold that was made when nobody had looked at the clock and the validity was
//! over ([`Promise::Claim`](crate::lease::Promise::Claim)) overlaps a lease that contains all the time in which it may have
//! been made, strictly; and so does a grant that is given back at the very stamp at which it was answered.
//!
//! **Source.** Mutual exclusion as Jepsen checks it with Knossos's mutex model; the claim is Kleppmann's process pause in
//! flight, which Redlock's author answers with the elapsed-time check.
//!
//! **Why exact.** Take each acquire at its completion and each release at the end of its certain lease. If the certain
//! leases of a lock are disjoint, that order is a linearization of a mutex. If two of different owners overlap, then the
//! first grant took effect before the later of the two completions and had not ended at it, and so had the second: no order
//! of the operations makes both right. The sweep compares each lease with those that run when it begins, and any two
//! intervals that overlap overlap at the later start; so each pair is met once. Leases of one client nest.

use super::Property;
use super::overlap::{Overlaps, held_for_an_instant, nests, others};
use crate::Nanos;
use crate::finding::Kind;
use crate::history::OpId;
use crate::judge::fact::{Fact, Facts, Instant, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::seconds::Seconds;
use crate::lease::{Grant, NEVER};

/// The property.
#[derive(Debug, Default)]
pub struct TwoHolders {
    overlaps: Overlaps,
}

impl Property for TwoHolders {
    fn wants(&self) -> Facts {
        facts::LEASED | facts::CLAIMED | if self.overlaps.is_empty() { 0 } else { facts::ALWAYS }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        self.overlaps.settle(now, found);
        for fact in now.facts {
            match fact {
                Fact::Leased(id) => self.leased(now, *id, found),
                Fact::Claimed { grant: id, told, over } => {
                    let Some(grant) = now.leases.grant(*id).filter(|grant| now.terms(grant.lock).limit == 1) else { continue };
                    for other in others(now, grant).into_iter().filter(|other| other.start < *told) {
                        found.add(Kind::TwoHolders, grant.lock, || claim(now, other, grant, *over));
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        self.overlaps.finish(now, found);
    }
}

impl TwoHolders {
    fn leased(&mut self, now: &Instant<'_>, id: OpId, found: &mut Found) {
        let Some(grant) = now.leases.grant(id) else { return };
        if now.terms(grant.lock).limit != 1 || nests(now, grant) {
            return;
        }
        if held_for_an_instant(now, grant) {
            for other in others(now, grant).into_iter().filter(|other| other.start < now.at) {
                found.add(Kind::TwoHolders, grant.lock, || pair(now, other, grant));
            }
        }
        if !grant.holds_at(now.at) {
            return;
        }
        // Of two that begin at this very instant, the pair is told with the later id as the second.
        for other in others(now, grant).into_iter().filter(|other| (other.start, other.id) < (grant.start, grant.id)) {
            self.overlaps.begin(vec![other.id, grant.id], pair(now, other, grant));
        }
    }
}

fn pair(now: &Instant<'_>, first: &Grant, second: &Grant) -> Draft {
    let (one, two, lock) = (now.name(first.client), now.name(second.client), now.name(first.lock));
    let seconds = Seconds::telling_apart(now.zero, &[first.start, first.end, second.start]);
    let granted = seconds.at(second.start);
    let sentence = if first.end == NEVER {
        format!(
            "{one} was granted {lock} at {} and had not released it; {two} was granted it at {granted}",
            seconds.at(first.start)
        )
    } else {
        format!("{one} was promised {lock} until {}; {two} was granted it at {granted}", seconds.at(first.end))
    };
    draft(now, first, second, sentence)
}

fn claim(now: &Instant<'_>, holder: &Grant, claimant: &Grant, over: Nanos) -> Draft {
    let (one, two, lock) = (now.name(holder.client), now.name(claimant.client), now.name(holder.lock));
    let seconds = Seconds::telling_apart(now.zero, &[holder.start, holder.end, now.at, over]);
    let held = if holder.end == NEVER {
        format!("{one} was granted {lock} at {} and had not released it", seconds.at(holder.start))
    } else {
        format!("{one} was promised {lock} until {}", seconds.at(holder.end))
    };
    let (told, over) = (seconds.at(now.at), seconds.at(over));
    draft(
        now,
        holder,
        claimant,
        format!("{held}; {two} was told at {told} that it holds it, when its own time was over since {over}"),
    )
}

fn draft(now: &Instant<'_>, first: &Grant, second: &Grant, sentence: String) -> Draft {
    Draft {
        clients: vec![first.client, second.client],
        events: vec![first.id, second.id],
        since: first.invoked.min(second.invoked),
        flights: [second, first].map(|grant| (grant.client, grant.invoked, grant.granted)).to_vec(),
        release: now.faults.release_by_another(first.lock, first.client, first.start),
        ..Draft::new(Kind::TwoHolders, first.lock, now.at, sentence)
    }
}
