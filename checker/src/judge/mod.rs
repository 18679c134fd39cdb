//! Reads the events of a history one by one and says what they prove.
//!
//! Memory is bounded by what is pending, not by the history: see [`recent::REMEMBERED`].

pub mod brief;
pub mod fact;
pub mod found;
pub mod names;
mod order;
pub mod recent;
pub mod seconds;
mod tally;

use crate::Nanos;
use crate::ahead::read_ahead;
use crate::assumption::Assumptions;
use crate::cause::{Faults, Released};
use crate::finding::{Finding, Judgement, Verdict};
use crate::history::{Event, Header, Outcome};
use crate::lease::Leases;
use crate::property::{self, Property};
use brief::Brief;
use fact::{Fact, Facts, Instant, OpKind, facts};
use found::Found;
use names::{Name, Names};
use tally::Tally;

/// The checker of one history.
///
/// ```
/// use checker::{history::{Completion, Event, Header, Op, Outcome, What}, judge::Judge, finding::Verdict};
/// let mut judge = Judge::new(&Header { fencepost: 1, ..Header::default() });
/// let op = Op::Acquire { lock: "order:42".into(), ttl_ms: Some(500) };
/// judge.see(&Event { at: 100, what: What::Invoke { client: "c1".into(), id: 1, op } });
/// judge.see(&Event { at: 230, what: What::Done(Completion::new("c1", 1, Outcome::Ok)) });
/// assert_eq!(judge.finish().verdict, Verdict::Valid);
/// ```
#[derive(Debug)]
pub struct Judge {
    header: Header,
    names: Names,
    leases: Leases,
    faults: Faults,
    properties: Asked,
    found: Found,
    tally: Tally,
    assumptions: Assumptions,
    facts: Vec<Fact>,
    /// The names of operations in brief, by their numbers.
    numbered: Vec<Name>,
    zero: Option<Nanos>,
    now: Nanos,
}

impl Judge {
    /// A judge of every property of [`property::all`].
    pub fn new(header: &Header) -> Self {
        let mut names = Names::default();
        Judge {
            leases: Leases::new(header, &mut names),
            properties: Asked::from(property::all(header, &mut names)),
            assumptions: Assumptions::new(header),
            header: header.clone(),
            names,
            faults: Faults::default(),
            found: Found::default(),
            tally: Tally::default(),
            facts: Vec::new(),
            numbered: Vec::new(),
            zero: None,
            now: 0,
        }
    }

    /// Judges one more property.
    pub fn add(&mut self, property: Box<dyn Property>) {
        self.properties.add(property);
    }

    /// Takes in the next event. Stamps must not decrease: a history whose stamps do breaks its assumptions.
    pub fn see(&mut self, event: &Event) {
        self.turn_to(event.at);
        if let Err(why) = self.leases.see(event, &mut self.names, &mut self.facts) {
            self.assumptions.incoherent(event.at, why);
        }
    }

    /// Takes in what is told next of operations, as it would the event.
    pub fn see_brief(&mut self, brief: &Brief) {
        let (at, seen) = match brief {
            Brief::Name(name) => return self.numbered.push(self.names.of(name)),
            Brief::Begun(begun) => {
                self.turn_to(begun.at);
                (begun.at, self.leases.begun(begun, &self.numbered, &mut self.facts))
            }
            Brief::Ended(ended) => {
                self.turn_to(ended.at);
                (ended.at, self.leases.ended(ended, &self.numbered, &self.names, &mut self.facts))
            }
        };
        if let Err(why) = seen {
            self.assumptions.incoherent(at, why);
        }
    }

    /// Judges the instant before this one, if this is another.
    fn turn_to(&mut self, at: Nanos) {
        if self.zero.is_none() {
            self.zero = Some(at);
            self.now = at;
        }
        if at > self.now {
            self.settle();
            self.now = at;
        } else if at < self.now {
            self.assumptions.incoherent(at, "its stamp is earlier than one before it".into());
        }
    }

    /// The verdict of the whole history.
    pub fn finish(self) -> Judgement {
        self.finish_with_rest().0
    }

