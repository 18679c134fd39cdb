//! Picks the few operations, clients and moments that matter.

use crate::report::Injected;
use crate::report::operation::Operation;
use checker::Nanos;
use checker::finding::{Finding, Judgement};
use checker::history::{Op, OpId, Outcome};
use std::collections::{BTreeMap, BTreeSet};

/// The most lanes, findings and operations that one look can take in.
const LANES: usize = 4;
const FINDINGS: usize = 4;
const OPERATIONS: usize = 24;

/// What a diagram shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Focus<'e> {
    /// The clients, a lane each, in the order of their first act.
    pub clients: Vec<&'e str>,
    /// The operations, by time.
    pub operations: Vec<Operation<'e>>,
    /// Tries that were refused.
    pub refused: Vec<Operation<'e>>,
    /// The findings.
    pub findings: Vec<&'e Finding>,
    /// The faults; their times count from the history's origin.
    pub faults: Vec<&'e Injected>,
    /// The lock that each operation is about, by its id.
    pub about: BTreeMap<OpId, &'e str>,
    /// From when to when.
    pub window: (Nanos, Nanos),
}

impl<'e> Focus<'e> {
    /// The locks, in the order of their first operation.
    pub fn locks(&self) -> Vec<&'e str> {
        let mut locks = Vec::new();
        for operation in &self.operations {
            let lock = self.lock(operation);
            if !locks.contains(&lock) {
                locks.push(lock);
            }
        }
        locks
    }

    /// The lock that an operation is about.
    pub fn lock(&self, operation: &Operation<'_>) -> &'e str {
        self.about.get(&operation.id).copied().unwrap_or_default()
    }
}

/// What an operation is about: the lock, that of its grant, or a resource that is under none.
fn about<'e>(operation: &Operation<'e>, all: &BTreeMap<OpId, Operation<'e>>) -> &'e str {
    match operation.op {
        Op::Acquire { lock, .. } | Op::Extend { lock, .. } | Op::Release { lock, .. } | Op::Check { lock, .. } => lock,
        Op::Read { resource, .. } | Op::Write { resource, .. } => {
            match operation.grant().and_then(|grant| all.get(&grant)).map(|grant| grant.op) {
                Some(Op::Acquire { lock, .. }) => lock,
                _ => resource,
            }
        }
    }
}

/// Picks what matters; none where there is nothing to show.
pub fn focus<'e>(
    all: &BTreeMap<OpId, Operation<'e>>,
    judgement: &'e Judgement,
    injected: &'e [Injected],
    origin: Nanos,
) -> Option<Focus<'e>> {
    let findings = few(&judgement.findings);
    let mut keys: BTreeSet<OpId> = findings.iter().flat_map(|finding| finding.events.iter().copied()).collect();
    if findings.is_empty() {
        keys.extend(averted(all));
    }
    if keys.is_empty() {
        keys.extend(hurt(all, injected, origin));
    }
    if let Some(window) = span(keys.iter().filter_map(|id| all.get(id))) {
        let faults = relevant(injected, &findings, window, origin);
        keys.extend(faults.iter().flat_map(|fault| caught(all, fault, origin)));
    }
    keys.extend(keys.clone().iter().filter_map(|id| all.get(id)?.grant()));
    let grants = keys.clone();
    let ends = |operation: &&Operation<'_>| {
        matches!(operation.op, Op::Release { .. }) && operation.grant().is_some_and(|grant| grants.contains(&grant))
    };
    keys.extend(all.values().filter(ends).map(|operation| operation.id));
    keys.retain(|id| all.contains_key(id));

    let mut window = span(keys.iter().map(|id| &all[id]))?;
    let faults = relevant(injected, &findings, window, origin);
    for fault in &faults {
        window.0 = window.0.min(origin + fault.begin);
        window.1 = window.1.max(origin + fault.end.or(fault.verified).unwrap_or(fault.begin));
    }
    for finding in &findings {
        window.1 = window.1.max(finding.from);
    }

    let mut in_time: Vec<&Operation<'e>> = all.values().collect();
    in_time.sort_by_key(|operation| (operation.invoked, operation.id));
    // What the same clients do meanwhile with other locks is another story.
    let told: BTreeSet<&str> = keys.iter().map(|id| about(&all[id], all)).collect();
    in_time.retain(|operation| {
        operation.invoked <= window.1 && operation.told() >= window.0 && told.contains(about(operation, all))
    });
    let mut clients: Vec<&str> = Vec::new();
    // Where nothing was found, whoever asked in vain is part of what happened.
    let others = in_time.iter().filter(|_| findings.is_empty());
    for operation in in_time.iter().filter(|operation| keys.contains(&operation.id)).chain(others) {
        if !clients.contains(&operation.client) && clients.len() < LANES {
            clients.push(operation.client);
        }
    }
    let first = |client: &str| all.values().filter(|operation| operation.client == client).map(|op| (op.invoked, op.id)).min();
    clients.sort_by_key(|client| first(client));
    let near = in_time.into_iter().filter(|operation| clients.contains(&operation.client));
    let (refused, mut operations): (Vec<&Operation<'e>>, Vec<&Operation<'e>>) =
        near.partition(|operation| operation.refused() && !keys.contains(&operation.id));
    // Where not all have room, those that prove something stay, and of the others the latest, which are nearest to the harm.
    if let Some(excess) = operations.len().checked_sub(OPERATIONS) {
        let others = operations.iter().filter(|operation| !keys.contains(&operation.id)).take(excess);
        let dropped: BTreeSet<OpId> = others.map(|operation| operation.id).collect();
        operations.retain(|operation| !dropped.contains(&operation.id));
        operations.truncate(OPERATIONS);
    }
    let owned = |operations: Vec<&Operation<'e>>| operations.into_iter().copied().collect();
    let (operations, refused): (Vec<Operation<'e>>, Vec<Operation<'e>>) = (owned(operations), owned(refused));
    let about = operations.iter().chain(&refused).map(|operation| (operation.id, about(operation, all))).collect();
    Some(Focus { clients, operations, refused, findings, faults, about, window })
}

