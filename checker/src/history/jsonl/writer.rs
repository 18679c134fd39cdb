//! Writes a history, a line at a time.

use super::names::{MOMENTS, OPS, PHASES, PhaseName, TYPES, Type};
use crate::history::{Event, Header, Op, Phase, VERSION, What};
use serde::ser::{Serialize, SerializeMap, Serializer};
use std::io::{self, Write};

/// Writes a history as it happens: a line is handed over whole and flushed before the next one is made, so that what
/// a killed run leaves can be read. After an error the last line may be torn: write no more.
#[derive(Debug)]
pub struct Writer<W> {
    output: W,
    line: Vec<u8>,
}

impl<W: Write> Writer<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// Those of the output; [`io::ErrorKind::InvalidInput`] for a header that is not of [`VERSION`].
    pub fn new(output: W, header: &Header) -> io::Result<Self> {
        if header.fencepost != VERSION {
            let message = format!("a header of version {} cannot be written, only of version {VERSION}", header.fencepost);
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let mut writer = Writer { output, line: Vec::new() };
        writer.write_line(header)?;
        Ok(writer)
    }

    /// Writes an event.
    ///
    /// # Errors
    /// Those of the output.
    pub fn write(&mut self, event: &Event) -> io::Result<()> {
        self.write_line(&Line(event))
    }

    /// The output.
    pub fn into_inner(self) -> W {
        self.output
    }

    fn write_line(&mut self, line: &impl Serialize) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, line)?;
        self.line.push(b'\n');
        self.output.write_all(&self.line)?;
        self.output.flush()
    }
}

/// An event as one flat object.
struct Line<'e>(&'e Event);

impl Serialize for Line<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Event { at, what } = self.0;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("at", at)?;
        map.serialize_entry("type", TYPES.name(type_of(what)))?;
        match what {
            What::Invoke { client, id, op } => {
                map.serialize_entry("client", client)?;
                map.serialize_entry("id", id)?;
                write_op(&mut map, op)?;
            }
            What::Done(done) => {
                map.serialize_entry("client", &done.client)?;
                map.serialize_entry("id", &done.id)?;
                some(&mut map, "token", &done.token)?;
                some(&mut map, "fence", &done.fence)?;
                some(&mut map, "valid_for_ms", &done.valid_for_ms)?;
                some(&mut map, "valid_until", &done.valid_until)?;
                some(&mut map, "told_at", &done.told_at)?;
                some(&mut map, "value", &done.value)?;
                some(&mut map, "fenced_by", &done.fenced_by)?;
                some(&mut map, "why", &done.why)?;
                some(&mut map, "error", &done.error)?;
            }
            What::Lost { client, lock } => {
                map.serialize_entry("client", client)?;
                map.serialize_entry("lock", lock)?;
            }
            What::Gone { client } => map.serialize_entry("client", client)?,
            What::Fault(fault) => {
                map.serialize_entry("step", &fault.step)?;
                map.serialize_entry("kind", &fault.kind)?;
                map.serialize_entry("targets", &fault.targets)?;
                map.serialize_entry("moment", MOMENTS.name(fault.moment))?;
                map.serialize_entry("text", &fault.text)?;
            }
            What::Observe(seen) => {
                map.serialize_entry("lock", &seen.lock)?;
                map.serialize_entry("from", &seen.from)?;
                some(&mut map, "holder", &seen.holder)?;
                map.serialize_entry("keys", &seen.keys)?;
            }
            What::Phase(phase) => write_phase(&mut map, phase)?,
        }
        map.end()
    }
}

fn type_of(what: &What) -> Type {
    match what {
        What::Invoke { .. } => Type::Invoke,
        What::Done(done) => Type::Done(done.outcome),
        What::Lost { .. } => Type::Lost,
        What::Gone { .. } => Type::Gone,
        What::Fault(_) => Type::Fault,
        What::Observe(_) => Type::Observe,
        What::Phase(_) => Type::Phase,
    }
}

fn write_op<M: SerializeMap>(map: &mut M, op: &Op) -> Result<(), M::Error> {
    let (on, target, grant) = match op {
        Op::Acquire { lock, .. } => ("lock", lock, &None),
        Op::Extend { lock, grant, .. } | Op::Release { lock, grant } | Op::Check { lock, grant } => ("lock", lock, grant),
        Op::Read { resource, grant } | Op::Write { resource, grant, .. } => ("resource", resource, grant),
    };
    map.serialize_entry("op", OPS.name(op.kind()))?;
    map.serialize_entry(on, target)?;
    some(map, "grant", grant)?;
    match op {
        Op::Acquire { ttl_ms, .. } | Op::Extend { ttl_ms, .. } => some(map, "ttl_ms", ttl_ms),
        Op::Write { value, base, fence, .. } => {
            map.serialize_entry("value", value)?;
            some(map, "base", base)?;
            some(map, "fence", fence)
        }
        Op::Release { .. } | Op::Check { .. } | Op::Read { .. } => Ok(()),
    }
}

fn write_phase<M: SerializeMap>(map: &mut M, phase: &Phase) -> Result<(), M::Error> {
    let (name, why) = match phase {
        Phase::Healthy => (PhaseName::Healthy, None),
        Phase::Sick(why) => (PhaseName::Sick, Some(why)),
        Phase::Quiet => (PhaseName::Quiet, None),
        Phase::Interrupted(why) => (PhaseName::Interrupted, Some(why)),
        Phase::Stalled(why) => (PhaseName::Stalled, Some(why)),
        Phase::End => (PhaseName::End, None),
    };
    map.serialize_entry("phase", PHASES.name(name))?;
    some(map, "why", &why)
}

/// What is none is not written.
fn some<M: SerializeMap, T: Serialize>(map: &mut M, name: &'static str, value: &Option<T>) -> Result<(), M::Error> {
    value.as_ref().map_or(Ok(()), |value| map.serialize_entry(name, value))
}