    /// The verdict of the whole history, and what was not judged in it because that would have taken too much: in sentences.
    pub fn finish_with_rest(mut self) -> (Judgement, Vec<String>) {
        self.settle();
        let zero = self.zero.unwrap_or(0);
        let instant = Instant {
            at: self.now,
            zero,
            facts: &[],
            leases: &self.leases,
            names: &self.names,
            faults: &self.faults,
            header: &self.header,
        };
        for property in &mut self.properties.all {
            property.finish(&instant, &mut self.found);
        }
        let mut unjudged: Vec<String> = self.properties.all.iter_mut().flat_map(|property| property.unjudged()).collect();
        let mut findings = self.found.findings(&self.faults, &self.names, zero);
        if findings.is_empty() && !self.tally.anybody_had_a_lock() {
            self.assumptions.nothing_granted();
        }
        let counts = self.tally.counts(self.leases.pending().count() as u64);
        let mut broken = self.assumptions.broken(&self.header, &counts, zero);
        let sentences = broken.iter_mut().map(|broken| &mut broken.sentence);
        let found = findings.iter_mut().flat_map(|Finding { sentence, cause, .. }| {
            [Some(sentence), cause.as_mut().map(|cause| &mut cause.text)].into_iter().flatten()
        });
        seconds::settle(&mut sentences.chain(found).chain(&mut unjudged).collect::<Vec<_>>());
        let verdict = match (findings.is_empty(), broken.is_empty(), counts.operations) {
            (false, ..) => Verdict::Violation,
            (true, false, _) => Verdict::Assumptions,
            (true, true, 0) => Verdict::Nothing,
            (true, true, _) => Verdict::Valid,
        };
        (Judgement { verdict, findings, broken, counts }, unjudged)
    }

    /// Judges everything that happened at one instant, now that all of it is known.
    fn settle(&mut self) {
        self.leases.settle(self.now, &mut self.facts);
        if self.facts.is_empty() {
            return;
        }
        order::set(&mut self.facts);
        let mut bits: Facts = facts::ALWAYS;
        for fact in &self.facts {
            bits |= fact.bit();
            match fact {
                Fact::Fault(event) => {
                    self.faults.see(self.now, event);
                    self.assumptions.fault(event);
                }
                Fact::Phase(phase) => self.assumptions.phase(phase),
                Fact::Done(done) if done.op.kind == OpKind::Release && done.outcome == Outcome::Ok => {
                    let (client, id, invoked) = (done.op.client, done.op.id, done.op.at);
                    self.faults.released(done.op.target, Released { client, id, invoked, at: self.now });
                }
                _ => {}
            }
        }
        let instant = Instant {
            at: self.now,
            zero: self.zero.unwrap_or(0),
            facts: &self.facts,
            leases: &self.leases,
            names: &self.names,
            faults: &self.faults,
            header: &self.header,
        };
        self.tally.see(&instant);
        self.properties.settle(bits, &instant, &mut self.found);
        self.facts.clear();
    }
}

/// Properties, and of each the kinds of fact for which it is asked: they change only when it is.
#[derive(Debug)]
struct Asked {
    wants: Vec<Facts>,
    all: Vec<Box<dyn Property>>,
}

impl From<Vec<Box<dyn Property>>> for Asked {
    fn from(all: Vec<Box<dyn Property>>) -> Self {
        Asked { wants: all.iter().map(|property| property.wants()).collect(), all }
    }
}

impl Asked {
    fn add(&mut self, property: Box<dyn Property>) {
        self.wants.push(property.wants());
        self.all.push(property);
    }

    fn settle(&mut self, bits: Facts, now: &Instant<'_>, found: &mut Found) {
        for (wants, property) in self.wants.iter_mut().zip(&mut self.all).filter(|(wants, _)| **wants & bits != 0) {
            property.settle(now, found);
            *wants = property.wants();
        }
    }
}

/// Judges a whole history.
pub fn judge<'a>(header: &Header, events: impl IntoIterator<Item = &'a Event>) -> Judgement {
    let mut judge = Judge::new(header);
    for event in events {
        judge.see(event);
    }
    judge.finish()
}

/// Judges a whole history that is read meanwhile, in a thread of its own.
///
/// # Errors
/// The first of the stream.
pub fn judge_stream<E: Send>(header: &Header, stream: impl Iterator<Item = Result<Event, E>> + Send) -> Result<Judgement, E> {
    let mut judge = Judge::new(header);
    read_ahead(stream, |events| events.iter().for_each(|event| judge.see(event)))?;
    Ok(judge.finish())
}

/// Judges operations that are read meanwhile, in a thread of its own.
///
/// # Errors
/// The first of the stream.
pub fn judge_briefs<E: Send>(header: &Header, stream: impl Iterator<Item = Result<Brief, E>> + Send) -> Result<Judgement, E> {
    let mut judge = Judge::new(header);
    read_ahead(stream, |briefs| briefs.iter().for_each(|brief| judge.see_brief(brief)))?;
    Ok(judge.finish())
}
