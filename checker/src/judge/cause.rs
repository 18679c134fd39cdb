//! Traces a finding to what caused it, from the history alone: the fault, or the earlier finding, whose effect lies in its window.

use crate::Nanos;
use crate::finding::{Cause, Kind};
use crate::history::{FaultEvent, Moment};
use crate::judge::moment::Since;
use crate::judge::suspicion::Suspicion;

/// A fault of the history.
#[derive(Debug, Clone)]
struct Injected {
    step: String,
    kind: String,
    targets: Vec<String>,
    text: String,
    begin: Nanos,
    verified: bool,
    end: Option<Nanos>,
}

/// Every fault of a history.
#[derive(Debug, Default)]
pub struct Faults {
    injected: Vec<Injected>,
}

/// Kinds of finding, and the kinds of fault that explain them.
type Row = (&'static [Kind], &'static [(&'static str, Hit)]);

/// Which kinds of fault explain a kind of finding, the likeliest first. `own` counts only where it hit a client of the finding.
const EXPLAINS: &[Row] = &[
    (
        &[Kind::TwoHolders, Kind::OverLimit, Kind::TokenReuse, Kind::TokenOrder, Kind::LateNotice, Kind::Ghost],
        &[("restart", Hit::Any), ("kill", Hit::Any), ("clock", Hit::Any), ("pause", Hit::Any), ("crash", Hit::Any)],
    ),
    (
        &[Kind::StaleHolder, Kind::StaleWrite, Kind::LostUpdate, Kind::Ownership, Kind::DishonestValidity, Kind::Oversold],
        &[("pause", Hit::Blamed), ("clock", Hit::Any), ("pause", Hit::Any), ("restart", Hit::Any), ("kill", Hit::Any)],
    ),
    (
        &[Kind::Stuck, Kind::Immortal, Kind::Leak],
        &[("crash", Hit::Any), ("kill", Hit::Any), ("restart", Hit::Any), ("pause", Hit::Any), ("clock", Hit::Any)],
    ),
    (
        &[Kind::Phantom],
        &[("pause", Hit::Blamed), ("clock", Hit::Any), ("kill", Hit::Any), ("restart", Hit::Any), ("pause", Hit::Any)],
    ),
];

/// Whom a fault must have hit to explain a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hit {
    /// The client that is blamed.
    Blamed,
    /// Anybody.
    Any,
}

impl Faults {
    /// Takes note of a fault.
    pub fn see(&mut self, fault: &FaultEvent, at: Nanos) {
        let open = self.injected.iter_mut().rev().find(|injected| injected.step == fault.step);
        match (fault.moment, open) {
            (Moment::Begin, _) => self.injected.push(Injected {
                step: fault.step.clone(),
                kind: fault.kind.clone(),
                targets: fault.targets.clone(),
                text: fault.text.clone(),
                begin: at,
                verified: false,
                end: None,
            }),
            (Moment::Verified, Some(injected)) => injected.verified = true,
            (Moment::End, Some(injected)) => injected.end = Some(at),
            _ => {}
        }
    }

    /// What caused a finding: an earlier `ownership` of the same lock in its window, else the likeliest fault whose effect lies in it.
    pub fn explain(&self, harm: &Suspicion, earlier: &[Suspicion], since: Since) -> Option<Cause> {
        let (from, to) = harm.window;
        let robbery = earlier.iter().find(|other| {
            other.kind == Kind::Ownership
                && harm.kind == Kind::TwoHolders
                && other.lock == harm.lock
                && other.harm.0 >= from
                && other.harm.0 <= to
        });
        if let Some(robbery) = robbery {
            let thief = robbery.clients.first().map_or("somebody", String::as_str);
            let text = format!("a release of {thief} took effect on the other's lock at {}", since.seconds(robbery.harm.0, &[]));
            return Some(Cause { step: None, at: robbery.harm.0, text });
        }
        let (_, wanted) = EXPLAINS.iter().find(|(kinds, _)| kinds.contains(&harm.kind))?;
        let blamed = harm.clients.first();
        let in_window = |fault: &&Injected| fault.verified && fault.begin <= to && fault.end.is_none_or(|end| end >= from);
        wanted.iter().find_map(|(kind, hit)| {
            let fits = |fault: &&Injected| {
                fault.kind == *kind && (*hit == Hit::Any || blamed.is_some_and(|blamed| fault.targets.contains(blamed)))
            };
            // Of several of a kind the last one before the harm.
            let fault = self.injected.iter().filter(in_window).filter(fits).max_by_key(|fault| fault.begin)?;
            let begin = since.seconds(fault.begin, &[]);
            let text = match fault.end {
                Some(end) if fault.kind == "pause" => format!("{} from {begin} to {}", fault.text, since.seconds(end, &[])),
                _ => format!("{} at {begin}", fault.text),
            };
            Some(Cause { step: Some(fault.step.clone()), at: fault.begin, text })
        })
    }
}
