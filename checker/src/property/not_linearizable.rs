//! `not-linearizable`: no order of the reads and writes of one register explains what was read.
//!
//! **Definition.** A register holds what was last written to it. What its reads returned is explained if every operation can be given one
//! moment between its invocation and its completion, such that each read returns the value of the last write before it, or the initial value.
//! A write that failed had no effect; one of unknown outcome may have had, at any moment since it was invoked. Operations of which one
//! completed at the stamp at which the other was invoked are in no order. Where the header does not say what a register held at first, it is
//! what is first read there that nobody has begun to write, and nothing is said before that.
//!
//! **Source.** Herlihy and Wing, *Linearizability: a correctness condition for concurrent objects*, TOPLAS 12, 1990.
//!
//! **Why exact**, where all written values are distinct: see [`register`](crate::register), whose zones are kept here event by event. A
//! history that is cut at any moment, what is pending then being of unknown outcome, is linearizable if the whole is; so what is found
//! in what was seen so far is never excused by what comes. Once a value is written twice in a register, reads name no write: the
//! [engine](crate::engine) then searches its operations from the first, when the history is over. Where there are more than 4,096 of them, or the search takes too
//! long, it is said that what came after the second write of a value was not judged. The last [`REMEMBERED`] values, and the last 256 of each register, are
//! compared with what is read: older ones matter only to operations that lasted as long.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome, Value};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, Operation, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::{ByName, Name};
use crate::judge::recent::{REMEMBERED, Recent};
use crate::judge::seconds::Seconds;
use crate::model::register::RegisterOp;
use cluster::{Cluster, Mark};
use whole::{Searched, Whole};
use zones::Zones;

mod cluster;
mod whole;
mod zones;

/// The property.
#[derive(Debug, Default)]
pub struct NotLinearizable {
    registers: ByName<Register>,
    clusters: Recent<(Name, Value), Cluster>,
    wholes: ByName<Whole>,
    /// How many operations are kept of all registers.
    kept: usize,
    unjudged: Vec<String>,
}

#[derive(Debug)]
enum Register {
    /// Every value was written once.
    Distinct {
        /// What it held before the first write, as far as that is known.
        initial: Option<Value>,
        /// How many values it was given.
        written: u64,
        zones: Zones,
        /// Whether something was found.
        told: bool,
    },
    /// A value was written again.
    Repeated {
        initial: Option<Value>,
        /// Which, and when.
        value: Value,
        at: Nanos,
    },
    /// It was found not to be linearizable, which is told once where values are written again.
    Told,
}

impl Property for NotLinearizable {
    fn wants(&self) -> Facts {
        facts::invoked(OpKind::Write) | facts::done(OpKind::Write) | facts::done(OpKind::Read)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        now.invoked().filter(|op| op.kind == OpKind::Write).for_each(|op| self.called(now, op));
        for done in now.done() {
            match (done.op.kind, done.outcome) {
                (OpKind::Write, Outcome::Ok) => self.wrote(done),
                (OpKind::Read, Outcome::Ok) => self.read(now, done, found),
                _ => {}
            }
        }
        let failed = now.done().filter(|done| done.op.kind == OpKind::Write && done.outcome == Outcome::Fail);
        failed.for_each(|done| self.failed(now, done, found));
        for done in now.done().filter(|done| matches!(done.op.kind, OpKind::Read | OpKind::Write)) {
            self.wholes.get_or_insert_with(done.op.target, Whole::default).done(done, &mut self.kept);
        }
    }

    fn finish(&mut self, now: &Instant<'_>, found: &mut Found) {
        for (name, register) in self.registers.iter() {
            let (Register::Repeated { initial, value, at }, Some(whole)) = (register, self.wholes.get(name)) else { continue };
            match whole.search(now, name, initial.as_ref()) {
                Searched::Explained => {}
                Searched::Violation(few) => found.add(Kind::NotLinearizable, name, || unexplained(now, name, &few)),
                Searched::Unknown(why) => {
                    let (name, at) = (now.name(name), Seconds::telling_apart(now.zero, &[]).at(*at));
                    let sentence = format!(
                        "whether {name} is linearizable was not judged from {at} on, when {value} was written to it again: {why}"
                    );
                    self.unjudged.push(sentence);
                }
            }
        }
    }

