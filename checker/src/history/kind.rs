//! The kinds of operation.

use super::Op;
use serde::{Deserialize, Serialize};

/// What an operation does: an [`Op`] without its particulars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[repr(u8)]
pub enum OpKind {
    /// One try to take a lock.
    Acquire,
    /// Lengthen a grant's lease.
    Extend,
    /// Give a grant back.
    Release,
    /// Ask the lock whether a grant still holds.
    Check,
    /// Read a resource.
    Read,
    /// Write a resource.
    Write,
}

impl OpKind {
    /// Whether it is about a lock, not about a resource.
    pub fn is_of_lock(self) -> bool {
        !matches!(self, OpKind::Read | OpKind::Write)
    }
}

impl Op {
    /// Its kind.
    pub fn kind(&self) -> OpKind {
        match self {
            Op::Acquire { .. } => OpKind::Acquire,
            Op::Extend { .. } => OpKind::Extend,
            Op::Release { .. } => OpKind::Release,
            Op::Check { .. } => OpKind::Check,
            Op::Read { .. } => OpKind::Read,
            Op::Write { .. } => OpKind::Write,
        }
    }
}
