//! What the properties are told: the events of one instant, with names as numbers and operations resolved.

use crate::Nanos;
use crate::cause::Faults;
pub use crate::history::OpKind;
use crate::history::{FaultEvent, Header, KeySeen, LockTerms, OpId, Outcome, Phase, Value};
use crate::judge::names::{Name, Names};
use crate::lease::{Attempt, Leases};
use std::sync::Arc;

/// The client that looks at the world before and after the run, and that no fault hits.
pub const PROBE: &str = "probe";

/// An operation, as it was invoked.
#[derive(Debug)]
pub struct Operation {
    /// Its name in the history.
    pub id: OpId,
    /// Who.
    pub client: Name,
    /// When it was invoked.
    pub at: Nanos,
    /// What it does.
    pub kind: OpKind,
    /// The lock or resource.
    pub target: Name,
    /// Under which grant: as the history says, else the client's latest grant of the lock that it has not released.
    pub grant: Option<OpId>,
    /// The TTL asked for, in milliseconds.
    pub ttl_ms: Option<u64>,
    /// Of a write: what is written.
    pub value: Option<Value>,
    /// Of a write: what it was computed from.
    pub base: Option<Value>,
    /// Of a write: the fencing token shown.
    pub fence: Option<u64>,
}

/// An operation that has completed.
#[derive(Debug)]
pub struct Completed {
    /// The operation.
    pub op: Arc<Operation>,
    /// How it ended.
    pub outcome: Outcome,
    /// When.
    pub at: Nanos,
    /// When its client was told, by its own stamp.
    pub told_at: Option<Nanos>,
    /// Of an acquire: what identifies it in the store.
    pub token: Option<Arc<str>>,
    /// Of a granted acquire: the last grant of another client with the same token, if it is remembered.
    pub reissued: Option<Attempt>,
    /// Of a granted acquire: its fencing token.
    pub fence: Option<u64>,
    /// The validity that was reported, in milliseconds from the invocation.
    pub valid_for_ms: Option<i64>,
    /// The deadline that was reported.
    pub valid_until: Option<Nanos>,
    /// Of a read: the value. Of a check: whether it is held.
    pub value: Option<Value>,
    /// Of a refused write: the fencing token that outranked it.
    pub fenced_by: Option<u64>,
    /// Whether an error ended it, and not an answer.
    pub error: bool,
}

impl Completed {
    /// Whether it told its client that it does not hold the lock: an extension, a check or a release that was refused,
    /// or a check that answered no.
    pub fn denies_holding(&self) -> bool {
        match self.op.kind {
            OpKind::Extend | OpKind::Release => self.outcome == Outcome::Fail,
            OpKind::Check => {
                self.outcome == Outcome::Fail || (self.outcome == Outcome::Ok && self.value == Some(Value::Bool(false)))
            }
            _ => false,
        }
    }

    /// Whether it told its client that it holds the lock on.
    pub fn affirms_holding(&self) -> bool {
        self.outcome == Outcome::Ok
            && match self.op.kind {
                OpKind::Extend => true,
                OpKind::Check => self.value == Some(Value::Bool(true)),
                _ => false,
            }
    }
}

/// What the store held, as the runner saw it.
#[derive(Debug)]
pub struct Seen {
    /// Which lock.
    pub lock: Name,
    /// When the observation began; it ended at the facts' own time.
    pub from: Nanos,
    /// The token of the attempt that holds the lock.
    pub holder: Option<Arc<str>>,
    /// Every key of the lock that was there.
    pub keys: Vec<KeySeen>,
}

/// How a client came to know that it lost a grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// It was sent word.
    Sent,
    /// It asked: for an extension, by a check, or by the release.
    Asked,
}