    fn unjudged(&mut self) -> Vec<String> {
        std::mem::take(&mut self.unjudged)
    }
}

impl NotLinearizable {
    fn register(&mut self, now: &Instant<'_>, name: Name) -> &mut Register {
        self.registers.get_or_insert_with(name, || {
            let initial = now.header.resources.get(now.name(name)).map(|terms| terms.initial.clone());
            Register::Distinct { initial, written: 0, zones: Zones::default(), told: false }
        })
    }

    fn called(&mut self, now: &Instant<'_>, op: &Operation) {
        let Some(value) = &op.value else { return };
        let key = (op.target, value.clone());
        let is_known = self.clusters.get(&key).is_some();
        let register = self.register(now, op.target);
        let Register::Distinct { initial, written, told, .. } = register else { return };
        if is_known || initial.as_ref() == Some(value) {
            *register = match told {
                true => Register::Told,
                false => Register::Repeated { initial: initial.take(), value: value.clone(), at: op.at },
            };
            return;
        }
        *written += 1;
        let cluster = Cluster::written(value.clone(), *written, Mark { at: op.at, id: op.id, client: op.client });
        self.clusters.insert(key, cluster);
    }

    /// A write has returned. That alone clashes with nothing: what it wrote may have been there at that very moment.
    fn wrote(&mut self, done: &Completed) {
        let Some(value) = &done.op.value else { return };
        let Some(Register::Distinct { zones, .. }) = self.registers.get_mut(done.op.target) else { return };
        let Some(cluster) = self.clusters.get_mut(&(done.op.target, value.clone())) else { return };
        if cluster.first.is_none() {
            cluster.first = Some(returned(done));
            zones.insert(cluster.clone());
        }
    }

    fn read(&mut self, now: &Instant<'_>, done: &Completed, found: &mut Found) {
        let name = done.op.target;
        // A read that does not say what it returned tells nothing.
        let Some(value) = done.value.clone() else { return };
        self.register(now, name);
        let Some(Register::Distinct { initial, written, zones, told }) = self.registers.get_mut(name) else { return };
        let key = (name, value);
        let cluster = match self.clusters.get(&key) {
            Some(cluster) => cluster.clone(),
            None if *initial.get_or_insert_with(|| key.1.clone()) == key.1 => Cluster::initial(key.1.clone()),
            // A value that is not remembered may have been written before all that are.
            None if *written > REMEMBERED as u64 => return,
            None => {
                *told = true;
                return found.add(Kind::NotLinearizable, name, || from_nowhere(now, done, &key.1));
            }
        };
        let called = Mark { at: done.op.at, id: done.op.id, client: done.op.client };
        let grown = cluster.clone().with_read(called, returned(done));
        zones.remove(&cluster);
        if let Some(other) = zones.clash(&grown) {
            // From here on as if this read had not been, so that what it contradicts is told once.
            if initial.is_some() {
                *told = true;
                found.add(Kind::NotLinearizable, name, || clashing(now, done, &grown, other));
            }
            zones.insert(cluster);
            return;
        }
        zones.insert(grown.clone());
        self.clusters.insert(key, grown);
    }

    /// A write had no effect: nobody can have read it.
    fn failed(&mut self, now: &Instant<'_>, done: &Completed, found: &mut Found) {
        let Some(value) = &done.op.value else { return };
        let Some(Register::Distinct { initial, zones, told, .. }) = self.registers.get_mut(done.op.target) else { return };
        let Some(cluster) = self.clusters.remove(&(done.op.target, value.clone())) else { return };
        zones.remove(&cluster);
        if let Some(reader) = cluster.reader.filter(|_| initial.is_some()) {
            *told = true;
            found.add(Kind::NotLinearizable, done.op.target, || read_in_vain(now, done, value, reader));
        }
    }
}

fn returned(done: &Completed) -> Mark {
    Mark { at: done.at, id: done.op.id, client: done.op.client }
}

