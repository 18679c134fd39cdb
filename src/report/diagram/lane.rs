//! What one client's lane shows: its leases, its pauses and its acts.

use super::focus::Focus;
use crate::report::lease::{Lease, Leases};
use crate::report::mark::{Mark, blames, stands_at};
use crate::report::operation::Operation;
use checker::Nanos;
use checker::finding::Finding;
use checker::history::{Event, Header, What};

/// One client's lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane<'e> {
    /// Whose.
    pub client: &'e str,
    /// Its leases.
    pub leases: Vec<Lease>,
    /// When it was paused.
    pub pauses: Vec<(Nanos, Nanos)>,
    /// What it did.
    pub acts: Vec<Act>,
    /// When it was no more.
    pub gone: Option<Nanos>,
}

/// Something that a client did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Act {
    /// When it was invoked.
    pub from: Nanos,
    /// Where its mark stands: a release at its begin, where the lease ends; everything else where its client was told.
    pub at: Nanos,
    /// When its client was told how it ended.
    pub until: Nanos,
    /// Which mark.
    pub mark: Mark,
}

/// The lanes of a diagram.
pub fn lanes<'e>(focus: &Focus<'e>, events: &'e [Event], header: &'e Header, origin: Nanos) -> Vec<Lane<'e>> {
    let leases = Leases::new(focus.operations.iter().copied(), events, header);
    focus.clients.iter().map(|client| lane(client, focus, events, &leases, origin)).collect()
}

fn lane<'e>(client: &'e str, focus: &Focus<'e>, events: &'e [Event], leases: &Leases<'_>, origin: Nanos) -> Lane<'e> {
    let own: Vec<&Operation<'e>> = focus.operations.iter().filter(|operation| operation.client == client).collect();
    let paused = focus.faults.iter().filter(|fault| fault.kind == "pause" && fault.targets.iter().any(|target| target == client));
    let refused = focus.refused.iter().filter(|operation| operation.client == client);
    let mut acts: Vec<Act> = own.iter().copied().chain(refused).map(|operation| act(operation, &focus.findings)).collect();
    acts.sort_by_key(|act| act.at);
    let gone = events.iter().find_map(|event| match &event.what {
        What::Gone { client: gone } if gone == client => Some(event.at),
        _ => None,
    });
    acts.retain(|act| gone.is_none_or(|gone| act.from < gone));
    Lane {
        client,
        leases: own.iter().filter_map(|grant| leases.of(grant, focus.window.1)).collect(),
        pauses: paused.map(|fault| (origin + fault.begin, fault.end.map_or(focus.window.1, |end| origin + end))).collect(),
        acts,
        gone,
    }
}

fn act(operation: &Operation<'_>, findings: &[&Finding]) -> Act {
    let blamed = findings.iter().any(|finding| blames(finding, operation));
    Act { from: operation.invoked, at: stands_at(operation), until: operation.told(), mark: Mark::of(operation, blamed) }
}
