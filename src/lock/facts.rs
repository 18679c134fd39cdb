//! What each lock does and lacks, in words: `list locks` and the README are generated from it.

use crate::plan::LockKind;
use std::fmt;

/// One lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// Which.
    pub kind: LockKind,
    /// Its name in a plan.
    pub name: &'static str,
    /// Its row in the project's list of locks.
    pub row: &'static str,
    /// What it does, in a sentence.
    pub sentence: &'static str,
    /// What ends a grant that nobody releases.
    pub expiry: Expiry,
    /// Whether a release can hit another's grant.
    pub owner: OwnerCheck,
    /// Where a grant's fencing token comes from.
    pub fence: Fence,
    /// How a grant's lease is lengthened.
    pub extension: Extension,
}

/// What ends a grant that nobody releases.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expiry {
    /// Nothing.
    Never,
    /// The server, by its clock.
    Server,
    /// Whoever finds it expired by its own clock.
    ClientClocks,
}

/// How a release makes sure that it releases its own grant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerCheck {
    /// It does not.
    None,
    /// It compares, then deletes: two steps, between which the lock can change hands.
    TwoSteps,
    /// It compares and deletes in one step of the server.
    Atomic,
    /// It deletes while its own stamp has not expired by its own clock.
    OwnClock,
}

/// Where a grant's fencing token comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fence {
    /// It has none.
    None,
    /// A counter in the same Redis.
    Counter,
}

/// How a grant's lease is lengthened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extension {
    /// It is not.
    None,
    /// By a script that compares and sets the TTL.
    Atomic,
    /// By that script on a quorum of the nodes.
    Quorum,
}

/// Every lock, in the order of the list.
pub const ALL: [Facts; 11] = [
    Facts {
        kind: LockKind::Setnx,
        name: "setnx",
        row: "L1",
        sentence: "SETNX, no TTL: a holder that dies keeps it for ever",
        expiry: Expiry::Never,
        owner: OwnerCheck::Atomic,
        fence: Fence::None,
        extension: Extension::None,
    },
    Facts {
        kind: LockKind::SetnxExpire,
        name: "setnx-expire",
        row: "L2, L2r",
        sentence: "SETNX, then EXPIRE (sent as PEXPIRE): a crash between the two leaves it for ever, unless losers repair it",
        expiry: Expiry::Server,
        owner: OwnerCheck::Atomic,
        fence: Fence::None,
        extension: Extension::Atomic,
    },
    Facts {
        kind: LockKind::SetNxPxDel,
        name: "set-nx-px-del",
        row: "L3",
        sentence: "SET NX PX, released by a blind DEL, which deletes whoever's lock is there",
        expiry: Expiry::Server,
        owner: OwnerCheck::None,
        fence: Fence::None,
        extension: Extension::Atomic,
    },
    Facts {
        kind: LockKind::SetNxPxGetDel,
        name: "set-nx-px-get-del",
        row: "L3g",
        sentence: "SET NX PX, released by GET, compare, DEL: what expires between the two is another's when it is deleted",
        expiry: Expiry::Server,
        owner: OwnerCheck::TwoSteps,
        fence: Fence::None,
        extension: Extension::Atomic,
    },
    Facts {
        kind: LockKind::SetNxPx,
        name: "set-nx-px",
        row: "L4",
        sentence: "SET NX PX, released by a compare-and-delete script: the lock of the Redis documentation",
        expiry: Expiry::Server,
        owner: OwnerCheck::Atomic,
        fence: Fence::None,
        extension: Extension::Atomic,
    },
    Facts {
        kind: LockKind::SetNxPxWatch,
        name: "set-nx-px-watch",
        row: "L4w",
        sentence: "SET NX PX, released by WATCH, GET, MULTI DEL EXEC",
        expiry: Expiry::Server,
        owner: OwnerCheck::Atomic,
        fence: Fence::None,
        extension: Extension::Atomic,
    },
    Facts {
        kind: LockKind::SetNxPxDelex,
        name: "set-nx-px-delex",
        row: "L4d",
        sentence: "SET NX PX, released by the server's own compare-and-delete: DELEX (Redis since 8.4) or DELIFEQ (Valkey since 9)",
        expiry: Expiry::Server,
        owner: OwnerCheck::Atomic,
        fence: Fence::None,
        extension: Extension::Atomic,
    },
    Facts {
        kind: LockKind::GetsetTimestamp,
        name: "getset-timestamp",
        row: "L5",
        sentence: "SETNX of the time at which it ends; whoever finds that past by its own clock takes it over by GETSET",
        expiry: Expiry::ClientClocks,
        owner: OwnerCheck::OwnClock,
        fence: Fence::None,
        extension: Extension::None,
    },
    Facts {
        kind: LockKind::ReentrantWatchdog,
        name: "reentrant-watchdog",
        row: "L6, L7",
        sentence: "a HASH of owner and count, renewed at a third of the lease by a watchdog that sleeps when its client does; with `fence = \"counter\"` a fencing token",
        expiry: Expiry::Server,
        owner: OwnerCheck::Atomic,
        fence: Fence::None,
        extension: Extension::Atomic,
    },
    Facts {
        kind: LockKind::Fenced,
        name: "fenced",
        row: "L7",
        sentence: "set-nx-px with a fencing token from a counter in the same script",
        expiry: Expiry::Server,
        owner: OwnerCheck::Atomic,
        fence: Fence::Counter,
        extension: Extension::Atomic,
    },
    Facts {
        kind: LockKind::Redlock,
        name: "redlock",
        row: "Q1",
        sentence: "set-nx-px on a quorum of independent nodes, less the time that it took and drift: no token to fence with",
        expiry: Expiry::Server,
        owner: OwnerCheck::Atomic,
        fence: Fence::None,
        extension: Extension::Quorum,
    },
];

