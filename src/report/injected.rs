//! What the nemesis did, step by step, put together from the events of a history.

use checker::Nanos;
use checker::history::{Event, Moment, What};
use serde::Serialize;

/// One injection of one step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Injected {
    /// The step's name in the plan.
    pub step: String,
    /// The fault's kind.
    pub kind: String,
    /// Whom it hit.
    pub targets: Vec<String>,
    /// What was done, in words.
    pub text: String,
    /// When the injection began.
    #[serde(rename = "begin_s", serialize_with = "seconds")]
    pub begin: Nanos,
    /// When it was seen to have worked.
    #[serde(rename = "verified_s", serialize_with = "maybe_seconds")]
    pub verified: Option<Nanos>,
    /// When it was over.
    #[serde(rename = "end_s", serialize_with = "maybe_seconds")]
    pub end: Option<Nanos>,
    /// What was seen that shows that it worked.
    pub evidence: Option<String>,
    /// Why it was not injected, or not verified.
    pub failed: Option<String>,
}

impl Injected {
    /// Whether it lasts until it is ended, or is over as soon as it is done.
    pub fn lasts(&self) -> bool {
        self.end.is_some_and(|end| end > self.begin) || matches!(self.kind.as_str(), "pause" | "kill" | "clock")
    }

    /// When it was over; none where it was never ended.
    pub fn over(&self) -> Option<Nanos> {
        if self.lasts() { self.end } else { Some(self.end.or(self.verified).unwrap_or(self.begin)) }
    }
}

/// The injections of a history, in the order in which they began; times count from `origin`.
pub fn injected<'e>(events: impl IntoIterator<Item = &'e Event>, origin: Nanos) -> Vec<Injected> {
    let mut all: Vec<Injected> = Vec::new();
    for event in events {
        let What::Fault(fault) = &event.what else { continue };
        let at = event.at.saturating_sub(origin);
        let begun = all.iter().rposition(|injected| injected.step == fault.step).filter(|_| fault.moment != Moment::Begin);
        let at_begin = || Injected {
            step: fault.step.clone(),
            kind: fault.kind.clone(),
            targets: fault.targets.clone(),
            text: fault.text.clone(),
            begin: at,
            verified: None,
            end: None,
            evidence: None,
            failed: None,
        };
        let index = begun.unwrap_or_else(|| {
            all.push(at_begin());
            all.len() - 1
        });
        let injected = &mut all[index];
        match fault.moment {
            Moment::Begin => {}
            Moment::Verified => {
                injected.verified = Some(at);
                injected.evidence = Some(fault.text.clone());
            }
            Moment::End => injected.end = Some(at),
            Moment::Failed => injected.failed = Some(fault.text.clone()),
        }
    }
    all
}

fn seconds<S: serde::Serializer>(at: &Nanos, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(*at as f64 / 1e9)
}

fn maybe_seconds<S: serde::Serializer>(at: &Option<Nanos>, serializer: S) -> Result<S::Ok, S::Error> {
    at.map(|at| at as f64 / 1e9).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use checker::history::FaultEvent;

    fn fault(at: Nanos, step: &str, moment: Moment, text: &str) -> Event {
        let what = FaultEvent { step: step.into(), kind: "pause".into(), targets: vec!["c1".into()], moment, text: text.into() };
        Event { at, what: What::Fault(what) }
    }

    #[test]
    fn moments_of_a_step_are_put_together() {
        let events = [
            fault(10, "gc", Moment::Begin, "c1 was paused"),
            fault(11, "gc", Moment::Verified, "state T"),
            fault(20, "two", Moment::Failed, "no such process"),
            fault(30, "gc", Moment::End, "state S"),
            fault(40, "gc", Moment::Begin, "c1 was paused"),
        ];
        let all = injected(&events, 10);
        assert_eq!(all.len(), 3);
        assert_eq!((all[0].begin, all[0].verified, all[0].end), (0, Some(1), Some(20)));
        assert_eq!((all[0].text.as_str(), all[0].evidence.as_deref()), ("c1 was paused", Some("state T")));
        assert_eq!(all[1].failed.as_deref(), Some("no such process"));
        assert_eq!((all[2].begin, all[2].end), (30, None));
    }
}
