//! What a lock says.

use checker::Nanos;

/// How a try to take the lock ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Attempt {
    /// The lock says yes.
    Granted(Grant),
    /// The lock says no, since another has it or may have it; the attempt has left nothing behind that could block others.
    Refused {
        /// What identifies the attempt in the store, had it been granted.
        token: String,
        /// Why, in words.
        why: String,
    },
    /// It is no grant, though nobody need have the lock: there was no connection, the server answered with an error, or the grant came too
    /// late. The attempt has left nothing behind that could block others.
    Failed {
        /// What identifies the attempt in the store, had it been granted.
        token: String,
        /// The error, in words.
        error: String,
    },
    /// A command was sent and its outcome is not known.
    Unknown {
        /// What identifies the attempt in the store.
        token: String,
        /// Why, in words.
        why: String,
    },
}

/// What a lock says when it grants.
#[derive(Debug, Clone, PartialEq)]
pub struct Grant {
    /// What identifies the grant in the store.
    pub token: String,
    /// Its fencing token, where the lock has one.
    pub fence: Option<u64>,
    /// How long it holds, where the lock measures it.
    pub validity: Option<Validity>,
}

/// How long a lock says that a grant or an extension holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Validity {
    /// Milliseconds left when it said yes, rounded down.
    pub left_ms: i64,
    /// The deadline on the client's monotonic clock.
    pub until: Nanos,
}

/// How an extension ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Extended {
    /// The store says that it took effect; with the new validity, where the lock measures it.
    Yes(Option<Validity>),
    /// It certainly had no effect: nothing was there, it is another's, or the lock cannot be extended.
    No(String),
    /// A command was sent and its outcome is not known.
    Unknown(String),
}

/// How a release ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Done {
    /// The store says that it took effect.
    Yes,
    /// It certainly had no effect: nothing was there, or it is another's.
    No(String),
    /// A command was sent and its outcome is not known.
    Unknown(String),
}

/// What a lock says of its own grant.
#[derive(Debug, Clone, PartialEq)]
pub enum Held {
    /// The store says that the grant holds.
    Yes,
    /// The store says that it does not.
    No,
    /// The store could not be asked.
    Unknown(String),
}

/// The server does not have what the lock needs; the text says what.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Impossible(pub String);

impl Validity {
    /// What is left at `now` of what ends at `until`; none if nothing is.
    pub(super) fn until(until: Nanos, now: Nanos) -> Option<Self> {
        let left = until.checked_sub(now).filter(|left| *left > 0)?;
        Some(Validity { left_ms: i64::try_from(left / 1_000_000).unwrap_or(i64::MAX), until })
    }

    /// The same at a later time; none when it is over.
    pub(crate) fn at(self, now: Nanos) -> Option<Self> {
        Validity::until(self.until, now)
    }
}

impl Attempt {
    /// A grant whose lock looks at no clock.
    pub(super) fn granted(token: String, fence: Option<u64>) -> Self {
        Attempt::Granted(Grant { token, fence, validity: None })
    }

    /// A refusal because the key is taken.
    pub(super) fn taken(token: String) -> Self {
        Attempt::Refused { token, why: "held by another".into() }
    }
}
