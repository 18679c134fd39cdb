//! Holds what came out against what was expected.

use crate::plan::Expectation;
use checker::finding::{Judgement, Kind, Verdict};

/// How a judgement stands to what was expected of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// Everything came out as expected.
    AsExpected,
    /// These kinds were found and not expected; at least one of them hurts safety.
    Violation(Vec<Kind>),
    /// The search ended without an answer.
    Unknown,
    /// The run did not have what it needed.
    Assumptions,
    /// Nothing ran.
    Nothing,
    /// Something that was expected did not appear.
    Missing {
        /// Kinds that were not found.
        kinds: Vec<Kind>,
        /// How many stale writes more the resource should have refused.
        rejected_stale_writes: u64,
    },
    /// These kinds were found and not expected; nothing worse than waiting follows from them.
    OnlyLiveness(Vec<Kind>),
    /// Its user stopped the run.
    Interrupted,
}

/// Holds a judgement against what was expected. The first that applies wins:
///
/// 1. *interrupted*: the user knows;
/// 2. *violation*: it is certain, whatever else went wrong;
/// 3. *nothing*;
/// 4. *assumptions*: what a run without its faults did not show, it could not show, so this comes before *missing*; and a run whose assumptions
///    were broken is never green, even where all that was expected was found;
/// 5. *unknown*: likewise, what an unfinished search did not find may be there;
/// 6. *missing*;
/// 7. *only liveness*.
pub fn compare(expected: &Expectation, judgement: &Judgement, interrupted: bool) -> Standing {
    let mut found: Vec<Kind> = judgement.findings.iter().map(|finding| finding.kind).collect();
    found.sort();
    found.dedup();
    let unexpected: Vec<Kind> =
        found.iter().copied().filter(|kind| !expected.find.contains(kind) && !expected.allow.contains(kind)).collect();
    let missing: Vec<Kind> = expected.find.iter().copied().filter(|kind| !found.contains(kind)).collect();
    let rejected_stale_writes = expected.rejected_stale_writes.saturating_sub(judgement.counts.rejected_stale_writes);

    if interrupted {
        Standing::Interrupted
    } else if unexpected.iter().any(|kind| !kind.is_liveness()) {
        Standing::Violation(unexpected)
    } else if judgement.verdict == Verdict::Nothing {
        Standing::Nothing
    } else if !judgement.broken.is_empty() || judgement.verdict == Verdict::Assumptions {
        Standing::Assumptions
    } else if judgement.verdict == Verdict::Unknown {
        Standing::Unknown
    } else if !missing.is_empty() || rejected_stale_writes > 0 {
        Standing::Missing { kinds: missing, rejected_stale_writes }
    } else if !unexpected.is_empty() {
        Standing::OnlyLiveness(unexpected)
    } else {
        Standing::AsExpected
    }
}

impl Standing {
    /// In a sentence, as the last word of a report.
    pub fn sentence(&self) -> String {
        match self {
            Standing::AsExpected => "This is what was expected.".into(),
            Standing::Violation(kinds) => format!("This was not expected: {}.", list(kinds)),
            Standing::Unknown => "The search was bounded and ended without an answer.".into(),
            Standing::Assumptions => "The run did not have what it needed, and proves nothing.".into(),
            Standing::Nothing => "Nothing ran: no operation of any lock or resource is in the history.".into(),
            Standing::Missing { kinds, rejected_stale_writes } => {
                let mut missing = Vec::new();
                if !kinds.is_empty() {
                    missing.push(list(kinds));
                }
                match rejected_stale_writes {
                    0 => {}
                    1 => missing.push("a refused stale write".into()),
                    n => missing.push(format!("{n} refused stale writes")),
                }
                format!("This was expected and did not appear: {}.", missing.join(", "))
            }
            Standing::OnlyLiveness(kinds) => format!("No data is at risk, but this was not expected: {}.", list(kinds)),
            Standing::Interrupted => "The run was interrupted; what it saw is kept.".into(),
        }
    }
}

