//! One line as it stands, before its type says which of its fields it may have.

use super::error::Problem;
use super::names::{MOMENTS, OPS, PHASES, PhaseName, TYPES, Type};
use crate::Nanos;
use crate::flat::{fields, once};
use crate::history::{Completion, Event, FaultEvent, KeySeen, Moment, Observation, Op, OpId, OpKind, Phase, Value, What};
use serde::{Deserialize, Deserializer};

/// Every field that a line can have. Texts are owned, for they move into the event as they are.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    at: Nanos,
    #[serde(rename = "type", deserialize_with = "a_type")]
    of: Type,
    client: Option<String>,
    id: Option<OpId>,
    #[serde(default, deserialize_with = "an_op")]
    op: Option<OpKind>,
    lock: Option<String>,
    resource: Option<String>,
    grant: Option<OpId>,
    ttl_ms: Option<u64>,
    #[serde(default, deserialize_with = "a_value")]
    value: Option<Value>,
    #[serde(default, deserialize_with = "a_value")]
    base: Option<Value>,
    token: Option<String>,
    fence: Option<u64>,
    valid_for_ms: Option<i64>,
    valid_until: Option<Nanos>,
    told_at: Option<Nanos>,
    fenced_by: Option<u64>,
    why: Option<String>,
    error: Option<String>,
    step: Option<String>,
    kind: Option<String>,
    targets: Option<Vec<String>>,
    #[serde(default, deserialize_with = "a_moment")]
    moment: Option<Moment>,
    text: Option<String>,
    from: Option<Nanos>,
    holder: Option<String>,
    keys: Option<Vec<KeySeen>>,
    #[serde(default, deserialize_with = "a_phase")]
    phase: Option<PhaseName>,
}

fn a_type<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Type, D::Error> {
    TYPES.read(deserializer)
}

fn an_op<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<OpKind>, D::Error> {
    OPS.read(deserializer).map(Some)
}

fn a_moment<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Moment>, D::Error> {
    MOMENTS.read(deserializer).map(Some)
}

fn a_phase<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<PhaseName>, D::Error> {
    PHASES.read(deserializer).map(Some)
}

