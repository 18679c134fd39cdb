//! What became of an operation, in one mark: shared by everything that draws.

use super::operation::Operation;
use checker::Nanos;
use checker::finding::{Finding, Kind};
use checker::history::{Op, Outcome};

/// How an operation is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
    /// The lock said yes.
    Granted,
    /// The lock said no.
    Refused,
    /// The resource was read.
    Read,
    /// The resource was written.
    Written,
    /// The act that a finding blames.
    Harm,
    /// The resource refused a stale write.
    FencedOff,
    /// The lease was lengthened.
    Extended,
    /// The lock was asked whether it is still held.
    Checked,
    /// The lock was given back.
    Released,
    /// It had no effect.
    Failed,
    /// Nobody knows how it ended.
    Unknown,
}

impl Mark {
    /// All of them, in their order.
    pub const ALL: [Mark; 11] = [
        Mark::Granted,
        Mark::Refused,
        Mark::Read,
        Mark::Written,
        Mark::Harm,
        Mark::FencedOff,
        Mark::Extended,
        Mark::Checked,
        Mark::Released,
        Mark::Failed,
        Mark::Unknown,
    ];

    /// The mark of an operation; `blamed` says whether a finding [blames] this very act.
    pub fn of(operation: &Operation<'_>, blamed: bool) -> Mark {
        let outcome = operation.done.map(|(_, completion)| completion.outcome);
        match (operation.op, outcome) {
            _ if blamed => Mark::Harm,
            (Op::Acquire { .. }, Some(Outcome::Ok)) => Mark::Granted,
            (Op::Acquire { .. }, Some(Outcome::Fail)) => Mark::Refused,
            (Op::Release { .. }, _) => Mark::Released,
            (_, None | Some(Outcome::Info)) => Mark::Unknown,
            (Op::Write { .. }, Some(Outcome::Fail)) if operation.fenced_off() => Mark::FencedOff,
            (_, Some(Outcome::Fail)) => Mark::Failed,
            (Op::Read { .. }, _) => Mark::Read,
            (Op::Write { .. }, _) => Mark::Written,
            (Op::Extend { .. }, _) => Mark::Extended,
            (Op::Check { .. }, _) => Mark::Checked,
        }
    }

    /// What it means.
    pub fn meaning(self) -> &'static str {
        match self {
            Mark::Granted => "granted",
            Mark::Refused => "refused",
            Mark::Read => "read",
            Mark::Written => "written",
            Mark::Harm => "the harm",
            Mark::FencedOff => "stale write refused",
            Mark::Extended => "extended",
            Mark::Checked => "asked if held",
            Mark::Released => "released",
            Mark::Failed => "no effect",
            Mark::Unknown => "outcome unknown",
        }
    }
}

/// Where an operation's mark stands: a client lets go when it asks for the release, and knows of everything else when it is told.
pub fn stands_at(operation: &Operation<'_>) -> Nanos {
    if matches!(operation.op, Op::Release { .. }) { operation.invoked } else { operation.told() }
}

/// Whether a finding blames this very act. Of two holders neither act is to blame: the overlap is.
pub fn blames(finding: &Finding, operation: &Operation<'_>) -> bool {
    let harmful = match operation.op {
        Op::Write { .. } => matches!(finding.kind, Kind::StaleWrite | Kind::LostUpdate | Kind::StaleHolder | Kind::Oversold),
        Op::Release { .. } | Op::Extend { .. } => finding.kind == Kind::Ownership,
        _ => false,
    };
    harmful
        && !operation.fenced_off()
        && finding.clients.first().is_some_and(|client| client == operation.client)
        && finding.events.contains(&operation.id)
}
