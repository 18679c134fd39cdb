//! The events at which a step begins or ends.

use checker::history::{OpKind, Outcome};
use serde::{Deserialize, Serialize};

/// When something is to happen: `when = { completed = { client = "c1", op = "acquire" } }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Trigger {
    /// A client is about to begin an operation.
    Invoked(OpPattern),
    /// A client's operation has completed; its client does nothing more until the fault is in force.
    Completed(OpPattern),
    /// The wire has seen a command; the message is held until the fault is in force.
    Wire(WirePattern),
    /// Another step has begun or ended.
    Step(StepPattern),
    /// A node with `aof-everysec` has synced its disk: what is written from here on is safe only after most of a second.
    Synced(String),
    /// A node that was a replica has become a master, whoever made it one; in a cluster every node that lives knows, so that all slots are served.
    Promoted(String),
    /// A time since the run began, in milliseconds.
    #[serde(rename = "at_ms")]
    AtMs(u64),
}

/// Which operation of which client.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpPattern {
    /// Whose operation.
    pub client: String,
    /// Which operation.
    pub op: OpKind,
    /// With which outcome (`ok` when absent; not looked at for `invoked`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The first such operation, the second, …
    #[serde(default = "first")]
    pub nth: u32,
}

/// Which message on the wire.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WirePattern {
    /// From which client.
    pub client: String,
    /// To which node; any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// The command's name, such as `SET`; upper and lower case are the same.
    pub command: String,
    /// The command on its way to the node, or the node's reply on its way back.
    pub moment: Moment,
    /// The first such message, the second, …
    #[serde(default = "first")]
    pub nth: u32,
}

/// Which half of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moment {
    /// The command, before the node sees it.
    Request,
    /// The reply: the command was executed, the client does not know yet.
    Reply,
}

/// Which moment of which step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StepPattern {
    /// The other step's name.
    pub name: String,
    /// Whether its begin or its end counts.
    pub moment: StepMoment,
    /// How long after that, in milliseconds.
    #[serde(default)]
    pub after_ms: u64,
}

/// The begin or the end of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)]
pub enum StepMoment {
    Begin,
    End,
}

fn first() -> u32 {
    1
}

/// A message that a [`WirePattern`] matched; the wire holds it until it is let pass.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Sighting {
    /// The index of the pattern among those that the wire was given.
    pub pattern: usize,
    /// Names this held message to the wire.
    pub message: u64,
}
