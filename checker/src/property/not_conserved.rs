//! `not-conserved`: money or items were made or lost.
//!
//! **Definition.** Of resources that the header puts in one group, each was read after the run went quiet, no write of any of
//! them was invoked since, none is of unknown outcome, and the sum of what was read differs from the sum of the initial values.
//!
//! **Source.** The bank test of Jepsen; the marketplace of *Redis in Action* (section 4.4), where items and money move between
//! users and none may come or go.
//!
//! **Why exact.** When all is quiet and no write is pending, what was read of each resource is its final value, in whatever order
//! they were read. A write of unknown outcome might fall between two of the reads; then nothing is said.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{Header, OpId, Outcome, Phase, Value};
use crate::judge::fact::{Fact, Facts, Instant, OpKind, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::{Name, Names};
use crate::judge::seconds::Seconds;
use std::collections::BTreeMap;

/// The property.
#[derive(Debug)]
pub struct NotConserved {
    groups: BTreeMap<Name, Group>,
    /// The group of each resource.
    group_of: BTreeMap<Name, Name>,
    quiet: Option<Nanos>,
}

#[derive(Debug, Default)]
struct Group {
    initial: i128,
    members: usize,
    /// What was read of each since the run went quiet: by which operation, and what.
    read: BTreeMap<Name, (OpId, i64)>,
    writing: u64,
    unknown: bool,
}

impl NotConserved {
    /// Looks at the groups of whole numbers that the header names.
    pub fn new(header: &Header, names: &mut Names) -> Self {
        let (mut groups, mut group_of) = (BTreeMap::<Name, Group>::new(), BTreeMap::new());
        for (resource, terms) in &header.resources {
            if let (Some(group), Value::Int(initial)) = (&terms.group, &terms.initial) {
                let name = names.of(group);
                let group = groups.entry(name).or_default();
                group.initial += i128::from(*initial);
                group.members += 1;
                group_of.insert(names.of(resource), name);
            }
        }
        NotConserved { groups, group_of, quiet: None }
    }

    fn group(&mut self, resource: Name) -> Option<&mut Group> {
        self.groups.get_mut(self.group_of.get(&resource)?)
    }
}

impl Property for NotConserved {
    fn wants(&self) -> Facts {
        if self.groups.is_empty() {
            return 0;
        }
        let writes = facts::invoked(OpKind::Write) | facts::done(OpKind::Write);
        facts::PHASE | writes | if self.quiet.is_some() { facts::done(OpKind::Read) } else { 0 }
    }

    fn settle(&mut self, now: &Instant<'_>, _found: &mut Found) {
        for fact in now.facts {
            match fact {
                Fact::Phase(Phase::Quiet) => self.quiet = self.quiet.or(Some(now.at)),
                Fact::Invoked(op) if op.kind == OpKind::Write => {
                    if let Some(group) = self.group(op.target) {
                        group.writing += 1;
                        group.read.clear();
                    }
                }
                Fact::Done(done) if done.op.kind == OpKind::Write => {
                    if let Some(group) = self.group(done.op.target) {
                        group.writing -= 1;
                        group.unknown |= done.outcome == Outcome::Info;
                    }
                }
                Fact::Done(done) if done.op.kind == OpKind::Read && done.outcome == Outcome::Ok => {
                    let quiet = self.quiet.is_some_and(|quiet| quiet <= done.op.at);
                    if let (true, Some(Value::Int(value)), Some(group)) = (quiet, &done.value, self.group(done.op.target)) {
                        group.read.insert(done.op.target, (done.op.id, *value));
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        for (&name, group) in &self.groups {
            let sum: i128 = group.read.values().map(|(_, value)| i128::from(*value)).sum();
            let known = group.writing == 0 && !group.unknown && group.read.len() == group.members;
            if known && sum != group.initial {
                found.add(Kind::NotConserved, name, || {
                    let sentence = format!(
                        "{} held {} together at the start and {sum} when all was quiet, at {}",
                        now.name(name),
                        group.initial,
                        Seconds::telling_apart(now.zero, &[]).at(now.at)
                    );
                    Draft {
                        events: group.read.values().map(|(id, _)| *id).collect(),
                        since: now.zero,
                        ..Draft::new(Kind::NotConserved, name, now.at, sentence)
                    }
                });
            }
        }
    }
}
