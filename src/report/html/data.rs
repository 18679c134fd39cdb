//! The history as the page's script reads it: columns, not rows, and times as nanoseconds since the history's first event.

mod columns;

use crate::report::lease::Leases;
use crate::report::mark::{Mark, blames};
use crate::report::operation::{Operation, operations};
use crate::report::wording::{decimals, fault_words};
use crate::report::{Injected, Subject};
use checker::Nanos;
use checker::finding::Finding;
use checker::history::{Event, OpId, Phase, What};
use columns::{Columns, Named};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that the script draws.
#[derive(Debug, Serialize)]
pub struct Data<'s> {
    begin: i64,
    end: i64,
    clients: Vec<&'s str>,
    names: Vec<&'s str>,
    marks: Vec<&'static str>,
    verbs: [&'static str; 6],
    ops: Columns<'s>,
    leases: Vec<Grant>,
    findings: Vec<Found<'s>>,
    faults: Vec<Fault<'s>>,
    phases: Vec<(i64, &'static str)>,
    gone: Vec<(usize, i64)>,
    lost: Vec<(usize, usize, i64)>,
    /// How many operations the history has, where the page was given only a part of them.
    of: u64,
}

/// The operation that was granted it; from, certainly until, believed until, end of its TTL.
type Grant = (usize, i64, i64, i64, Option<i64>);

#[derive(Debug, Serialize)]
struct Found<'s> {
    kind: &'static str,
    lock: &'s str,
    clients: Vec<usize>,
    ops: Vec<usize>,
    from: i64,
    until: i64,
    cause: Option<i64>,
    sentence: &'s str,
}

#[derive(Debug, Serialize)]
struct Fault<'s> {
    kind: &'s str,
    text: &'s str,
    words: String,
    clients: Vec<usize>,
    from: i64,
    until: Option<i64>,
    failed: bool,
}

impl<'s> Data<'s> {
    /// The data of a subject.
    pub fn new(subject: &'s Subject) -> Data<'s> {
        let paired = operations(&subject.events);
        let mut in_time: Vec<&Operation<'s>> = paired.values().collect();
        in_time.sort_by_key(|operation| (operation.invoked, operation.id));
        let places: BTreeMap<OpId, usize> = in_time.iter().enumerate().map(|(place, operation)| (operation.id, place)).collect();
        let clock = Clock { origin: subject.origin };
        let blamed = blamed(&subject.judgement.findings, &paired);
        let (mut clients, mut names) = (Named::default(), Named::default());

        let mut ops = Columns::default();
        for (place, operation) in in_time.iter().enumerate() {
            let grant = operation.grant().and_then(|grant| places.get(&grant)).copied();
            let mark = Mark::of(operation, blamed.contains(&operation.id));
            let under = grant.map(|grant| in_time[grant]);
            ops.push(operation, place, mark, grant, under, clock, &mut clients, &mut names);
        }
        let leases = Leases::new(in_time.iter().map(|operation| **operation), &subject.events, &subject.header);
        let last = subject.events.iter().map(|event| event.at).max().unwrap_or(subject.origin);
        let grant = |(place, operation): (usize, &&Operation<'s>)| {
            let lease = leases.of(operation, last)?;
            let expiry = lease.expiry.map(|at| clock.since(at));
            Some((place, clock.since(lease.from), clock.since(lease.until), clock.since(lease.believed), expiry))
        };
        let leases = in_time.iter().enumerate().filter_map(grant).collect();
        let findings = subject.judgement.findings.iter().map(|finding| found(finding, &places, clock, &mut clients)).collect();
        let faults = subject.injected.iter().map(|injected| fault(injected, decimals(subject), &mut clients)).collect();
        let (mut phases, mut gone, mut lost) = (Vec::new(), Vec::new(), Vec::new());
        for Event { at, what } in &subject.events {
            let at = clock.since(*at);
            match what {
                What::Phase(phase) => phases.push((at, phase_name(phase))),
                What::Gone { client } => gone.push((clients.of(client), at)),
                What::Lost { client, lock } => lost.push((clients.of(client), names.of(lock), at)),
                What::Invoke { .. } | What::Done(_) | What::Fault(_) | What::Observe(_) => {}
            }
        }
        let first = subject.events.iter().map(|event| event.at).min().unwrap_or(subject.origin);
        Data {
            begin: clock.since(first),
            end: clock.since(last),
            clients: clients.all,
            names: names.all,
            marks: Mark::ALL.iter().map(|mark| mark.meaning()).collect(),
            verbs: columns::VERBS,
            ops,
            leases,
            findings,
            faults,
            phases,
            gone,
            lost,
            of: subject.judgement.counts.operations,
        }
    }
}

/// Stamps as times since the history's first event. An event of somebody else's history may be stamped before the first one.
#[derive(Debug, Clone, Copy)]
struct Clock {
    origin: Nanos,
}

impl Clock {
    fn since(self, at: Nanos) -> i64 {
        let since = i128::from(at) - i128::from(self.origin);
        since.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }
}

/// The operations that a finding blames.
fn blamed(findings: &[Finding], paired: &BTreeMap<OpId, Operation<'_>>) -> BTreeSet<OpId> {
    let acts = findings.iter().flat_map(|finding| finding.events.iter().map(move |id| (finding, id)));
    acts.filter(|(finding, id)| paired.get(id).is_some_and(|operation| blames(finding, operation))).map(|(_, id)| *id).collect()
}

fn found<'s>(finding: &'s Finding, places: &BTreeMap<OpId, usize>, clock: Clock, clients: &mut Named<'s>) -> Found<'s> {
    Found {
        kind: finding.kind.name(),
        lock: &finding.lock,
        clients: finding.clients.iter().map(|client| clients.of(client)).collect(),
        ops: finding.events.iter().filter_map(|id| places.get(id)).copied().collect(),
        from: clock.since(finding.from),
        until: clock.since(finding.until),
        cause: finding.cause.as_ref().map(|cause| clock.since(cause.at)),
        sentence: &finding.sentence,
    }
}

/// A fault; its times count from the origin already.
fn fault<'s>(injected: &'s Injected, decimals: u32, clients: &mut Named<'s>) -> Fault<'s> {
    Fault {
        kind: &injected.kind,
        text: &injected.text,
        words: fault_words(injected, decimals),
        clients: injected.targets.iter().filter_map(|target| clients.known(target)).collect(),
        from: injected.begin.try_into().unwrap_or(i64::MAX),
        until: injected.end.map(|end| end.try_into().unwrap_or(i64::MAX)),
        failed: injected.failed.is_some(),
    }
}

fn phase_name(phase: &Phase) -> &'static str {
    match phase {
        Phase::Healthy => "healthy",
        Phase::Sick(_) => "sick",
        Phase::Quiet => "quiet",
        Phase::Interrupted(_) => "interrupted",
        Phase::Stalled(_) => "stalled",
        Phase::End => "end",
    }
}