/// What is to be known of one lock.
pub fn of(kind: LockKind) -> &'static Facts {
    ALL.iter().find(|facts| facts.kind == kind).expect("every kind has its row; a test sees to it")
}

impl fmt::Display for Expiry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Expiry::Never => "none",
            Expiry::Server => "server's clock",
            Expiry::ClientClocks => "clients' clocks",
        })
    }
}

impl fmt::Display for OwnerCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            OwnerCheck::None => "none",
            OwnerCheck::TwoSteps => "two steps",
            OwnerCheck::Atomic => "atomic",
            OwnerCheck::OwnClock => "own clock",
        })
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Fence::None => "none",
            Fence::Counter => "counter",
        })
    }
}

impl fmt::Display for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Extension::None => "none",
            Extension::Atomic => "atomic",
            Extension::Quorum => "quorum",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails to compile when a kind is added, until it is listed here and so looked up below.
    fn every_kind(kind: LockKind) -> LockKind {
        match kind {
            LockKind::Setnx => LockKind::SetnxExpire,
            LockKind::SetnxExpire => LockKind::SetNxPxDel,
            LockKind::SetNxPxDel => LockKind::SetNxPxGetDel,
            LockKind::SetNxPxGetDel => LockKind::SetNxPx,
            LockKind::SetNxPx => LockKind::SetNxPxWatch,
            LockKind::SetNxPxWatch => LockKind::SetNxPxDelex,
            LockKind::SetNxPxDelex => LockKind::GetsetTimestamp,
            LockKind::GetsetTimestamp => LockKind::Fenced,
            LockKind::Fenced => LockKind::Redlock,
            LockKind::Redlock => LockKind::ReentrantWatchdog,
            LockKind::ReentrantWatchdog => LockKind::Setnx,
        }
    }

    #[test]
    fn every_lock_has_one_row_under_the_name_that_plans_use() {
        let mut kind = LockKind::Setnx;
        let mut seen = 0;
        loop {
            let facts = of(kind);
            assert_eq!(serde_json::to_value(kind).unwrap(), facts.name);
            seen += 1;
            kind = every_kind(kind);
            if kind == LockKind::Setnx {
                break;
            }
        }
        assert_eq!(seen, ALL.len());
    }
}
