//! The names that stand in `type`, `op`, `moment` and `phase`: one table each, for the reader and the writer.

use super::error::nearest;
use crate::history::{Moment, OpKind, Outcome};
use serde::de::{self, Deserializer, Visitor};
use std::fmt;

/// What `type` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Type {
    #[default]
    Invoke,
    Done(Outcome),
    Lost,
    Gone,
    Fault,
    Observe,
    Phase,
}

/// What `phase` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhaseName {
    Healthy,
    Sick,
    Quiet,
    Interrupted,
    Stalled,
    End,
}

/// Everything that a field may say.
pub struct Names<T: 'static> {
    field: &'static str,
    names: &'static [(&'static str, T)],
}

pub static TYPES: Names<Type> = Names {
    field: "type",
    names: &[
        ("invoke", Type::Invoke),
        ("ok", Type::Done(Outcome::Ok)),
        ("fail", Type::Done(Outcome::Fail)),
        ("info", Type::Done(Outcome::Info)),
        ("lost", Type::Lost),
        ("gone", Type::Gone),
        ("fault", Type::Fault),
        ("observe", Type::Observe),
        ("phase", Type::Phase),
    ],
};

pub static OPS: Names<OpKind> = Names {
    field: "op",
    names: &[
        ("acquire", OpKind::Acquire),
        ("extend", OpKind::Extend),
        ("release", OpKind::Release),
        ("check", OpKind::Check),
        ("read", OpKind::Read),
        ("write", OpKind::Write),
    ],
};

pub static MOMENTS: Names<Moment> = Names {
    field: "moment",
    names: &[("begin", Moment::Begin), ("verified", Moment::Verified), ("end", Moment::End), ("failed", Moment::Failed)],
};

pub static PHASES: Names<PhaseName> = Names {
    field: "phase",
    names: &[
        ("healthy", PhaseName::Healthy),
        ("sick", PhaseName::Sick),
        ("quiet", PhaseName::Quiet),
        ("interrupted", PhaseName::Interrupted),
        ("stalled", PhaseName::Stalled),
        ("end", PhaseName::End),
    ],
};

impl<T: Copy> Names<T> {
    /// What a name means, where it is in the table.
    pub fn named(&self, given: &str) -> Option<T> {
        self.names.iter().find(|(name, _)| *name == given).map(|(_, known)| *known)
    }
}

impl<T: Copy + PartialEq> Names<T> {
    /// The name of what is in the table, as everything of these types is.
    pub fn name(&self, of: T) -> &'static str {
        self.names.iter().find(|(_, known)| *known == of).map_or("", |(name, _)| name)
    }

    /// Reads a name, borrowed where it can be; says which was meant by one that is not known.
    pub fn read<'de, D: Deserializer<'de>>(&'static self, deserializer: D) -> Result<T, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<T: Copy> Visitor<'_> for &'static Names<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the name of a known {}", self.field)
    }

    fn visit_str<E: de::Error>(self, given: &str) -> Result<T, E> {
        if let Some(known) = self.named(given) {
            return Ok(known);
        }
        let names = self.names.iter().map(|(name, _)| *name);
        Err(E::custom(format_args!("unknown {} `{}`; {}", self.field, given.escape_debug(), nearest(given, names))))
    }
}
