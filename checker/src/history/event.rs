//! The events of a history.

use super::Value;
use crate::Nanos;
use serde::{Deserialize, Serialize};

/// Names one operation; unique in its history. A grant is named by the id of its `acquire`.
pub type OpId = u64;

/// Something that happened, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When it was stamped: an invocation before its first byte can leave, a completion after its last has arrived,
    /// so that intervals err only on the wide side. Never decreases from line to line of a run's own history.
    pub at: Nanos,
    /// What happened.
    pub what: What,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum What {
    /// A client is about to do something.
    Invoke {
        /// Who.
        client: String,
        /// The operation's name.
        id: OpId,
        /// What it is about to do.
        op: Op,
    },
    /// An operation ended, as far as its client can tell.
    Done(Completion),
    /// A client was told, without asking, that it no longer holds a lock.
    Lost {
        /// Who.
        client: String,
        /// Which lock.
        lock: String,
    },
    /// A client is no more: it crashed or was killed, and will not act again.
    Gone {
        /// Who.
        client: String,
    },
    /// The nemesis did something.
    Fault(FaultEvent),
    /// The runner looked at a lock's keys, past the wire and without disturbing them.
    Observe(Observation),
    /// The run entered a new phase.
    Phase(Phase),
}

/// An operation of a client.
#[derive(Debug, Clone, PartialEq)]
pub enum Op {
    /// One try to take a lock.
    Acquire {
        /// Which lock.
        lock: String,
        /// The TTL asked for, in milliseconds; absent where the grant never expires.
        ttl_ms: Option<u64>,
    },
    /// Lengthen a grant's lease.
    Extend {
        /// Which lock.
        lock: String,
        /// Under which grant.
        grant: Option<OpId>,
        /// The TTL asked for, in milliseconds, counted anew.
        ttl_ms: Option<u64>,
    },
    /// Give a grant back.
    Release {
        /// Which lock.
        lock: String,
        /// Which grant.
        grant: Option<OpId>,
    },
    /// Ask the lock whether the grant still holds ("held?").
    Check {
        /// Which lock.
        lock: String,
        /// Which grant.
        grant: Option<OpId>,
    },
    /// Read a resource.
    Read {
        /// Which resource.
        resource: String,
        /// Under which grant, if any.
        grant: Option<OpId>,
    },
    /// Write a resource.
    Write {
        /// Which resource.
        resource: String,
        /// Under which grant, if any.
        grant: Option<OpId>,
        /// What is written.
        value: Value,
        /// The value that it was computed from, where the client read one first.
        base: Option<Value>,
        /// The fencing token shown to the resource, where there is one.
        fence: Option<u64>,
    },
}

/// How an operation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It took effect, and its client was told so.
    Ok,
    /// It certainly had no effect.
    Fail,
    /// Nobody knows: it may have taken effect, may yet, or never will.
    Info,
}

/// The end of an operation, with what the client was told.
#[derive(Debug, Clone, PartialEq)]
pub struct Completion {
    /// Who.
    pub client: String,
    /// Which operation.
    pub id: OpId,
    /// How it ended.
    pub outcome: Outcome,
    /// Of an acquire: what identifies the attempt in the store, granted or not.
    pub token: Option<String>,
    /// Of a granted acquire: its fencing token.
    pub fence: Option<u64>,
    /// Of a granted acquire or extension: the validity that the library reported, in milliseconds, counted from the invocation.
    /// Negative where the library admits that the lease was over when it said yes.
    pub valid_for_ms: Option<i64>,
    /// Of a granted acquire or extension: the deadline that the client itself announced.
    pub valid_until: Option<Nanos>,
    /// When the client, by its own stamp, was told; it may have slept between that and the line that told the runner.
    pub told_at: Option<Nanos>,
    /// Of a read: the value. Of a check: whether it is held.
    pub value: Option<Value>,
    /// Of a refused write: the highest fencing token that the resource had taken, which outranked this one.
    pub fenced_by: Option<u64>,
    /// Why it failed or is unknown, in words.
    pub why: Option<String>,
    /// Of a failed operation: the error that ended it, in words, where it was not refused: no connection, an error of the server, an answer that
    /// came too late. Nobody was in the way then.
    pub error: Option<String>,
}

impl Completion {
    /// A bare completion, to be filled in with struct update syntax.
    pub fn new(client: impl Into<String>, id: OpId, outcome: Outcome) -> Self {
        Completion {
            client: client.into(),
            id,
            outcome,
            token: None,
            fence: None,
            valid_for_ms: None,
            valid_until: None,
            told_at: None,
            value: None,
            fenced_by: None,
            why: None,
            error: None,
        }
    }
}

/// What the nemesis did at one moment of one step.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultEvent {
    /// The step's name in the plan.
    pub step: String,
    /// The fault's kind, such as `pause`, `crash`, `kill`, `restart`, `clock`.
    pub kind: String,
    /// The clients and nodes that it hits.
    pub targets: Vec<String>,
    /// Which moment of the step.
    pub moment: Moment,
    /// The fault in words (`restarted n1 without its data`); at `Verified` the evidence; at `Failed` why.
    pub text: String,
}

/// The moments of a fault. A fault that was begun and not verified proves nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Moment {
    /// The injection starts.
    Begin,
    /// The injection was seen to have worked.
    Verified,
    /// The fault is over: resumed, started again, healed.
    End,
    /// The injection could not be made or could not be verified.
    Failed,
}

/// What the store held for a lock, seen by the runner in `[from, at]`, `at` being the event's own stamp.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// Which lock.
    pub lock: String,
    /// When the observation began.
    pub from: Nanos,
    /// The token of the attempt that holds the lock by the lock's own rule (for a quorum lock: on a majority); none if nobody does.
    pub holder: Option<String>,
    /// Every key of the lock that was there.
    pub keys: Vec<KeySeen>,
}

/// One key of a lock on one node.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeySeen {
    /// On which node.
    pub node: String,
    /// The key.
    pub key: String,
    /// The token stored in it.
    pub token: String,
    /// Time to live in milliseconds; absent where the key has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ttl_ms: Option<u64>,
}

/// The phases of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// The world was seen to work before the first fault.
    Healthy,
    /// Something of the world was sick, and no fault of the plan had made it so: with the reason.
    Sick(String),
    /// Clients have finished and every fault is healed; from here a fresh client must get every lock.
    Quiet,
    /// The run was stopped by its user or its time limit: with the reason. Work was cut short.
    Interrupted(String),
    /// Nothing more would have happened by itself, though the plan waited for something: with what was done so that it went on.
    Stalled(String),
    /// The run is over and its history whole.
    End,
}
