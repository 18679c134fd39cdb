//! **two-holders**, **over-limit**: more owners certainly held a lock at once than it allows.
//!
//! Two certain leases overlap if they share more than a border: `max(starts) < min(ends)`; an instant at which one was told yes counts if it lies
//! strictly inside another's lease. This is exact. If the certain leases of a mutex are disjoint, take each acquire at its completion and
//! each release at its invocation or the promise's end: that is a linearization. If two overlap, none exists: each acquire must have taken
//! effect by its completion and no release could before its lease's end. For a semaphore of N the same holds of N + 1 leases that share an instant:
//! intervals that overlap pairwise on a line have a point in common (Helly).
//!
//! Each lease is held against those that are still active when it begins: sort and sweep, O(n log n).

use super::Property;
use crate::finding::Kind;
use crate::judge::lease::Lease;
use crate::judge::ledger::{Fact, Grant, Ledger};
use crate::judge::suspicion::{Story, Suspicion};

/// Looks for leases that overlap.
#[derive(Debug)]
pub struct TwoHolders;

impl Property for TwoHolders {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let (Fact::Granted(_, _, grant) | Fact::Extended(_, _, grant)) = fact else { return };
        let now = ledger.now;
        let begins_now = match grant.lease {
            Lease::Empty => return,
            Lease::Point(at) => at == now,
            Lease::Span { from, .. } => from == now && grant.end().is_none_or(|end| end > now),
        };
        if !begins_now {
            return;
        }
        let point = matches!(grant.lease, Lease::Point(_));
        let overlaps = |other: &&Grant| {
            let began = match other.lease {
                Lease::Span { from, .. } if point => from < now,
                // Of two that begin at once each finds the other: the later acquire tells.
                Lease::Span { from, .. } => from < now || (from == now && other.id < grant.id),
                Lease::Point(_) | Lease::Empty => false,
            };
            other.client != grant.client && began
        };
        let terms = ledger.terms(&grant.lock);
        let mut others: Vec<&Grant> = ledger.holders(&grant.lock).filter(overlaps).collect();
        others.sort_by_key(|other| (other.granted, other.id));
        others.dedup_by(|a, b| a.client == b.client);
        if others.len() < terms.limit as usize {
            return;
        }
        let ends = others.iter().copied().chain([*grant]).filter_map(Grant::end).min();
        let first = others[0];
        let lock = &grant.lock;
        let promise = |grant: &Grant| match grant.end() {
            Some(_) => format!("{} was promised {lock} until {{}}", grant.client),
            None => format!("{} held {lock} since {{}} and had not given it back", grant.client),
        };
        let promised = |grant: &Grant| grant.end().unwrap_or(grant.granted);
        let told = if point { "and was told so only at {}, when its own lease was over" } else { "it at {}" };
        let (kind, story) = if terms.limit == 1 {
            let template = if point {
                format!("{}; {} was granted {lock} too, {told}", promise(first), grant.client)
            } else {
                format!("{}; {} was granted {told}", promise(first), grant.client)
            };
            (Kind::TwoHolders, Story::new(&template, &[promised(first), now]))
        } else {
            let names: Vec<&str> = others.iter().map(|other| other.client.as_str()).collect();
            let template = format!(
                "{lock} allows {} holders, and {} held it when {} was granted {told}",
                terms.limit,
                names.join(" and "),
                grant.client
            );
            (Kind::OverLimit, Story::new(&template, &[now]))
        };
        let parties = || others.iter().copied().chain([*grant]);
        report.push(Suspicion {
            kind,
            lock: lock.clone(),
            clients: parties().map(|grant| grant.client.clone()).collect(),
            events: parties().map(|grant| grant.id).collect(),
            window: (first.invoked, now),
            harm: (now, ends.unwrap_or(now).max(now)),
            story,
        });
    }
}
