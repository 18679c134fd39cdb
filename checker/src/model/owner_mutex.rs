//! A mutex whose owner alone can release it. Owners are clients: where replies are lost, a client's forgotten grant is
//! confused with its next one, and [`super::fenced_mutex`] sees more.

use super::{Model, Recorded};
use crate::Nanos;
use crate::format::{Action, Answer, Record};
use crate::history::Value;
use hashbrown::HashMap;

/// A mutex with owners.
#[derive(Debug, Clone, Copy, Default)]
pub struct OwnerMutex;

/// What an owner does to a lock.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum OwnerOp {
    /// It is taken by this owner.
    Acquire(Value),
    /// This owner still has it.
    Hold(Value),
    /// This owner gives it back.
    Release(Value),
}

impl OwnerOp {
    /// What a record means for locks, with what it identifies an owner by; none where it tells nothing. What did not succeed tells nothing:
    /// a lock may refuse for reasons of its own.
    ///
    /// # Errors
    /// With what was expected, where it makes no sense.
    pub fn of(record: &Record, owner: &Value) -> Result<Option<OwnerOp>, &'static str> {
        Ok(match (record.action, record.answer) {
            (_, Answer::Failed | Answer::Refused) => None,
            (Action::Acquire, _) => Some(OwnerOp::Acquire(owner.clone())),
            (Action::Extend, _) => Some(OwnerOp::Hold(owner.clone())),
            (Action::Release, _) => Some(OwnerOp::Release(owner.clone())),
            (Action::Read | Action::Write, _) => None,
            _ => return Err("an acquire, an extend or a release"),
        })
    }

    /// Whether it may be what lets another operation happen: an acquire helps its owner only, a release whoever acquires.
    pub fn helps(&self, other: &OwnerOp) -> bool {
        match (self, other) {
            (OwnerOp::Acquire(owner), OwnerOp::Hold(other) | OwnerOp::Release(other)) => owner == other,
            (OwnerOp::Acquire(_), OwnerOp::Acquire(_)) | (OwnerOp::Hold(_), _) => false,
            (OwnerOp::Release(_), other) => matches!(other, OwnerOp::Acquire(_)),
        }
    }

    /// True of what changes nobody's hold.
    pub fn observes(&self) -> bool {
        matches!(self, OwnerOp::Hold(_))
    }

    /// The holder after the operation; none where it cannot have succeeded.
    pub(super) fn apply(&self, holder: &Option<Value>) -> Option<Option<Value>> {
        match self {
            OwnerOp::Acquire(owner) => holder.is_none().then(|| Some(owner.clone())),
            OwnerOp::Hold(owner) => (holder.as_ref() == Some(owner)).then(|| holder.clone()),
            OwnerOp::Release(owner) => (holder.as_ref() == Some(owner)).then_some(None),
        }
    }
}

/// A lease that was promised until some time may end by itself at any time from there; what counts is the last promise for its token.
pub(super) fn lease_ends(records: &[Record]) -> Vec<(OwnerOp, Nanos, usize)> {
    let mut ends: HashMap<(Option<&Value>, &Value), (Nanos, usize)> = HashMap::new();
    for (index, record) in records.iter().enumerate() {
        let promised = matches!(record.action, Action::Acquire | Action::Extend) && record.answer == Answer::Ok;
        if let (true, Some(until), Some(token)) = (promised, record.valid_until, &record.token) {
            let end = ends.entry((record.key.as_ref(), token)).or_insert((until, index));
            *end = (*end).max((until, index));
        }
    }
    let mut ends: Vec<_> =
        ends.into_iter().map(|((_, token), (until, index))| (OwnerOp::Release(token.clone()), until, index)).collect();
    ends.sort_by_key(|&(_, _, index)| index);
    ends
}

impl Model for OwnerMutex {
    type Op = OwnerOp;
    /// Who holds it.
    type State = Option<Value>;

    fn initial(&self, _: Option<&Value>) -> Option<Value> {
        None
    }

    fn step(&self, holder: &Option<Value>, op: &OwnerOp) -> Option<Option<Value>> {
        op.apply(holder)
    }

    fn observes(&self, op: &OwnerOp) -> bool {
        op.observes()
    }

    fn helps(&self, op: &OwnerOp, other: &OwnerOp) -> bool {
        op.helps(other)
    }

    fn show(&self, holder: &Option<Value>) -> String {
        holder.as_ref().map_or("free".into(), |owner| format!("held by {owner}"))
    }
}

impl Recorded for OwnerMutex {
    fn op(&self, record: &Record) -> Result<Option<OwnerOp>, &'static str> {
        OwnerOp::of(record, &record.client)
    }
}