/// No order explains these operations of a register, whatever the others did.
fn unexplained(now: &Instant<'_>, name: Name, few: &[(Mark, RegisterOp)]) -> Draft {
    let times: Vec<Nanos> = few.iter().map(|(mark, _)| mark.at).collect();
    let seconds = Seconds::telling_apart(now.zero, &times);
    let told = few.iter().map(|(mark, op)| {
        let (did, value) = match op {
            RegisterOp::Read(value) => ("read", value),
            RegisterOp::Write(value) => ("wrote", value),
        };
        format!("{} {did} {value} from {}", now.name(mark.client), seconds.at(mark.at))
    });
    let sentence = format!("no order explains what was read of {}: {}", now.name(name), told.collect::<Vec<_>>().join(", "));
    let mut clients: Vec<Name> = Vec::new();
    for (mark, _) in few {
        if !clients.contains(&mark.client) {
            clients.push(mark.client);
        }
    }
    let (first, last) = (times.iter().min().copied().unwrap_or(now.at), times.iter().max().copied().unwrap_or(now.at));
    Draft {
        clients,
        events: few.iter().map(|(mark, _)| mark.id).collect(),
        since: first,
        ..Draft::new(Kind::NotLinearizable, name, last, sentence)
    }
}

fn from_nowhere(now: &Instant<'_>, done: &Completed, value: &Value) -> Draft {
    let (name, client) = (now.name(done.op.target), now.name(done.op.client));
    let at = Seconds::telling_apart(now.zero, &[]).at(done.at);
    let sentence = format!("{client} read {value} from {name} by {at}, and nobody had begun to write that");
    draft(done, vec![done.op.client], vec![done.op.id], sentence)
}

fn read_in_vain(now: &Instant<'_>, done: &Completed, value: &Value, reader: Mark) -> Draft {
    let sentence = format!(
        "{} read {value} from {} by {}, and {} was told that its write of it had no effect",
        now.name(reader.client),
        now.name(done.op.target),
        Seconds::telling_apart(now.zero, &[]).at(reader.at),
        now.name(done.op.client)
    );
    draft(done, vec![reader.client, done.op.client], vec![reader.id, done.op.id], sentence)
}

fn clashing(now: &Instant<'_>, done: &Completed, read: &Cluster, other: &Cluster) -> Draft {
    let (outer, inner) = if read.is_forward() { (read, other) } else { (other, read) };
    let times: Vec<_> = outer.proof().chain(inner.proof()).map(|mark| mark.at).collect();
    let seconds = Seconds::telling_apart(now.zero, &times);
    let there = |cluster: &Cluster| {
        let by = cluster
            .first
            .filter(|_| cluster.write.is_some())
            .map_or("at first".into(), |first| format!("by {}", seconds.at(first.at)));
        let still = cluster.last.map_or(0, |last| last.at);
        format!("{by} and still at {}", seconds.at(still))
    };
    let name = now.name(done.op.target);
    let sentence = if inner.is_forward() {
        format!(
            "no order explains what was read of {name}: it held {} {}, and {} {}",
            outer.value,
            there(outer),
            inner.value,
            there(inner)
        )
    } else {
        format!(
            "no order explains what was read of {name}: it held {} {}, though {} was written between {} and {}",
            outer.value,
            there(outer),
            inner.value,
            seconds.at(inner.last.map_or(0, |last| last.at)),
            seconds.at(inner.first.map_or(0, |first| first.at)),
        )
    };
    let marks: Vec<Mark> = outer.proof().chain(inner.proof()).collect();
    let mut clients = vec![done.op.client];
    let mut events: Vec<OpId> = Vec::new();
    for mark in marks {
        if !clients.contains(&mark.client) {
            clients.push(mark.client);
        }
        if !events.contains(&mark.id) {
            events.push(mark.id);
        }
    }
    let since = outer.proof().chain(inner.proof()).map(|mark| mark.at).min().unwrap_or(done.op.at);
    Draft { since, ..draft(done, clients, events, sentence) }
}

fn draft(done: &Completed, clients: Vec<Name>, events: Vec<OpId>, sentence: String) -> Draft {
    Draft { clients, events, since: done.op.at, ..Draft::new(Kind::NotLinearizable, done.op.target, done.at, sentence) }
}
