//! Judges a history while it passes: in memory that is bounded by what is going on at one time, not by the history.

mod assumption;
mod cause;
mod count;
mod lease;
mod ledger;
mod moment;
mod property;
mod quick;
mod seen;
mod suspicion;

use self::assumption::Assumptions;
use self::cause::Faults;
use self::count::Counter;
use self::ledger::Ledger;
use self::moment::Since;
use self::property::Property;
use self::suspicion::Suspicion;
use crate::finding::{Finding, Judgement, Kind, Verdict};
use crate::history::{Event, Header, What};
use std::collections::BTreeMap;

/// How many findings of one kind about one lock are reported; of the rest only the number.
const REPORTED: usize = 16;

/// Sees every event of a history once, in the order of time, and says what they prove.
///
/// ```
/// use checker::history::{Completion, Event, Header, Op, Outcome, What};
/// use checker::judge::Judge;
/// let mut judge = Judge::new(&Header::default());
/// for (client, id, at) in [("c1", 1, 10), ("c2", 2, 30)] {
///     let op = Op::Acquire { lock: "order:42".into(), ttl_ms: None };
///     judge.see(&Event { at, what: What::Invoke { client: client.into(), id, op } });
///     judge.see(&Event { at: at + 10, what: What::Done(Completion::new(client, id, Outcome::Ok)) });
/// }
/// let judgement = judge.finish();
/// assert_eq!(judgement.findings[0].kind.name(), "two-holders");
/// ```
pub struct Judge {
    ledger: Ledger,
    properties: Vec<Box<dyn Property>>,
    assumptions: Assumptions,
    faults: Faults,
    counter: Counter,
    /// The events of one stamp: they are looked at together, so that the order of their lines changes nothing.
    batch: Vec<Event>,
    since: Option<Since>,
    suspicions: Vec<Suspicion>,
    reported: BTreeMap<(Kind, String), usize>,
}

impl Judge {
    /// Nothing was seen but the header.
    pub fn new(header: &Header) -> Self {
        Judge {
            ledger: Ledger::new(header),
            properties: property::all(header),
            assumptions: Assumptions::new(header),
            faults: Faults::default(),
            counter: Counter::default(),
            batch: Vec::new(),
            since: None,
            suspicions: Vec::new(),
            reported: BTreeMap::new(),
        }
    }

    /// Sees the next event. Stamps must not decrease; one that does is looked at as if it were equal to the one before.
    pub fn see(&mut self, event: &Event) {
        self.since.get_or_insert(Since(event.at));
        if self.batch.first().is_some_and(|first| event.at > first.at) {
            self.look();
        }
        self.batch.push(event.clone());
    }

    fn look(&mut self) {
        let mut batch = std::mem::take(&mut self.batch);
        for event in &batch {
            self.assumptions.see(&event.what);
            if let What::Fault(fault) = &event.what {
                self.faults.see(fault, event.at);
            }
        }
        let Judge { ledger, properties, counter, .. } = self;
        let mut new = Vec::new();
        ledger.advance(&batch, |ledger, fact| {
            counter.see(&fact, ledger);
            for property in properties.iter_mut() {
                property.see(&fact, ledger, &mut new);
            }
        });
        batch.clear();
        self.batch = batch;
        self.report(new);
    }

    fn report(&mut self, new: Vec<Suspicion>) {
        for suspicion in new {
            let reported = self.reported.entry((suspicion.kind, suspicion.lock.clone())).or_default();
            *reported += 1;
            if *reported <= REPORTED {
                self.suspicions.push(suspicion);
            }
        }
    }

    /// The history is over: what it proves.
    pub fn finish(mut self) -> Judgement {
        self.look();
        let mut last = Vec::new();
        for property in &mut self.properties {
            property.end(&self.ledger, &mut last);
        }
        self.report(last);
        let counts = self.counter.end();
        let broken = self.assumptions.end(&counts);
        let since = self.since.unwrap_or_default();
        let mut findings: Vec<Finding> = Vec::new();
        for (i, suspicion) in self.suspicions.iter().enumerate() {
            let cause = self.faults.explain(suspicion, &self.suspicions, since);
            let key = (suspicion.kind, suspicion.lock.clone());
            let is_last = !self.suspicions[i + 1..].iter().any(|other| other.kind == key.0 && other.lock == key.1);
            let more = self.reported.get(&key).map_or(0, |all| all.saturating_sub(REPORTED));
            findings.push(written(suspicion, cause, since, if is_last { more } else { 0 }));
        }
        let verdict = match (findings.is_empty(), broken.is_empty()) {
            (false, _) => Verdict::Violation,
            (true, false) => Verdict::Assumptions,
            (true, true) if counts.operations == 0 => Verdict::Nothing,
            (true, true) => Verdict::Valid,
        };
        Judgement { verdict, findings, broken, counts }
    }
}

fn written(suspicion: &Suspicion, cause: Option<crate::finding::Cause>, since: Since, more: usize) -> Finding {
    let mut sentence = suspicion.story.tell(since);
    match &cause {
        Some(cause) => sentence += &format!("; cause: {}.", cause.text),
        None => sentence += "; cause: none was found in this history.",
    }
    if more > 0 {
        sentence += &format!(" And {more} more of this kind.");
    }
    Finding {
        kind: suspicion.kind,
        lock: suspicion.lock.clone(),
        clients: suspicion.clients.clone(),
        events: suspicion.events.clone(),
        from: suspicion.harm.0,
        until: suspicion.harm.1,
        cause,
        sentence,
    }
}
