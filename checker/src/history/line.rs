//! One line of a history as JSON has it: every field of every type of event, flat, borrowed from the line.
//!
//! One struct for all of them, since serde's `flatten`, `untagged` and internally tagged enums buffer every field and
//! lose the position of a mistake.

use super::{Completion, Event, FaultEvent, KeySeen, Moment, Observation, Op, Outcome, Phase, Value, What};
use serde::{Deserialize, Deserializer, Serialize};
use std::borrow::Cow;

/// A text that borrows from the line unless it holds an escape.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Text(Cow::Borrowed(text))
    }
}

/// The `type` of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Type {
    Invoke,
    Ok,
    Fail,
    Info,
    Lost,
    Gone,
    Fault,
    Observe,
    Phase,
}

/// The `op` of an invocation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum OpType {
    Acquire,
    Extend,
    Release,
    Check,
    Read,
    Write,
}

/// The `moment` of a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum MomentType {
    Begin,
    Verified,
    End,
    Failed,
}

/// The `phase` of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PhaseType {
    Healthy,
    Sick,
    Quiet,
    Interrupted,
    End,
}

/// Generates the flat line, an empty one, and what names a field that is left over.
macro_rules! line {
    ($($(#[$attr:meta])* $field:ident: $type:ty,)*) => {
        /// The flat line.
        #[derive(Debug, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct Line<'a> {
            at: u64,
            #[serde(rename = "type")]
            kind: Type,
            $($(#[$attr])* #[serde(default, skip_serializing_if = "Option::is_none")] $field: Option<$type>,)*
        }

        impl Line<'_> {
            fn bare(at: u64, kind: Type) -> Self {
                Line { at, kind, $($field: None,)* }
            }

            /// The first field that nobody took.
            fn left_over(&self) -> Option<&'static str> {
                $(if self.$field.is_some() { return Some(stringify!($field)); })*
                None
            }
        }
    };
}

line! {
    #[serde(borrow)] client: Text<'a>,
    id: u64,
    op: OpType,
    #[serde(borrow)] lock: Text<'a>,
    #[serde(borrow)] resource: Text<'a>,
    grant: u64,
    ttl_ms: u64,
    #[serde(borrow)] token: Text<'a>,
    fence: u64,
    valid_for_ms: i64,
    valid_until: u64,
    told_at: u64,
    #[serde(deserialize_with = "present")] value: Value,
    #[serde(deserialize_with = "present")] base: Value,
    fenced_by: u64,
    #[serde(borrow)] step: Text<'a>,
    #[serde(borrow, rename = "kind")] fault: Text<'a>,
    targets: Vec<String>,
    moment: MomentType,
    #[serde(borrow)] text: Text<'a>,
    from: u64,
    #[serde(borrow)] holder: Text<'a>,
    keys: Vec<KeySeen>,
    phase: PhaseType,
    #[serde(borrow)] why: Text<'a>,
}

/// A field that is there and null is the value nil, not an absent field.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// A line that is JSON of known fields, but not an event: a field is missing or does not belong.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// The named field is missing.
    Missing {
        /// What the line is: `an acquire's invocation`.
        of: &'static str,
        /// Which field it needs.
        field: &'static str,
    },
    /// The named field does not belong here.
    Extra {
        /// What the line is.
        of: &'static str,
        /// Which field is too much.
        field: &'static str,
    },
}

fn need<T>(of: &'static str, field: &'static str, value: Option<T>) -> Result<T, Misfit> {
    value.ok_or(Misfit::Missing { of, field })
}

fn text(of: &'static str, field: &'static str, value: &mut Option<Text<'_>>) -> Result<String, Misfit> {
    need(of, field, value.take()).map(|text| text.0.into_owned())
}

fn perhaps(value: &mut Option<Text<'_>>) -> Option<String> {
    value.take().map(|text| text.0.into_owned())
}