fn list(kinds: &[Kind]) -> String {
    kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use checker::finding::{BrokenAssumption, Counts, Finding};

    fn judgement(verdict: Verdict, kinds: &[Kind], broken: &[&str], rejected: u64) -> Judgement {
        let finding = |kind: &Kind| Finding {
            kind: *kind,
            lock: "l".into(),
            clients: vec![],
            events: vec![],
            from: 0,
            until: 0,
            cause: None,
            sentence: String::new(),
        };
        Judgement {
            verdict,
            findings: kinds.iter().map(finding).collect(),
            broken: broken.iter().map(|name| BrokenAssumption { name: (*name).into(), sentence: String::new() }).collect(),
            counts: Counts { rejected_stale_writes: rejected, ..Counts::default() },
        }
    }

    #[test]
    fn every_way_to_stand() {
        use Kind::*;
        use Verdict::*;
        let safe = Expectation::default();
        let pause = Expectation { find: vec![StaleHolder, StaleWrite], allow: vec![LostUpdate], rejected_stale_writes: 0 };
        let fenced = Expectation { find: vec![StaleHolder], allow: vec![], rejected_stale_writes: 1 };
        let missing = |kinds: &[Kind], rejected_stale_writes| Standing::Missing { kinds: kinds.to_vec(), rejected_stale_writes };
        let not_injected: &[&str] = &["fault-not-injected"];
        let cases = [
            ("safe", &safe, judgement(Valid, &[], &[], 0), Standing::AsExpected),
            (
                "found, all of it",
                &pause,
                judgement(Violation, &[StaleHolder, StaleWrite, StaleWrite], &[], 0),
                Standing::AsExpected,
            ),
            (
                "and what may be",
                &pause,
                judgement(Violation, &[StaleHolder, StaleWrite, LostUpdate], &[], 0),
                Standing::AsExpected,
            ),
            ("half of it", &pause, judgement(Violation, &[StaleHolder], &[], 0), missing(&[StaleWrite], 0)),
            ("only what may be", &pause, judgement(Violation, &[LostUpdate], &[], 0), missing(&[StaleHolder, StaleWrite], 0)),
            ("refused", &fenced, judgement(Violation, &[StaleHolder], &[], 3), Standing::AsExpected),
            ("not refused", &fenced, judgement(Violation, &[StaleHolder], &[], 0), missing(&[], 1)),
            ("unexpected", &safe, judgement(Violation, &[TwoHolders], &[], 0), Standing::Violation(vec![TwoHolders])),
            (
                "one too many",
                &fenced,
                judgement(Violation, &[StaleHolder, StaleWrite], &[], 1),
                Standing::Violation(vec![StaleWrite]),
            ),
            (
                "unexpected beats missing",
                &pause,
                judgement(Violation, &[TwoHolders], &[], 0),
                Standing::Violation(vec![TwoHolders]),
            ),
            (
                "unexpected beats broken",
                &safe,
                judgement(Violation, &[TwoHolders], not_injected, 0),
                Standing::Violation(vec![TwoHolders]),
            ),
            ("mixed", &safe, judgement(Violation, &[Stuck, TwoHolders], &[], 0), Standing::Violation(vec![TwoHolders, Stuck])),
            ("liveness", &safe, judgement(Violation, &[Stuck, Leak], &[], 0), Standing::OnlyLiveness(vec![Leak, Stuck])),
            ("missing beats liveness", &fenced, judgement(Violation, &[Stuck], &[], 1), missing(&[StaleHolder], 0)),
            ("broken beats missing", &pause, judgement(Assumptions, &[], not_injected, 0), Standing::Assumptions),
            ("broken is never green", &safe, judgement(Assumptions, &[], &["no-contention"], 0), Standing::Assumptions),
            ("found, and broken", &fenced, judgement(Violation, &[StaleHolder], &["no-contention"], 1), Standing::Assumptions),
            ("unknown", &safe, judgement(Unknown, &[], &[], 0), Standing::Unknown),
            ("unknown beats missing", &pause, judgement(Unknown, &[], &[], 0), Standing::Unknown),
            ("nothing", &safe, judgement(Nothing, &[], &[], 0), Standing::Nothing),
            ("nothing beats missing", &pause, judgement(Nothing, &[], not_injected, 0), Standing::Nothing),
        ];
        for (name, expected, judgement, standing) in &cases {
            assert_eq!(&compare(expected, judgement, false), standing, "{name}");
            assert_eq!(compare(expected, judgement, true), Standing::Interrupted, "{name}");
        }
    }
}
