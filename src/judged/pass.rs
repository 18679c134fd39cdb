//! One pass over a stream of events, and a second one for what surrounds the findings of a long history.

use super::Keep;
use checker::Nanos;
use checker::ahead::read_ahead;
use checker::finding::{Finding, Judgement};
use checker::history::{Event, Header, What};
use checker::judge::Judge;
use std::collections::BTreeSet;

/// The most findings of a long history whose surroundings are looked up.
const FINDINGS: usize = 16;

/// How far the surroundings of a finding reach, in nanoseconds.
const AROUND: Nanos = 2_000_000_000;

/// What one pass saw.
pub(super) struct Pass {
    /// The stamp of the first event.
    pub(super) origin: Nanos,
    /// The first events, up to as many as are kept.
    pub(super) events: Vec<Event>,
    /// Whether those are all.
    pub(super) whole: bool,
    /// What the nemesis did and the phases, of the whole history.
    said: Vec<Event>,
    /// What the judge did not judge, in sentences.
    pub(super) unjudged: Vec<String>,
}

impl Pass {
    /// The events that a report of these findings needs: of a long history those around them, which are looked up again.
    pub(super) fn told<E>(
        self,
        findings: &[Finding],
        around: impl FnOnce() -> Result<Vec<Event>, E>,
    ) -> Result<(Nanos, Vec<Event>), E> {
        let events = match (self.whole, findings.is_empty()) {
            (true, _) => self.events,
            (false, true) => self.said,
            (false, false) => around()?,
        };
        Ok((self.origin, events))
    }
}

/// Judges a stream of events.
pub(super) fn judged<E: Send>(
    header: &Header,
    stream: impl Iterator<Item = Result<Event, E>> + Send,
    keep: Keep,
) -> Result<(Judgement, Pass), E> {
    let mut judge = Judge::new(header);
    let mut pass = pass(stream, keep, |event| judge.see(event))?;
    let (judgement, unjudged) = judge.finish_with_rest();
    pass.unjudged = unjudged;
    Ok((judgement, pass))
}

/// Keeps what a report needs of a stream of events, each of which is seen.
pub(super) fn pass<E: Send>(
    stream: impl Iterator<Item = Result<Event, E>> + Send,
    keep: Keep,
    mut see: impl FnMut(&Event),
) -> Result<Pass, E> {
    let (mut events, mut said): (Vec<Event>, Vec<Event>) = (Vec::new(), Vec::new());
    let mut origin = None;
    let mut whole = true;
    read_ahead(stream, |batch| {
        batch.iter().for_each(&mut see);
        origin = origin.or(batch.first().map(|event| event.at));
        let spoken = batch.iter().filter(|event| matches!(event.what, What::Fault(_) | What::Phase(_)));
        said.extend(spoken.take(keep.most() - said.len()).cloned());
        let kept = batch.len().min(keep.most() - events.len());
        whole &= kept == batch.len();
        events.extend(batch.drain(..kept));
    })?;
    Ok(Pass { origin: origin.unwrap_or(0), events, whole, said, unjudged: Vec::new() })
}

/// The events of a long history that a report of these findings needs.
pub(super) fn around<E>(
    stream: impl Iterator<Item = Result<Event, E>>,
    findings: &[Finding],
    keep: Keep,
) -> Result<Vec<Event>, E> {
    let shown = &findings[..findings.len().min(FINDINGS)];
    let ids: BTreeSet<u64> = shown.iter().flat_map(|finding| finding.events.iter().copied()).collect();
    let near = |at: Nanos, client: &str| {
        shown.iter().any(|finding| {
            (finding.from.saturating_sub(AROUND)..=finding.until.saturating_add(AROUND)).contains(&at)
                && finding.clients.iter().any(|c| c == client)
        })
    };
    let mut events = Vec::new();
    for event in stream {
        let event = event?;
        let wanted = match &event.what {
            What::Invoke { id, client, .. } => ids.contains(id) || near(event.at, client),
            What::Done(done) => ids.contains(&done.id) || near(event.at, &done.client),
            What::Lost { client, .. } | What::Gone { client } => near(event.at, client),
            What::Fault(_) | What::Phase(_) => true,
            What::Observe(_) => false,
        };
        if wanted && events.len() < keep.most() {
            events.push(event);
        }
    }
    Ok(events)
}