impl Line<'_> {
    /// The event that the line says, if it has all of its type's fields and no others.
    pub(super) fn event(mut self) -> Result<Event, Misfit> {
        let what = match self.kind {
            Type::Invoke => self.invocation()?,
            Type::Ok => self.completion("an ok", Outcome::Ok)?,
            Type::Fail => self.completion("a fail", Outcome::Fail)?,
            Type::Info => self.completion("an info", Outcome::Info)?,
            Type::Lost => {
                What::Lost { client: text("a lost", "client", &mut self.client)?, lock: text("a lost", "lock", &mut self.lock)? }
            }
            Type::Gone => What::Gone { client: text("a gone", "client", &mut self.client)? },
            Type::Fault => self.fault_event()?,
            Type::Observe => What::Observe(Observation {
                lock: text("an observe", "lock", &mut self.lock)?,
                from: need("an observe", "from", self.from.take())?,
                holder: perhaps(&mut self.holder),
                keys: self.keys.take().unwrap_or_default(),
            }),
            Type::Phase => What::Phase(self.run_phase()?),
        };
        match self.left_over() {
            None => Ok(Event { at: self.at, what }),
            Some(field) => Err(Misfit::Extra { of: self.name(), field: if field == "fault" { "kind" } else { field } }),
        }
    }

    fn name(&self) -> &'static str {
        match self.kind {
            Type::Invoke => "an invocation of this op",
            Type::Ok => "an ok",
            Type::Fail => "a fail",
            Type::Info => "an info",
            Type::Lost => "a lost",
            Type::Gone => "a gone",
            Type::Fault => "a fault",
            Type::Observe => "an observe",
            Type::Phase => "a phase of this kind",
        }
    }

    fn invocation(&mut self) -> Result<What, Misfit> {
        let of = "an invoke";
        let client = text(of, "client", &mut self.client)?;
        let id = need(of, "id", self.id.take())?;
        let op = match need(of, "op", self.op.take())? {
            OpType::Acquire => Op::Acquire { lock: text("an acquire", "lock", &mut self.lock)?, ttl_ms: self.ttl_ms.take() },
            OpType::Extend => Op::Extend {
                lock: text("an extend", "lock", &mut self.lock)?,
                grant: self.grant.take(),
                ttl_ms: self.ttl_ms.take(),
            },
            OpType::Release => Op::Release { lock: text("a release", "lock", &mut self.lock)?, grant: self.grant.take() },
            OpType::Check => Op::Check { lock: text("a check", "lock", &mut self.lock)?, grant: self.grant.take() },
            OpType::Read => Op::Read { resource: text("a read", "resource", &mut self.resource)?, grant: self.grant.take() },
            OpType::Write => Op::Write {
                resource: text("a write", "resource", &mut self.resource)?,
                grant: self.grant.take(),
                value: need("a write", "value", self.value.take())?,
                base: self.base.take(),
                fence: self.fence.take(),
            },
        };
        Ok(What::Invoke { client, id, op })
    }

    fn completion(&mut self, of: &'static str, outcome: Outcome) -> Result<What, Misfit> {
        Ok(What::Done(Completion {
            client: text(of, "client", &mut self.client)?,
            id: need(of, "id", self.id.take())?,
            outcome,
            token: perhaps(&mut self.token),
            fence: self.fence.take(),
            valid_for_ms: self.valid_for_ms.take(),
            valid_until: self.valid_until.take(),
            told_at: self.told_at.take(),
            value: self.value.take(),
            fenced_by: self.fenced_by.take(),
            why: perhaps(&mut self.why),
        }))
    }

    fn fault_event(&mut self) -> Result<What, Misfit> {
        let of = "a fault";
        Ok(What::Fault(FaultEvent {
            step: text(of, "step", &mut self.step)?,
            kind: text(of, "kind", &mut self.fault)?,
            targets: need(of, "targets", self.targets.take())?,
            moment: match need(of, "moment", self.moment.take())? {
                MomentType::Begin => Moment::Begin,
                MomentType::Verified => Moment::Verified,
                MomentType::End => Moment::End,
                MomentType::Failed => Moment::Failed,
            },
            text: text(of, "text", &mut self.text)?,
        }))
    }

    fn run_phase(&mut self) -> Result<Phase, Misfit> {
        Ok(match need("a phase", "phase", self.phase.take())? {
            PhaseType::Healthy => Phase::Healthy,
            PhaseType::Sick => Phase::Sick(text("a phase sick", "why", &mut self.why)?),
            PhaseType::Quiet => Phase::Quiet,
            PhaseType::Interrupted => Phase::Interrupted(text("a phase interrupted", "why", &mut self.why)?),
            PhaseType::End => Phase::End,
        })
    }
}

