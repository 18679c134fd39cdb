//! Which lock is the subject, and with what options.

use serde::{Deserialize, Serialize};

/// The lock of a plan: `[lock]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LockSpec {
    /// Which algorithm.
    pub kind: LockKind,
    /// Time to live of a grant in milliseconds. Locks that have none (`setnx`) ignore it, but a fresh client is
    /// given this long, and a margin, to acquire once all is healed.
    #[serde(default = "ttl_ms")]
    pub ttl_ms: u64,
    /// What the lock says of its own validity.
    #[serde(default)]
    pub deadline: Deadline,
    /// What a loser of `setnx-expire` does about a key without a TTL.
    #[serde(default)]
    pub repair: Repair,
}

fn ttl_ms() -> u64 {
    500
}

/// The algorithms, by the names of the mission's table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LockKind {
    /// L1: SETNX, no TTL, owner-checked release.
    Setnx,
    /// L2 (and L2r with `repair`): SETNX, then EXPIRE.
    SetnxExpire,
    /// L3: SET NX PX, released by a blind DEL.
    SetNxPxDel,
    /// L3g: SET NX PX, released by GET, compare, DEL.
    SetNxPxGetDel,
    /// L4: SET NX PX, released by a compare-and-delete script.
    SetNxPx,
    /// L4w: SET NX PX, released by WATCH, GET, MULTI/EXEC.
    SetNxPxWatch,
    /// L4d: SET NX PX, released by the server's own compare-and-delete.
    SetNxPxDelex,
    /// L5: SETNX of a timestamp; GETSET steals what looks expired by the taker's own clock.
    GetsetTimestamp,
    /// L7: L4 with a fencing token from a counter in the same script.
    Fenced,
}

/// What a lock says of its own validity when it grants.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Deadline {
    /// Nothing: it never looks at the clock, and says yes however late the grant's reply came. What most libraries do.
    #[default]
    Unchecked,
    /// It measures, by a monotonic clock, how long the grant took, refuses a grant that took longer than its TTL, and reports what is left.
    Checked,
}

/// What a loser of `setnx-expire` does about a key without a TTL (the Redis in Action defence).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Nothing.
    #[default]
    None,
    /// `elif not ttl(key)`, as printed: a Redis since 2.8 answers -1 and it never fires.
    AsPrinted,
    /// `ttl(key) < 0`.
    Corrected,
}