/// A `null` that was written is a value too.
fn a_value<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Line {
    /// Reads a line that is plain, as almost all about operations of clients are.
    pub fn plain(text: &str) -> Option<Line> {
        let (mut at, mut of) = (None, None);
        let mut line = Line::default();
        fields(text, |name, plain| {
            let text = || plain.text().map(str::to_owned);
            match name {
                b"at" => once(&mut at, plain.number()?),
                b"type" => once(&mut of, TYPES.named(plain.text()?)?),
                b"client" => once(&mut line.client, text()?),
                b"id" => once(&mut line.id, plain.number()?),
                b"op" => once(&mut line.op, OPS.named(plain.text()?)?),
                b"lock" => once(&mut line.lock, text()?),
                b"resource" => once(&mut line.resource, text()?),
                b"grant" => once(&mut line.grant, plain.number()?),
                b"ttl_ms" => once(&mut line.ttl_ms, plain.number()?),
                b"value" => once(&mut line.value, Value::plain(plain)?),
                b"base" => once(&mut line.base, Value::plain(plain)?),
                b"token" => once(&mut line.token, text()?),
                b"fence" => once(&mut line.fence, plain.number()?),
                b"valid_for_ms" => once(&mut line.valid_for_ms, plain.signed()?),
                b"valid_until" => once(&mut line.valid_until, plain.number()?),
                b"told_at" => once(&mut line.told_at, plain.number()?),
                b"fenced_by" => once(&mut line.fenced_by, plain.number()?),
                b"why" => once(&mut line.why, text()?),
                b"error" => once(&mut line.error, text()?),
                _ => None,
            }
        })?;
        Some(Line { at: at?, of: of?, ..line })
    }

    /// Takes out of the line the event that it tells of.
    ///
    /// # Errors
    /// [`Problem::Missing`] and [`Problem::Surplus`], for a field that the event's type needs or cannot have.
    pub fn event(&mut self) -> Result<Event, Problem> {
        let (what, of) = self.what()?;
        match self.first_left() {
            Some(field) => Err(Problem::Surplus { of, field }),
            None => Ok(Event { at: self.at, what }),
        }
    }

    /// Takes what the type needs out of the line; names what decided on it.
    fn what(&mut self) -> Result<(What, &'static str), Problem> {
        let of = TYPES.name(self.of);
        let what = match self.of {
            Type::Invoke => {
                let op = need(self.op.take(), of, "op")?;
                let of = OPS.name(op);
                let client = need(self.client.take(), of, "client")?;
                let id = need(self.id.take(), of, "id")?;
                return Ok((What::Invoke { client, id, op: self.op(op, of)? }, of));
            }
            Type::Done(outcome) => What::Done(Completion {
                client: need(self.client.take(), of, "client")?,
                id: need(self.id.take(), of, "id")?,
                outcome,
                token: self.token.take(),
                fence: self.fence.take(),
                valid_for_ms: self.valid_for_ms.take(),
                valid_until: self.valid_until.take(),
                told_at: self.told_at.take(),
                value: self.value.take(),
                fenced_by: self.fenced_by.take(),
                why: self.why.take(),
                error: self.error.take(),
            }),
            Type::Lost => {
                What::Lost { client: need(self.client.take(), of, "client")?, lock: need(self.lock.take(), of, "lock")? }
            }
            Type::Gone => What::Gone { client: need(self.client.take(), of, "client")? },
            Type::Fault => What::Fault(FaultEvent {
                step: need(self.step.take(), of, "step")?,
                kind: need(self.kind.take(), of, "kind")?,
                targets: need(self.targets.take(), of, "targets")?,
                moment: need(self.moment.take(), of, "moment")?,
                text: need(self.text.take(), of, "text")?,
            }),
            Type::Observe => What::Observe(Observation {
                lock: need(self.lock.take(), of, "lock")?,
                from: need(self.from.take(), of, "from")?,
                holder: self.holder.take(),
                keys: need(self.keys.take(), of, "keys")?,
            }),
            Type::Phase => {
                let phase = need(self.phase.take(), of, "phase")?;
                let of = PHASES.name(phase);
                return Ok((What::Phase(self.phase(phase, of)?), of));
            }
        };
        Ok((what, of))
    }

    fn op(&mut self, op: OpKind, of: &'static str) -> Result<Op, Problem> {
        let grant = if op == OpKind::Acquire { None } else { self.grant.take() };
        Ok(match op {
            OpKind::Acquire => Op::Acquire { lock: need(self.lock.take(), of, "lock")?, ttl_ms: self.ttl_ms.take() },
            OpKind::Extend => Op::Extend { lock: need(self.lock.take(), of, "lock")?, grant, ttl_ms: self.ttl_ms.take() },
            OpKind::Release => Op::Release { lock: need(self.lock.take(), of, "lock")?, grant },
            OpKind::Check => Op::Check { lock: need(self.lock.take(), of, "lock")?, grant },
            OpKind::Read => Op::Read { resource: need(self.resource.take(), of, "resource")?, grant },
            OpKind::Write => Op::Write {
                resource: need(self.resource.take(), of, "resource")?,
                grant,
                value: need(self.value.take(), of, "value")?,
                base: self.base.take(),
                fence: self.fence.take(),
            },
        })
    }

    fn phase(&mut self, phase: PhaseName, of: &'static str) -> Result<Phase, Problem> {
        Ok(match phase {
            PhaseName::Healthy => Phase::Healthy,
            PhaseName::Sick => Phase::Sick(need(self.why.take(), of, "why")?),
            PhaseName::Quiet => Phase::Quiet,
            PhaseName::Interrupted => Phase::Interrupted(need(self.why.take(), of, "why")?),
            PhaseName::Stalled => Phase::Stalled(need(self.why.take(), of, "why")?),
            PhaseName::End => Phase::End,
        })
    }

    /// A field that nothing took.
    fn first_left(&self) -> Option<&'static str> {
        // Taken apart without `..`, so that a new field cannot be forgotten here.
        macro_rules! first_of {
            ($($field:ident)*) => {{
                let Line { at: _, of: _, $($field),* } = self;
                $(if $field.is_some() { return Some(stringify!($field)); })*
                None
            }};
        }
        first_of! {
            client id op lock resource grant ttl_ms value base token fence valid_for_ms valid_until told_at fenced_by why
            error step kind targets moment text from holder keys phase
        }
    }
}

fn need<T>(given: Option<T>, of: &'static str, field: &'static str) -> Result<T, Problem> {
    given.ok_or(Problem::Missing { of, field })
}
