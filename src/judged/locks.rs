//! Operations of locks, for the judge.

use super::pass::{Pass, around, judged};
use super::{BadHistory, How, Judged, Source, skipped};
use checker::finding::Judgement;
use checker::format::{Content, Locks, ReadError};
use checker::history::{Event, Header, VERSION};
use std::convert::Infallible;

/// Judges operations of locks as a stream; where their lines are too far from the order of time for that, as a whole.
pub(super) fn judge(source: &Source, locks: Locks, how: &How) -> Result<Judged, BadHistory> {
    let header = Header { fencepost: VERSION, ..Header::default() };
    let mut events = locks.events();
    let (judgement, mut pass, lines) = match judged(&header, &mut events, how.keep) {
        Ok((judgement, pass)) => (judgement, pass, events.skipped()),
        Err(ReadError::OutOfOrder { .. }) => sorted(source, &header, how)?,
        Err(error) => return Err(error.into()),
    };
    let findings = &judgement.findings;
    let unjudged = std::mem::take(&mut pass.unjudged);
    let (origin, events) =
        pass.told(findings, || Ok::<_, BadHistory>(around(again(source, how)?.events(), findings, how.keep)?))?;
    Ok(Judged {
        header,
        origin,
        events,
        judgement,
        searched: None,
        warnings: skipped(lines).into_iter().chain(unjudged).collect(),
    })
}

fn sorted(source: &Source, header: &Header, how: &How) -> Result<(Judgement, Pass, u64), BadHistory> {
    let (events, lines) = again(source, how)?.sorted()?;
    let events: Vec<Event> = events.collect();
    let stream = || events.iter().cloned().map(Ok::<Event, Infallible>);
    let Ok((judgement, mut seen)) = judged(header, stream(), how.keep);
    if !seen.whole {
        let Ok(events) = around(stream(), &judgement.findings, how.keep);
        seen.events = events;
        seen.whole = true;
    }
    Ok((judgement, seen, lines))
}

/// The same operations from the first line.
fn again(source: &Source, how: &How) -> Result<Locks, BadHistory> {
    match source.content(how.bad)? {
        Content::Locks(locks) => Ok(locks),
        Content::Events(_) | Content::Objects(_) => {
            let why = std::io::Error::other("it was changed while it was read");
            Err(BadHistory::Unreadable { path: source.path().into(), why })
        }
    }
}