/// The first finding, and those after it that belong to its story: another kind, or about the same operations.
fn few(findings: &[Finding]) -> Vec<&Finding> {
    let mut shown: Vec<&Finding> = Vec::new();
    let mut clients: BTreeSet<&str> = BTreeSet::new();
    for finding in findings {
        let with: BTreeSet<&str> = clients.iter().copied().chain(finding.clients.iter().map(String::as_str)).collect();
        let same_story = shown.iter().any(|other| finding.events.iter().any(|event| other.events.contains(event)));
        let new_kind = shown.iter().all(|other| other.kind != finding.kind);
        if shown.len() < FINDINGS && (shown.is_empty() || with.len() <= LANES && (same_story || new_kind)) {
            shown.push(finding);
            clients = with;
        }
    }
    shown
}

/// The first write that fencing refused, and the one that outranked it.
fn averted(all: &BTreeMap<OpId, Operation<'_>>) -> Vec<OpId> {
    let Some(refused) = all.values().find(|operation| operation.fenced_off()) else { return Vec::new() };
    let rank = refused.done.and_then(|(_, completion)| completion.fenced_by);
    let outranks = |operation: &&Operation<'_>| match operation.op {
        Op::Write { fence, .. } => fence.is_some() && *fence == rank && operation.ended(Outcome::Ok),
        _ => false,
    };
    all.values().find(outranks).into_iter().chain([refused]).map(|operation| operation.id).collect()
}

/// What clients did while the first fault was in force, refusals aside.
fn hurt(all: &BTreeMap<OpId, Operation<'_>>, injected: &[Injected], origin: Nanos) -> Vec<OpId> {
    let Some(fault) = injected.first() else { return Vec::new() };
    let (begin, end) = (origin + fault.begin, origin + fault.end.or(fault.verified).unwrap_or(fault.begin));
    let during = all.values().filter(|operation| operation.invoked <= end && operation.told() >= begin && !operation.refused());
    during.take(OPERATIONS).map(|operation| operation.id).collect()
}

/// What a fault's targets were about when it hit them: the last operation of each that had begun, as far as it was not refused.
fn caught(all: &BTreeMap<OpId, Operation<'_>>, fault: &Injected, origin: Nanos) -> Vec<OpId> {
    let last = |target: &String| {
        let begun = all.values().filter(|operation| operation.client == target && operation.invoked <= origin + fault.begin);
        begun
            .max_by_key(|operation| (operation.invoked, operation.id))
            .filter(|operation| !operation.refused())
            .map(|operation| operation.id)
    };
    fault.targets.iter().filter_map(last).collect()
}

/// The faults that caused what is shown, or fell into its time.
fn relevant<'e>(
    injected: &'e [Injected],
    findings: &[&Finding],
    (from, until): (Nanos, Nanos),
    origin: Nanos,
) -> Vec<&'e Injected> {
    let causes: Vec<&str> = findings.iter().filter_map(|finding| finding.cause.as_ref()?.step.as_deref()).collect();
    let overlaps = |fault: &Injected| origin + fault.begin <= until && fault.over().is_none_or(|over| origin + over >= from);
    injected.iter().filter(|fault| causes.contains(&fault.step.as_str()) || overlaps(fault)).take(LANES).collect()
}

fn span<'o, 'e: 'o>(operations: impl Iterator<Item = &'o Operation<'e>> + Clone) -> Option<(Nanos, Nanos)> {
    let from = operations.clone().map(|operation| operation.invoked).min()?;
    let until = operations.map(|operation| operation.told()).max()?;
    Some((from, until))
}
