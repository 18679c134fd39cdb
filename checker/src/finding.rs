//! What the checker says about a history.

use crate::Nanos;
use crate::history::OpId;
use serde::{Deserialize, Serialize};

/// The kinds of finding; their names are public and stay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two owners certainly held a mutex at once.
    TwoHolders,
    /// More owners certainly held a semaphore at once than it allows.
    OverLimit,
    /// A client acted under a grant whose lease was over, while another held the lock.
    StaleHolder,
    /// The resource took a write of an older grant after one of a newer grant.
    StaleWrite,
    /// One token was issued to two grants.
    TokenReuse,
    /// Fencing tokens did not rise in the order of grants.
    TokenOrder,
    /// A release or an extension took effect on another's lock.
    Ownership,
    /// Success was reported and nothing was held.
    Ghost,
    /// Failure was reported and the client's own key blocks.
    Phantom,
    /// Keys were left when all was quiet, by attempts that were over.
    Leak,
    /// A key has no time to live, or is renewed with no holder.
    Immortal,
    /// All faults were healed and a fresh client could not acquire in time.
    Stuck,
    /// A holder was told too late that it had lost the lock.
    LateNotice,
    /// The library promised a validity that it did not have.
    DishonestValidity,
    /// A write overwrote another that it had not seen.
    LostUpdate,
    /// More was sold than there was.
    Oversold,
    /// Money or items were made or lost.
    NotConserved,
    /// No order of the operations explains what was read.
    NotLinearizable,
}

/// Whether a kind is about safety or only about liveness: `stuck`, `leak`, `immortal` and `phantom` hurt nobody's data.
impl Kind {
    /// All of them.
    pub const ALL: [Kind; 18] = [
        Kind::TwoHolders,
        Kind::OverLimit,
        Kind::StaleHolder,
        Kind::StaleWrite,
        Kind::TokenReuse,
        Kind::TokenOrder,
        Kind::Ownership,
        Kind::Ghost,
        Kind::Phantom,
        Kind::Leak,
        Kind::Immortal,
        Kind::Stuck,
        Kind::LateNotice,
        Kind::DishonestValidity,
        Kind::LostUpdate,
        Kind::Oversold,
        Kind::NotConserved,
        Kind::NotLinearizable,
    ];

    /// True where nothing worse than waiting follows.
    pub fn is_liveness(self) -> bool {
        matches!(self, Kind::Stuck | Kind::Leak | Kind::Immortal | Kind::Phantom)
    }

    /// The public name: `two-holders`, `stale-write`, …
    pub fn name(self) -> &'static str {
        match self {
            Kind::TwoHolders => "two-holders",
            Kind::OverLimit => "over-limit",
            Kind::StaleHolder => "stale-holder",
            Kind::StaleWrite => "stale-write",
            Kind::TokenReuse => "token-reuse",
            Kind::TokenOrder => "token-order",
            Kind::Ownership => "ownership",
            Kind::Ghost => "ghost",
            Kind::Phantom => "phantom",
            Kind::Leak => "leak",
            Kind::Immortal => "immortal",
            Kind::Stuck => "stuck",
            Kind::LateNotice => "late-notice",
            Kind::DishonestValidity => "dishonest-validity",
            Kind::LostUpdate => "lost-update",
            Kind::Oversold => "oversold",
            Kind::NotConserved => "not-conserved",
            Kind::NotLinearizable => "not-linearizable",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// One thing that is wrong, with the evidence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// The lock or resource that it is about.
    pub lock: String,
    /// The clients involved, the one that is blamed first.
    pub clients: Vec<String>,
    /// The operations that prove it, by id, in the order in which the sentence names them.
    pub events: Vec<OpId>,
    /// From when the harm is certain.
    pub from: Nanos,
    /// Until when.
    pub until: Nanos,
    /// What caused it, as far as the history tells.
    pub cause: Option<Cause>,
    /// The finding in one sentence, for a tired person at 3 a.m.; times are seconds since the history's first event.
    pub sentence: String,
}

/// The injected fault, or the earlier finding, to which a finding is traced.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cause {
    /// The step that injected it; none where the cause is another client's operation.
    pub step: Option<String>,
    /// When it happened.
    pub at: Nanos,
    /// In words: `c1 was paused from 0.101 s to 0.640 s`.
    pub text: String,
}

/// An assumption that the run needed and did not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct BrokenAssumption {
    /// Its public name: `fault-not-injected`, `stalled`, `nothing-granted`, `no-contention`, `nothing-written`,
    /// `sick-world`, `interrupted`, `unfinished`, `incoherent`.
    pub name: String,
    /// In one sentence.
    pub sentence: String,
}

/// The verdict of a whole history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Nothing is wrong, and something was looked at.
    Valid,
    /// Something is wrong.
    Violation,
    /// The search was bounded and ended without an answer.
    Unknown,
    /// Nothing was found, and the run did not have what it needed to find anything.
    Assumptions,
    /// No operation of any lock or resource was in the history.
    Nothing,
}

/// What was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Operations invoked.
    pub operations: u64,
    /// Locks named.
    pub locks: u64,
    /// Acquires that were granted.
    pub granted: u64,
    /// How often a client had to wait for a lock: one that was refused it, until it was granted it or gave up.
    pub contended: u64,
    /// Operations whose outcome is unknown.
    pub unknown: u64,
    /// Writes that the resource took.
    pub writes: u64,
    /// Stale writes that the resource refused: the proof that fencing worked.
    pub rejected_stale_writes: u64,
    /// The shortest time between the end of one certain lease and the start of the next of the same lock by another owner; none where no lock changed hands.
    pub closest_ns: Option<Nanos>,
}

/// What a whole history proves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgement {
    /// In one word.
    pub verdict: Verdict,
    /// Everything that is wrong, in the order in which it became certain.
    pub findings: Vec<Finding>,
    /// What was missing for a green verdict to mean something.
    pub broken: Vec<BrokenAssumption>,
    /// What was looked at.
    pub counts: Counts,
}
