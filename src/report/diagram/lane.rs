//! What one client's lane shows: its leases, its pauses and its acts.

use super::focus::Focus;
use super::operation::Operation;
use checker::Nanos;
use checker::finding::{Finding, Kind};
use checker::history::{Event, Header, Op, OpId, Outcome, What};

/// One client's lane.
#[derive(Debug, Clone, PartialEq)]
pub struct Lane<'e> {
    /// Whose.
    pub client: &'e str,
    /// Its leases.
    pub leases: Vec<Lease>,
    /// When it was paused.
    pub pauses: Vec<(Nanos, Nanos)>,
    /// What it did.
    pub acts: Vec<Act>,
    /// When it was no more.
    pub gone: Option<Nanos>,
}

/// A lease, as its holder sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lease {
    /// From the grant's completion.
    pub from: Nanos,
    /// Until it certainly ended.
    pub until: Nanos,
    /// Until its holder knew.
    pub believed: Nanos,
    /// When its time to live was over.
    pub expiry: Option<Nanos>,
}

/// Something that a client did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Act {
    /// When it was invoked.
    pub from: Nanos,
    /// Where its mark stands: a release at its begin, where the lease ends; everything else where its client was told.
    pub at: Nanos,
    /// When its client was told how it ended.
    pub until: Nanos,
    /// Which mark.
    pub mark: Mark,
}

/// How an act is marked.
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

/// The lanes of a diagram.
pub fn lanes<'e>(focus: &Focus<'e>, events: &'e [Event], header: &Header, origin: Nanos) -> Vec<Lane<'e>> {
    focus.clients.iter().map(|client| lane(client, focus, events, header, origin)).collect()
}

fn lane<'e>(client: &'e str, focus: &Focus<'e>, events: &'e [Event], header: &Header, origin: Nanos) -> Lane<'e> {
    let own: Vec<&Operation<'e>> = focus.operations.iter().filter(|operation| operation.client == client).collect();
    let granted = own.iter().filter(|operation| matches!(operation.op, Op::Acquire { .. }) && operation.ended(Outcome::Ok));
    let paused = focus.faults.iter().filter(|fault| fault.kind == "pause" && fault.targets.iter().any(|target| target == client));
    let refused = focus.refused.iter().filter(|operation| operation.client == client);
    let mut acts: Vec<Act> = own.iter().copied().chain(refused).map(|operation| act(operation, &focus.findings)).collect();
    acts.sort_by_key(|act| act.at);
    let gone = events.iter().find_map(|event| match &event.what {
        What::Gone { client: gone } if gone == client => Some(event.at),
        _ => None,
    });
    acts.retain(|act| gone.is_none_or(|gone| act.from < gone));
    Lane {
        client,
        leases: granted.map(|grant| lease(grant, focus, events, header)).collect(),
        pauses: paused.map(|fault| (origin + fault.begin, fault.end.map_or(focus.window.1, |end| origin + end))).collect(),
        acts,
        gone,
    }
}

fn lease(grant: &Operation<'_>, focus: &Focus<'_>, events: &[Event], header: &Header) -> Lease {
    let (from, completion) = grant.done.expect("a grant has completed");
    let Op::Acquire { lock, ttl_ms } = grant.op else { unreachable!("a grant is an acquire") };
    let release = focus.operations.iter().find(|op| matches!(op.op, Op::Release { .. }) && op.grant() == Some(grant.id));
    let lost = events.iter().find_map(|event| match &event.what {
        What::Lost { client, lock: lost } if client == grant.client && lost == lock && event.at >= from => Some(event.at),
        _ => None,
    });
    let known = [release.map(|release| release.invoked), lost].into_iter().flatten().min();
    let renewed = header.locks.get(lock).is_some_and(|terms| terms.renewed);
    let extended = focus
        .operations
        .iter()
        .rfind(|op| matches!(op.op, Op::Extend { .. }) && op.grant() == Some(grant.id) && op.ended(Outcome::Ok));
    let asked = extended.map_or(grant.invoked, |extension| extension.invoked);
    let said = extended.and_then(|extension| extension.done).map_or(completion, |(_, completion)| completion);
    let ttl_ms = match extended.map(|extension| extension.op) {
        Some(Op::Extend { ttl_ms, .. }) => *ttl_ms,
        _ => ttl_ms.or(header.locks.get(lock).and_then(|terms| terms.ttl_ms)),
    };
    let after = |ms: i64| asked.saturating_add_signed(ms.saturating_mul(1_000_000));
    let expiry = said
        .valid_until
        .or_else(|| said.valid_for_ms.map(after))
        .or_else(|| ttl_ms.filter(|_| !renewed).map(|ms| after(ms.try_into().unwrap_or(i64::MAX))));
    let last = known.unwrap_or(focus.window.1).max(from);
    Lease {
        from,
        until: expiry.map_or(last, |expiry| expiry.clamp(from, last)),
        believed: last,
        expiry: expiry.filter(|expiry| *expiry >= from),
    }
}

fn act(operation: &Operation<'_>, findings: &[&Finding]) -> Act {
    let blamed = findings.iter().any(|finding| blames(finding, operation));
    let outcome = operation.done.map(|(_, completion)| completion.outcome);
    let mark = match (operation.op, outcome) {
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
    };
    let at = if matches!(operation.op, Op::Release { .. }) { operation.invoked } else { operation.told() };
    Act { from: operation.invoked, at, until: operation.told(), mark }
}

/// Whether a finding blames this very act. Of two holders neither act is to blame: the overlap is.
pub fn blames(finding: &Finding, operation: &Operation<'_>) -> bool {
    let harmful = match operation.op {
        Op::Write { .. } => matches!(finding.kind, Kind::StaleWrite | Kind::LostUpdate | Kind::StaleHolder | Kind::Oversold),
        Op::Release { .. } | Op::Extend { .. } => finding.kind == Kind::Ownership,
        _ => false,
    };
    let last = |id: &OpId| *id == operation.id;
    harmful
        && !operation.fenced_off()
        && finding.clients.first().is_some_and(|client| client == operation.client)
        && finding.events.iter().any(last)
}