impl<'a> From<&'a Event> for Line<'a> {
    fn from(event: &'a Event) -> Self {
        let bare = |kind| Line::bare(event.at, kind);
        match &event.what {
            What::Invoke { client, id, op } => {
                Line { client: Some(client.as_str().into()), id: Some(*id), ..op_line(event.at, op) }
            }
            What::Done(done) => Line {
                client: Some(done.client.as_str().into()),
                id: Some(done.id),
                token: done.token.as_deref().map(Text::from),
                fence: done.fence,
                valid_for_ms: done.valid_for_ms,
                valid_until: done.valid_until,
                told_at: done.told_at,
                value: done.value.clone(),
                fenced_by: done.fenced_by,
                why: done.why.as_deref().map(Text::from),
                ..bare(match done.outcome {
                    Outcome::Ok => Type::Ok,
                    Outcome::Fail => Type::Fail,
                    Outcome::Info => Type::Info,
                })
            },
            What::Lost { client, lock } => {
                Line { client: Some(client.as_str().into()), lock: Some(lock.as_str().into()), ..bare(Type::Lost) }
            }
            What::Gone { client } => Line { client: Some(client.as_str().into()), ..bare(Type::Gone) },
            What::Fault(fault) => Line {
                step: Some(fault.step.as_str().into()),
                fault: Some(fault.kind.as_str().into()),
                targets: Some(fault.targets.clone()),
                moment: Some(match fault.moment {
                    Moment::Begin => MomentType::Begin,
                    Moment::Verified => MomentType::Verified,
                    Moment::End => MomentType::End,
                    Moment::Failed => MomentType::Failed,
                }),
                text: Some(fault.text.as_str().into()),
                ..bare(Type::Fault)
            },
            What::Observe(seen) => Line {
                lock: Some(seen.lock.as_str().into()),
                from: Some(seen.from),
                holder: seen.holder.as_deref().map(Text::from),
                keys: Some(seen.keys.clone()),
                ..bare(Type::Observe)
            },
            What::Phase(phase) => {
                let (phase, why) = match phase {
                    Phase::Healthy => (PhaseType::Healthy, None),
                    Phase::Sick(why) => (PhaseType::Sick, Some(why)),
                    Phase::Quiet => (PhaseType::Quiet, None),
                    Phase::Interrupted(why) => (PhaseType::Interrupted, Some(why)),
                    Phase::End => (PhaseType::End, None),
                };
                Line { phase: Some(phase), why: why.map(|why| why.as_str().into()), ..bare(Type::Phase) }
            }
        }
    }
}

fn op_line(at: u64, op: &Op) -> Line<'_> {
    let bare = Line::bare(at, Type::Invoke);
    match op {
        Op::Acquire { lock, ttl_ms } => {
            Line { op: Some(OpType::Acquire), lock: Some(lock.as_str().into()), ttl_ms: *ttl_ms, ..bare }
        }
        Op::Extend { lock, grant, ttl_ms } => {
            Line { op: Some(OpType::Extend), lock: Some(lock.as_str().into()), grant: *grant, ttl_ms: *ttl_ms, ..bare }
        }
        Op::Release { lock, grant } => {
            Line { op: Some(OpType::Release), lock: Some(lock.as_str().into()), grant: *grant, ..bare }
        }
        Op::Check { lock, grant } => Line { op: Some(OpType::Check), lock: Some(lock.as_str().into()), grant: *grant, ..bare },
        Op::Read { resource, grant } => {
            Line { op: Some(OpType::Read), resource: Some(resource.as_str().into()), grant: *grant, ..bare }
        }
        Op::Write { resource, grant, value, base, fence } => Line {
            op: Some(OpType::Write),
            resource: Some(resource.as_str().into()),
            grant: *grant,
            value: Some(value.clone()),
            base: base.clone(),
            fence: *fence,
            ..bare
        },
    }
}
