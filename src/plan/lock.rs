//! Which lock is the subject, and with what options.

use crate::lock::facts;
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
    /// On how many nodes `redlock` must be granted; absent: on a majority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quorum: Option<u32>,
    /// How long `redlock` waits for one node, in milliseconds; absent: [`LockSpec::NODE_TIMEOUT_MS`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_timeout_ms: Option<u64>,
    /// How `redlock` measures what a grant took; absent: by a monotonic clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elapsed: Option<Elapsed>,
    /// What `redlock` does with the keys of an attempt that failed; absent: it releases them on all nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_failure: Option<OnFailure>,
    /// What `redlock` does about a node that gives no answer; absent: it counts on the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_error: Option<OnError>,
    /// How a lease is extended; absent: what holds the token, and nothing else, on one node or on a quorum of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub extend: Option<Extend>,
    /// What a lock that SETs on one node does about its replicas after the SET; absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wait: Option<Wait>,
    /// What `setnx`, `setnx-expire` and `set-nx-px` do where the server has forgotten a script; absent: they send it anew.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scripts: Option<Scripts>,
    /// Through which client the lock reaches a cluster; absent: [`ClusterClient::ClusterConnection`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClusterClient>,
    /// Where a lock that has none of its own takes a fencing token from; absent: it has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fence: Option<Fencing>,
    /// How whoever is refused by `reentrant-watchdog` waits for its next try; absent: as `retry_ms` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waits: Option<Waits>,
    /// What the watchdog of `reentrant-watchdog` does beside renewing; absent: nothing, as Redisson's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watchdog: Option<Watchdog>,
}

fn ttl_ms() -> u64 {
    500
}

impl LockSpec {
    /// How long `redlock` waits for one node where the plan does not say: tens of milliseconds, as its document advises.
    pub const NODE_TIMEOUT_MS: u64 = 50;

    /// A lock with a TTL, and none of its options.
    pub fn bare(kind: LockKind, ttl_ms: u64) -> LockSpec {
        LockSpec {
            kind,
            ttl_ms,
            deadline: Deadline::default(),
            repair: Repair::default(),
            quorum: None,
            node_timeout_ms: None,
            elapsed: None,
            on_failure: None,
            on_error: None,
            extend: None,
            wait: None,
            scripts: None,
            client: None,
            fence: None,
            waits: None,
            watchdog: None,
        }
    }

    /// Whether a grant has a fencing token.
    pub fn fences(&self) -> bool {
        self.fence.is_some() || facts::of(self.kind).fence != facts::Fence::None
    }

    /// Whether its owner can take it again while it holds it.
    pub fn is_reentrant(&self) -> bool {
        self.kind == LockKind::ReentrantWatchdog
    }

    /// Whether something in the client renews its leases.
    pub fn is_renewed(&self) -> bool {
        self.kind == LockKind::ReentrantWatchdog && self.watchdog != Some(Watchdog::None)
    }

    /// On how many of so many nodes a grant must be, to be one.
    pub fn quorum_of(&self, nodes: usize) -> usize {
        match (self.kind, self.quorum) {
            (LockKind::Redlock, Some(quorum)) => quorum as usize,
            (LockKind::Redlock, None) => nodes / 2 + 1,
            _ => 1,
        }
    }
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
    /// Q1: L4 on a quorum of independent nodes.
    Redlock,
    /// L6: a HASH of owner and count, renewed by a watchdog.
    ReentrantWatchdog,
}

/// `WAIT replicas timeout_ms` after the SET of a grant, on the same connection: `wait = { replicas = 1, timeout_ms = 100, reply = "checked" }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// How many replicas are to acknowledge the SET.
    pub replicas: u32,
    /// How long they are waited for, in milliseconds.
    pub timeout_ms: u64,
    /// What is done about the reply, which says how many did.
    pub reply: WaitReply,
}

/// What is done about the reply to a WAIT.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WaitReply {
    /// If fewer replicas acknowledged than were asked for, the attempt has failed, and its key is deleted: WAIT takes nothing back.
    Checked,
    /// Nothing: the lock says yes.
    Ignored,
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

/// How a quorum lock measures the time that its grant took.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Elapsed {
    /// By a monotonic clock.
    #[default]
    Monotonic,
    /// By the wall clock of its client, which may jump meanwhile.
    Wall,
    /// Not at all: it says yes however late the last reply came.
    Unchecked,
}

/// What a quorum lock does with the keys of an attempt that failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// It releases them on all nodes.
    #[default]
    ReleaseAll,
    /// It leaves them to their TTL, and says that the attempt was refused.
    Keep,
}

/// What a quorum lock does about a node that gives no answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnError {
    /// It counts on the others.
    #[default]
    Next,
    /// The attempt has failed, whatever the others said.
    GiveUp,
}

/// How a lease is extended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Extend {
    /// What holds the token; of a quorum lock on a quorum of the nodes.
    #[default]
    Quorum,
    /// The same, and a quorum lock is content with a single node.
    Any,
    /// The same, but a key that is gone is taken anew.
    Retake,
    /// Whatever is there, whoever holds it: a plain PEXPIRE.
    Blind,
}

/// What a lock does where the server has forgotten a script.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scripts {
    /// It sends it anew.
    #[default]
    Reloaded,
    /// It sends its hash alone (EVALSHA), and gives up.
    EvalshaOnly,
}

/// Through which client a lock reaches a cluster.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClusterClient {
    /// redis-rs's `ClusterConnection` as it is by default: it re-sends a command up to 16 times, also one that may have been executed. In
    /// simulation a model of it.
    #[default]
    ClusterConnection,
    /// One that follows redirects, and never re-sends a command whose outcome is not known.
    FollowRedirects,
}

/// Where a lock that need not have one takes its fencing token from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fencing {
    /// Of `reentrant-watchdog`: a counter in the same Redis, in the script that takes the lock.
    Counter,
    /// A counter in the storage that the lock protects, which no failure of the lock's Redis loses: drawn when the lock has granted, before the
    /// client is told.
    Storage,
}

/// How whoever was refused waits for its next try.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Waits {
    /// Until it hears of the release, to which it has subscribed, or the lease has run out.
    Subscribed,
}

/// What a watchdog does beside renewing leases at every third of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Watchdog {
    /// Nothing: it tries again after an error, ends when its client begins to release, and tells nobody of a lease that is lost.
    #[default]
    Silent,
    /// It tells its client that a lease is lost: when a renewal is refused, or when none was answered before the lease is over.
    Telling,
    /// It ends for good at the first error, and tells nobody.
    DiesOnError,
    /// It renews until the store has said that the lock is released, and so for ever where that is not heard.
    OutlivesUnlock,
    /// There is none: a grant lasts for its TTL.
    None,
}