/// One thing that happened.
#[derive(Debug)]
pub enum Fact {
    /// An operation was invoked.
    Invoked(Arc<Operation>),
    /// An operation completed.
    Done(Completed),
    /// A certain lease of a grant began.
    Leased(OpId),
    /// A client was told that it holds a lock when its own validity was over, and had not measured it.
    Claimed {
        /// Under which grant.
        grant: OpId,
        /// Since when it may have been told.
        told: Nanos,
        /// When its validity was over.
        over: Nanos,
    },
    /// A client was told, without asking, that it lost a lock.
    Lost(Name, Name),
    /// A client was told that a grant is lost.
    Told(OpId, Word),
    /// A client is no more.
    Gone(Name),
    /// The nemesis did something.
    Fault(FaultEvent),
    /// The runner looked at a lock.
    Observed(Seen),
    /// The run entered a new phase.
    Phase(Phase),
}

/// A set of kinds of fact.
pub type Facts = u32;

/// One bit a kind of fact; invocations and completions have one a kind of operation.
#[allow(missing_docs)]
pub mod facts {
    use super::{Facts, OpKind};
    pub const LEASED: Facts = 1;
    pub const CLAIMED: Facts = 1 << 1;
    pub const TOLD: Facts = 1 << 2;
    pub const GONE: Facts = 1 << 3;
    pub const FAULT: Facts = 1 << 4;
    pub const OBSERVED: Facts = 1 << 5;
    pub const PHASE: Facts = 1 << 6;
    /// Something that is not over: a property that waits is asked at every instant.
    pub const ALWAYS: Facts = 1 << 7;

    pub const LOST: Facts = 1 << 14;

    /// The invocation of an operation of this kind.
    pub const fn invoked(kind: OpKind) -> Facts {
        1 << (8 + kind as u32)
    }

    /// The completion of an operation of this kind.
    pub const fn done(kind: OpKind) -> Facts {
        1 << (16 + kind as u32)
    }
}

impl Fact {
    /// Its kind's bit.
    pub fn bit(&self) -> Facts {
        match self {
            Fact::Invoked(op) => facts::invoked(op.kind),
            Fact::Done(done) => facts::done(done.op.kind),
            Fact::Leased(_) => facts::LEASED,
            Fact::Claimed { .. } => facts::CLAIMED,
            Fact::Lost(..) => facts::LOST,
            Fact::Told(..) => facts::TOLD,
            Fact::Gone(_) => facts::GONE,
            Fact::Fault(_) => facts::FAULT,
            Fact::Observed(_) => facts::OBSERVED,
            Fact::Phase(_) => facts::PHASE,
        }
    }
}

/// Everything that happened at one instant, and what is known at its end.
///
/// Events of equal stamps are judged together, so that the order of their lines says nothing.
#[derive(Debug)]
pub struct Instant<'a> {
    /// When.
    pub at: Nanos,
    /// When the history's first event was.
    pub zero: Nanos,
    /// What happened.
    pub facts: &'a [Fact],
    /// The grants and their certain leases, as they are after all of it.
    pub leases: &'a Leases,
    /// The names.
    pub names: &'a Names,
    /// The faults so far.
    pub faults: &'a Faults,
    /// What was promised.
    pub header: &'a Header,
}

impl<'a> Instant<'a> {
    /// The text of a name.
    pub fn name(&self, name: Name) -> &'a str {
        self.names.text(name)
    }

    /// What a lock promises.
    pub fn terms(&self, lock: Name) -> &'a LockTerms {
        self.leases.terms(lock)
    }

    /// The completions of operations that are about a lock or resource of one kind.
    pub fn done(&self) -> impl Iterator<Item = &'a Completed> + use<'a> {
        self.facts.iter().filter_map(|fact| match fact {
            Fact::Done(done) => Some(done),
            _ => None,
        })
    }

    /// The invocations.
    pub fn invoked(&self) -> impl Iterator<Item = &'a Arc<Operation>> + use<'a> {
        self.facts.iter().filter_map(|fact| match fact {
            Fact::Invoked(op) => Some(op),
            _ => None,
        })
    }

    /// The observations.
    pub fn seen(&self) -> impl Iterator<Item = &'a Seen> + use<'a> {
        self.facts.iter().filter_map(|fact| match fact {
            Fact::Observed(seen) => Some(seen),
            _ => None,
        })
    }
}
