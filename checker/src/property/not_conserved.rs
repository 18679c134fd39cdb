//! `not-conserved`: money or items were made or lost.
//!
//! **Definition.** Of resources that the header puts in one group, all of which begin with whole numbers, each was read after the
//! run went quiet, certainly after every write of the group that did not fail; and the sum of what was read differs from the
//! sum of the initial values.
//!
//! **Source.** The bank test of Jepsen; the marketplace of *Redis in Action* (section 4.4), where items and money move between
//! users and none may come or go.
//!
//! **Why exact.** What is read of a resource after every write that may take effect is its final value, in whatever order they
//! are read. Before a write of unknown outcome, or one that never ends, nothing is certainly after it; then nothing is said.
//! What was read counts only once the history is over: a write that was in flight beside it may have failed. Of several reads
//! of one resource the one that was invoked last is taken, since it is after every write if any is.

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
    /// The sum of the initial values; none where one of them is no whole number.
    initial: Option<i128>,
    members: usize,
    /// The last read of each since the run went quiet.
    read: BTreeMap<Name, Read>,
    /// From when on what is read is certainly after every accepted write.
    written: Nanos,
    /// How many writes are in flight or of unknown outcome.
    unknown: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Read {
    from: Nanos,
    by: OpId,
    /// None where it was no whole number.
    value: Option<i64>,
}

impl NotConserved {
    /// Looks at the groups of whole numbers that the header names.
    pub fn new(header: &Header, names: &mut Names) -> Self {
        let (mut groups, mut group_of) = (BTreeMap::<Name, Group>::new(), BTreeMap::new());
        for (resource, terms) in &header.resources {
            if let Some(group) = &terms.group {
                let name = names.of(group);
                let group = groups.entry(name).or_insert(Group { initial: Some(0), ..Group::default() });
                group.initial = group.initial.zip(number(&terms.initial)).map(|(sum, number)| sum + i128::from(number));
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
                        group.unknown += 1;
                    }
                }
                Fact::Done(done) if done.op.kind == OpKind::Write && done.outcome != Outcome::Info => {
                    if let Some(group) = self.group(done.op.target) {
                        group.unknown -= 1;
                        if done.outcome == Outcome::Ok {
                            // What begins and ends at one stamp is not certainly before what begins at it.
                            let written = if done.op.at == now.at { now.at.saturating_add(1) } else { now.at };
                            group.written = group.written.max(written);
                        }
                    }
                }
                Fact::Done(done) if done.op.kind == OpKind::Read && done.outcome == Outcome::Ok => {
                    let quiet = self.quiet.is_some_and(|quiet| quiet <= done.op.at);
                    if let (true, Some(group)) = (quiet, self.group(done.op.target)) {
                        let read = Read { from: done.op.at, by: done.op.id, value: done.value.as_ref().and_then(number) };
                        let last = group.read.entry(done.op.target).or_insert(read);
                        *last = read.max(*last);
                    }
                }
                _ => {}
            }
        }
    }

    fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        for (&name, group) in &self.groups {
            let is_final = |read: &Read| read.from >= group.written && group.unknown == 0;
            let read = group.read.values().filter(|read| is_final(read));
            let values: Vec<i128> = read.filter_map(|read| read.value.map(i128::from)).collect();
            let sum: i128 = values.iter().sum();
            if let Some(initial) = group.initial.filter(|initial| *initial != sum && values.len() == group.members) {
                found.add(Kind::NotConserved, name, || {
                    let sentence = format!(
                        "{} held {} together at the start and {sum} when all was quiet, at {}",
                        now.name(name),
                        initial,
                        Seconds::telling_apart(now.zero, &[]).at(now.at)
                    );
                    Draft {
                        events: group.read.values().map(|read| read.by).collect(),
                        since: now.zero,
                        ..Draft::new(Kind::NotConserved, name, now.at, sentence)
                    }
                });
            }
        }
    }
}

fn number(value: &Value) -> Option<i64> {
    match value {
        Value::Int(number) => Some(*number),
        _ => None,
    }
}
