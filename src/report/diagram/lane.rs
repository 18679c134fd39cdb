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
    /// About which lock; none where all lanes are about one.
    pub lock: Option<&'e str>,
    /// Its leases.
    pub leases: Vec<Lease>,
    /// When it was paused.
    pub pauses: Vec<(Nanos, Nanos)>,
    /// What it did.
    pub acts: Vec<Act>,
    /// When it was no more.
    pub gone: Option<Nanos>,
}

impl Lane<'_> {
    /// What stands before it.
    pub fn name(&self) -> String {
        self.lock.map_or(self.client.into(), |lock| format!("{} {lock}", self.client))
    }
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
    let locks = match focus.locks().as_slice() {
        [] | [_] => vec![None],
        several => several.iter().copied().map(Some).collect(),
    };
    let each = focus.clients.iter().flat_map(|client| locks.iter().map(move |lock| (*client, *lock)));
    let lanes = each.map(|(client, lock)| lane(client, lock, focus, events, &leases, origin));
    lanes.filter(|lane| lane.lock.is_none() || !lane.acts.is_empty()).collect()
}

fn lane<'e>(
    client: &'e str,
    lock: Option<&'e str>,
    focus: &Focus<'e>,
    events: &'e [Event],
    leases: &Leases<'_>,
    origin: Nanos,
) -> Lane<'e> {
    let is_own = |operation: &&Operation<'e>| operation.client == client && lock.is_none_or(|lock| focus.lock(operation) == lock);
    let own: Vec<&Operation<'e>> = focus.operations.iter().filter(is_own).collect();
    let paused = focus.faults.iter().filter(|fault| fault.kind == "pause" && fault.targets.iter().any(|target| target == client));
    let refused = focus.refused.iter().filter(is_own);
    let mut acts: Vec<Act> = own.iter().copied().chain(refused).map(|operation| act(operation, &focus.findings)).collect();
    acts.sort_by_key(|act| act.at);
    let gone = events.iter().find_map(|event| match &event.what {
        What::Gone { client: gone } if gone == client => Some(event.at),
        _ => None,
    });
    acts.retain(|act| gone.is_none_or(|gone| act.from < gone));
    Lane {
        client,
        lock,
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
