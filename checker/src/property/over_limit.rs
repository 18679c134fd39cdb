//! `over-limit`: more clients certainly held a semaphore at once than it allows.
//!
//! **Definition.** At some instant the [certain leases](crate::lease) of more than `limit` clients run; for a claim that was
//! made when its validity was over, `limit` leases of other clients contain the time in which it may have been made, strictly;
//! and so they do the stamp of a grant that is given back at the very stamp at which it was answered.
//!
//! **Source.** The counting semaphores of *Redis in Action* (section 6.3), where a client whose clock is ahead steals a slot.
//!
//! **Why exact.** The number of leases that run rises only where one begins, so it exceeds the limit at some time exactly if
//! it does so just after a start. The general argument is that of `two-holders`: every one of those grants had taken effect
//! and none had ended.

use super::Property;
use super::overlap::{Overlaps, held_for_an_instant, nests, others};
use crate::finding::Kind;
use crate::judge::fact::{Fact, Facts, Instant, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::seconds::Seconds;
use crate::lease::Grant;

/// The property.
#[derive(Debug, Default)]
pub struct OverLimit {
    overlaps: Overlaps,
}

impl Property for OverLimit {
    fn wants(&self) -> Facts {
        facts::LEASED | facts::CLAIMED | if self.overlaps.is_empty() { 0 } else { facts::ALWAYS }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        self.overlaps.settle(now, found);
        for fact in now.facts {
            let (Fact::Leased(id) | Fact::Claimed { grant: id, .. }) = fact else { continue };
            let Some(grant) = now.leases.grant(*id) else { continue };
            let limit = now.terms(grant.lock).limit as usize;
            if limit == 1 {
                continue;
            }
            let mut others = others(now, grant);
            let within = match fact {
                Fact::Claimed { told, .. } => Some(*told),
                _ => held_for_an_instant(now, grant).then_some(now.at),
            };
            match within {
                Some(told) => {
                    others.retain(|other| other.start < told);
                    if others.len() >= limit {
                        found.add(Kind::OverLimit, grant.lock, || draft(now, &others, grant, limit));
                    }
                }
                None if grant.holds_at(now.at) && !nests(now, grant) => {
                    // Of several that begin at this very instant, each is counted with those of lower ids.
                    others.retain(|other| (other.start, other.id) < (grant.start, grant.id));
                    if others.len() >= limit {
                        let grants = others.iter().map(|other| other.id).chain([grant.id]).collect();
                        self.overlaps.begin(grants, draft(now, &others, grant, limit));
                    }
                }
                None => {}
            }
        }
    }

    fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        self.overlaps.finish(now, found);
    }
}

fn draft(now: &Instant<'_>, holders: &[&Grant], last: &Grant, limit: usize) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[now.at]);
    let names: Vec<&str> = holders.iter().map(|holder| now.name(holder.client)).collect();
    let sentence = format!(
        "{} held {}, which allows {limit}; {} was granted it too at {}",
        names.join(" and "),
        now.name(last.lock),
        now.name(last.client),
        seconds.at(now.at)
    );
    let all = || holders.iter().copied().chain([last]);
    Draft {
        clients: all().map(|grant| grant.client).collect(),
        events: all().map(|grant| grant.id).collect(),
        since: all().map(|grant| grant.invoked).min().unwrap_or(now.at),
        flights: all().map(|grant| (grant.client, grant.invoked, grant.granted)).collect(),
        ..Draft::new(Kind::OverLimit, last.lock, now.at, sentence)
    }
}
