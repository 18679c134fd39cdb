//! What was found so far.

use crate::Nanos;
use crate::cause::{Faults, Released};
use crate::finding::{Cause, Finding, Kind};
use crate::history::OpId;
use crate::judge::names::{Name, Names};
use rustc_hash::FxHashMap;

/// How many findings of one kind about one lock or resource are kept; of the rest only the number is.
pub const KEPT: u64 = 20;

/// A finding whose cause is not yet looked for: the fault that caused it may end later.
#[derive(Debug, Clone)]
pub struct Draft {
    /// What it is.
    pub kind: Kind,
    /// About which lock or resource.
    pub lock: Name,
    /// The clients involved, the one that is blamed first.
    pub clients: Vec<Name>,
    /// The operations that prove it.
    pub events: Vec<OpId>,
    /// From when its cause is looked for, until the harm: usually the invocation of the first grant that it names.
    pub since: Nanos,
    /// When the last event that proves it was stamped.
    pub certain: Nanos,
    /// From when the harm is certain.
    pub from: Nanos,
    /// Until when.
    pub until: Nanos,
    /// Grants that were in flight: whose, and the intervals.
    pub flights: Vec<(Name, Nanos, Nanos)>,
    /// Another client's release that may have caused it.
    pub release: Option<Released>,
    /// The sentence, without cause and full stop.
    pub sentence: String,
}

impl Draft {
    /// A finding about one instant.
    pub fn new(kind: Kind, lock: Name, at: Nanos, sentence: String) -> Self {
        Draft {
            kind,
            lock,
            clients: Vec::new(),
            events: Vec::new(),
            since: at,
            certain: at,
            from: at,
            until: at,
            flights: Vec::new(),
            release: None,
            sentence,
        }
    }

    /// As the cause of what follows from it.
    pub(crate) fn as_cause(&self) -> Cause {
        Cause { step: None, at: self.from, text: self.sentence.clone() }
    }
}

/// The findings, in the order in which they became certain.
#[derive(Debug, Default)]
pub struct Found {
    drafts: Vec<Draft>,
    numbers: FxHashMap<(Kind, Name), u64>,
}

impl Found {
    /// Adds a finding, unless there are very many of its kind about its lock already.
    pub fn add(&mut self, kind: Kind, lock: Name, draft: impl FnOnce() -> Draft) {
        let number = self.numbers.entry((kind, lock)).or_insert(0);
        *number += 1;
        if *number <= KEPT {
            self.drafts.push(draft());
        }
    }

    /// Names causes and writes the sentences.
    pub fn findings(mut self, faults: &Faults, names: &Names, zero: Nanos) -> Vec<Finding> {
        self.drafts.sort_by_key(|draft| draft.certain);
        let mut findings: Vec<Finding> = Vec::with_capacity(self.drafts.len());
        for (i, draft) in self.drafts.iter().enumerate() {
            let cause = faults.cause(draft, &self.drafts[..i], names, zero);
            let because = match &cause {
                Some(cause) => format!("cause: {}", cause.text),
                None => "cause: none was found in this history".to_string(),
            };
            findings.push(Finding {
                kind: draft.kind,
                lock: names.text(draft.lock).to_string(),
                clients: draft.clients.iter().map(|client| names.text(*client).to_string()).collect(),
                events: draft.events.clone(),
                from: draft.from,
                until: draft.until,
                cause,
                sentence: format!("{}; {because}.", draft.sentence),
            });
        }
        self.count_the_rest(&mut findings, names);
        findings
    }

    fn count_the_rest(&self, findings: &mut [Finding], names: &Names) {
        for (&(kind, lock), &number) in self.numbers.iter().filter(|(_, number)| **number > KEPT) {
            let lock = names.text(lock);
            if let Some(last) = findings.iter_mut().rev().find(|finding| finding.kind == kind && finding.lock == lock) {
                let rest = number - KEPT;
                last.sentence.push_str(&format!(" Found and not listed: {rest} more of {kind} on {lock}."));
            }
        }
    }
}
