//! Operations of locks, for the judge.

use super::pass::{around, judged};
use super::{BadHistory, How, Judged, Source, skipped};
use checker::Nanos;
use checker::ahead::read_ahead;
use checker::finding::Judgement;
use checker::format::{Briefs, Content, Locks, ReadError};
use checker::history::{Event, Header, VERSION};
use checker::judge::Judge;
use std::convert::Infallible;

/// Judges operations of locks as a stream; where their lines are too far from the order of time for that, as a whole.
pub(super) fn judge(source: &Source, locks: Locks, how: &How) -> Result<Judged, BadHistory> {
    let header = Header { fencepost: VERSION, ..Header::default() };
    let mut briefs = locks.briefs();
    let Read { judgement, unjudged, origin, events } = match read(&header, &mut briefs) {
        Ok(read) => read,
        Err(ReadError::OutOfOrder { .. }) => return sorted(source, header, how),
        Err(error) => return Err(error.into()),
    };
    let again = || Ok::<_, BadHistory>(again(source, how)?.events());
    let events = match (events <= how.keep.most(), judgement.findings.is_empty()) {
        (true, _) => again()?.collect::<Result<_, _>>()?,
        (false, true) => Vec::new(),
        (false, false) => around(again()?, &judgement.findings, how.keep)?,
    };
    let warnings = skipped(briefs.skipped()).into_iter().chain(unjudged).collect();
    Ok(Judged { header, origin, events, judgement, searched: None, warnings })
}

/// What one pass came to. It keeps no event: what the judge takes in is less than that.
struct Read {
    judgement: Judgement,
    unjudged: Vec<String>,
    /// The stamp of the first event.
    origin: Nanos,
    /// How many there are.
    events: usize,
}

fn read(header: &Header, briefs: &mut Briefs) -> Result<Read, ReadError> {
    let mut judge = Judge::new(header);
    let (mut origin, mut events) = (None, 0);
    read_ahead(briefs, |batch| {
        for brief in batch.iter() {
            judge.see_brief(brief);
            origin = origin.or(brief.at());
            events += usize::from(brief.at().is_some());
        }
    })?;
    let (judgement, unjudged) = judge.finish_with_rest();
    Ok(Read { judgement, unjudged, origin: origin.unwrap_or(0), events })
}

fn sorted(source: &Source, header: Header, how: &How) -> Result<Judged, BadHistory> {
    let (events, lines) = again(source, how)?.sorted()?;
    let events: Vec<Event> = events.collect();
    let stream = || events.iter().cloned().map(Ok::<Event, Infallible>);
    let Ok((judgement, mut pass)) = judged(&header, stream(), how.keep);
    let unjudged = std::mem::take(&mut pass.unjudged);
    let Ok((origin, events)) = pass.told(&judgement.findings, || around(stream(), &judgement.findings, how.keep));
    let warnings = skipped(lines).into_iter().chain(unjudged).collect();
    Ok(Judged { header, origin, events, judgement, searched: None, warnings })
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
