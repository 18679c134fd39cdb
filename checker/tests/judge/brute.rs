//! The properties by their definitions, quadratic and worse, over the whole history at once. Shares no code with the judge.

use super::generate::History;
use checker::history::{Completion, Op, OpId, Outcome, Value, What};
use std::collections::{BTreeMap, BTreeSet};

/// What is wrong, as far as these definitions go: kind, lock or resource, and who or what.
pub type Wrongs = BTreeSet<(&'static str, String, Vec<String>)>;

struct Call<'a> {
    id: OpId,
    client: &'a str,
    op: &'a Op,
    invoked: u64,
    done: Option<(u64, &'a Completion)>,
    /// The numbers of the lines, by which the events of one client are in order.
    invoked_line: usize,
    done_line: usize,
}

impl Call<'_> {
    fn is_ok(&self) -> bool {
        self.done.is_some_and(|(_, done)| done.outcome == Outcome::Ok)
    }

    fn end(&self) -> u64 {
        self.done.map_or(u64::MAX, |(at, _)| at)
    }

    fn grant(&self) -> Option<OpId> {
        match self.op {
            Op::Acquire { .. } => None,
            Op::Extend { grant, .. } | Op::Release { grant, .. } | Op::Check { grant, .. } => *grant,
            Op::Read { grant, .. } | Op::Write { grant, .. } => *grant,
        }
    }

    fn resource(&self) -> Option<&str> {
        match self.op {
            Op::Read { resource, .. } | Op::Write { resource, .. } => Some(resource),
            _ => None,
        }
    }

    /// Whether it is certainly before another.
    fn precedes(&self, other: &Call<'_>) -> bool {
        self.end() <= other.invoked && self.invoked < other.invoked
    }
}

/// What is known of one grant.
struct Hold<'a> {
    call: &'a Call<'a>,
    lock: &'a str,
    /// The stretches of its certain lease.
    leases: Vec<(u64, u64)>,
    /// When it was given back at the very stamp at which a lease of it began: it held at that instant.
    instants: Vec<u64>,
    /// Claims to hold, made at some time in the interval.
    claims: Vec<(u64, u64)>,
    /// When promises were made, and their ends.
    promises: Vec<(u64, u64)>,
}

const MS: u64 = 1_000_000;

/// Every wrong of the history, by definition.
pub fn wrongs(history: &History) -> Wrongs {
    let calls = calls(history);
    let holds: Vec<Hold<'_>> = calls.iter().filter(|call| call.is_ok()).filter_map(|call| hold(history, &calls, call)).collect();
    let mut wrongs = Wrongs::new();
    overlaps(history, &holds, &mut wrongs);
    stale_holders(history, &calls, &holds, &mut wrongs);
    tokens(history, &calls, &holds, &mut wrongs);
    stale_writes(history, &calls, &mut wrongs);
    lost_updates(&calls, &mut wrongs);
    wrongs
}

fn calls(history: &History) -> Vec<Call<'_>> {
    let mut calls: BTreeMap<OpId, Call<'_>> = BTreeMap::new();
    for (line, event) in history.events.iter().enumerate() {
        match &event.what {
            What::Invoke { client, id, op } => {
                let call = Call { id: *id, client, op, invoked: event.at, done: None, invoked_line: line, done_line: usize::MAX };
                calls.insert(*id, call);
            }
            What::Done(done) => {
                let call = calls.get_mut(&done.id).unwrap();
                (call.done, call.done_line) = (Some((event.at, done)), line);
            }
            _ => {}
        }
    }
    calls.into_values().collect()
}

enum Told {
    Until(u64),
    Over(u64),
    Claims(u64, u64, u64),
}

/// What an `ok` promised.
fn told(history: &History, lock: &str, call: &Call<'_>, ttl: Option<u64>) -> Told {
    let terms = history.header.locks.get(lock).cloned().unwrap_or_default();
    let (at, done) = call.done.unwrap();
    if terms.renewed {
        return Told::Until(u64::MAX);
    }
    let reported = done.valid_until.or(done.valid_for_ms.map(|ms| call.invoked + ms.max(0) as u64 * MS));
    let end = reported.or(ttl.or(terms.ttl_ms).map(|ms| call.invoked + ms * MS)).unwrap_or(u64::MAX);
    if end > at {
        return Told::Until(end);
    }
    let when_told = done.told_at.unwrap_or(at);
    let could_see = match (done.valid_until, done.valid_for_ms) {
        (Some(until), _) => done.told_at.is_none_or(|told| told < until),
        (None, Some(ms)) => ms > 0,
        (None, None) => done.told_at.is_some_and(|told| told < end),
    };
    if could_see { Told::Over(end) } else { Told::Claims(when_told, at, end) }
}

fn hold<'a>(history: &'a History, calls: &'a [Call<'a>], call: &'a Call<'a>) -> Option<Hold<'a>> {
    // Over for good where its client is granted the same lock again, when all that was promised is over.
    let again = |other: &&Call<'_>| {
        let same = |a: &Op, b: &Op| matches!((a, b), (Op::Acquire { lock: a, .. }, Op::Acquire { lock: b, .. }) if a == b);
        other.client == call.client && other.is_ok() && other.done_line > call.done_line && same(other.op, call.op)
    };
    let mut later: Vec<&Call<'_>> = calls.iter().filter(again).collect();
    later.sort_by_key(|other| other.done_line);
    let replaced = later.into_iter().find(|other| {
        let before = held(history, calls, call, other.done_line, (u64::MAX, usize::MAX));
        before.is_some_and(|hold| hold.promises.iter().all(|(_, end)| *end <= other.end()))
    });
    held(history, calls, call, usize::MAX, replaced.map_or((u64::MAX, usize::MAX), |other| (other.end(), other.done_line)))
}

/// What is known of a grant before some line, if it is over for good at another.
fn held<'a>(
    history: &'a History,
    calls: &'a [Call<'a>],
    call: &'a Call<'a>,
    known: usize,
    mut over: (u64, usize),
) -> Option<Hold<'a>> {
    let Op::Acquire { lock, ttl_ms } = call.op else { return None };
    let mine = |other: &&Call<'_>| other.client == call.client && other.grant() == Some(call.id) && other.invoked_line < known;
    let was_done = |other: &Call<'_>| other.done_line < known;
    // When its client is told that it is lost, with the lines.
    let mut losses = Vec::new();
    for (line, event) in history.events.iter().enumerate().take(known) {
        match &event.what {
            What::Gone { client } if client == call.client => over = over.min((event.at, line)),
            _ => {}
        }
    }
    // It may have been told so after everything else of that stamp.
    for event in &history.events {
        let last = history.events.iter().rposition(|other| other.at == event.at).filter(|last| *last < known);
        match (&event.what, last) {
            (What::Lost { client, lock: lost }, Some(last)) if client == call.client && lost == lock => {
                losses.push((event.at, last + 1))
            }
            _ => {}
        }
    }
    for other in calls.iter().filter(mine) {
        match other.op {
            Op::Release { .. } => over = over.min((other.invoked, other.invoked_line)),
            Op::Extend { .. } if was_done(other) && other.done.is_some_and(|(_, done)| done.outcome == Outcome::Fail) => {
                losses.push((other.end(), other.done_line))
            }
            Op::Check { .. } => {
                let no = |done: &Completion| {
                    done.outcome == Outcome::Fail || (done.outcome == Outcome::Ok && done.value == Some(Value::Bool(false)))
                };
                if was_done(other) && other.done.is_some_and(|(_, done)| no(done)) {
                    losses.push((other.end(), other.done_line));
                }
            }
            _ => {}
        }
    }
    let renewed = history.header.locks[lock].renewed;
    let mut hold = Hold { call, lock, leases: Vec::new(), instants: Vec::new(), claims: Vec::new(), promises: Vec::new() };
    let promise = |hold: &mut Hold<'_>, by: &Call<'_>, ttl: Option<u64>| {
        let (at, first) = (by.end(), by.id == call.id);
        if by.done_line >= over.1 {
            return;
        }
        // It lasts until the next loss, or as long as a later extension leaves of it.
        let mut until = over.0;
        losses.iter().filter(|(_, line)| *line > by.done_line).for_each(|(loss, _)| until = until.min(*loss));
        for extension in calls.iter().filter(mine).filter(|other| other.invoked_line > by.done_line && !renewed) {
            if let Op::Extend { ttl_ms, .. } = extension.op
                && let Some(ttl) = ttl_ms.or(history.header.locks[lock].ttl_ms)
            {
                until = until.min(extension.invoked + ttl * MS);
            }
        }
        if !first && !renewed {
            until = until.min(left(history, calls, call, by));
        }
        // What a later extension says of the end replaces what was promised.
        for later in calls.iter().filter(mine).filter(|later| later.is_ok() && was_done(later) && later.done_line > by.done_line)
        {
            let (Op::Extend { ttl_ms, .. }, Some((at, done))) = (later.op, later.done) else { continue };
            if !renewed && (done.valid_until.is_some() || done.valid_for_ms.is_some()) {
                let end = match told(history, lock, later, *ttl_ms) {
                    Told::Until(end) => end.min(left(history, calls, call, later)),
                    Told::Over(_) | Told::Claims(..) => at,
                };
                until = until.min(end.max(at));
            }
        }
        match told(history, lock, by, ttl) {
            // The others may leave nothing of it.
            Told::Until(_) if !first && left(history, calls, call, by) <= at => {}
            Told::Until(end) => {
                let given_back = |other: &&Call<'_>| matches!(other.op, Op::Release { .. }) && other.invoked == at;
                let is_dead = history
                    .events
                    .iter()
                    .any(|event| event.at == at && matches!(&event.what, What::Gone { client } if client == call.client));
                let is_refused = |other: &Call<'_>| {
                    matches!(other.op, Op::Release { .. }) && other.done.is_some_and(|(_, done)| done.outcome == Outcome::Fail)
                };
                let refusals = calls.iter().filter(mine).filter(|other| is_refused(other)).map(|other| other.end());
                let is_lost = losses.iter().map(|(loss, _)| *loss).chain(refusals).any(|loss| loss == at);
                // An extension only where none of its own stretches ran on.
                let begins = first || (held(history, calls, call, by.done_line, over).is_none_or(|before| !before.runs_to(at)));
                if begins && calls.iter().filter(mine).any(|other| given_back(&other)) && !is_dead && !is_lost {
                    hold.instants.push(at);
                }
                hold.leases.push((at, end.min(until)));
                hold.promises.push((at, end.min(until)));
            }
            Told::Over(end) if first => hold.promises.push((at, end)),
            Told::Over(_) => {}
            Told::Claims(from, at, end) => {
                // Not while an earlier stretch of its own runs on.
                if first || held(history, calls, call, by.done_line, over).is_none_or(|before| !before.at(at)) {
                    hold.claims.push((from, at));
                }
                if first {
                    hold.promises.push((at, end));
                }
            }
        }
    };
    promise(&mut hold, call, *ttl_ms);
    for other in calls.iter().filter(mine).filter(|other| other.is_ok() && was_done(other)) {
        if let Op::Extend { ttl_ms, .. } = other.op {
            promise(&mut hold, other, *ttl_ms);
        }
    }
    Some(hold)
}

/// What other extensions of a grant may leave of what this one promises, if they take effect after it.
fn left(history: &History, calls: &[Call<'_>], grant: &Call<'_>, this: &Call<'_>) -> u64 {
    let lock_ttl = |call: &Call<'_>| match call.op {
        Op::Extend { lock, .. } if history.header.locks[lock].renewed => None,
        Op::Extend { lock, ttl_ms, .. } => ttl_ms.or(history.header.locks[lock].ttl_ms),
        _ => None,
    };
    let mut left = u64::MAX;
    for other in
        calls.iter().filter(|other| other.client == grant.client && other.grant() == Some(grant.id) && other.id != this.id)
    {
        let is_unknown = other.done.is_none_or(|(_, done)| done.outcome == Outcome::Info);
        let may_come_later = is_unknown || other.done_line > this.invoked_line;
        if let Some(ttl) = lock_ttl(other).filter(|_| may_come_later && other.invoked_line < this.done_line) {
            left = left.min(other.invoked.max(this.invoked) + ttl * MS);
        }
    }
    left
}

impl Hold<'_> {
    fn at(&self, at: u64) -> bool {
        self.leases.iter().any(|(from, until)| *from <= at && at < *until)
    }

    /// Whether a stretch runs until then, or longer.
    fn runs_to(&self, at: u64) -> bool {
        self.leases.iter().any(|(from, until)| *from < *until && *from <= at && at <= *until)
    }

    /// How many may hold its lock.
    fn limit(&self, history: &History) -> usize {
        history.header.locks[self.lock].limit as usize
    }
}

fn others<'a>(holds: &'a [Hold<'a>], hold: &Hold<'_>, at: u64) -> BTreeSet<&'a str> {
    let held = |other: &&Hold<'_>| other.lock == hold.lock && other.call.client != hold.call.client && other.at(at);
    holds.iter().filter(held).map(|other| other.call.client).collect()
}

fn pair(a: &str, b: &str) -> Vec<String> {
    let mut pair = vec![a.to_string(), b.to_string()];
    pair.sort();
    pair
}

fn overlaps(history: &History, holds: &[Hold<'_>], wrongs: &mut Wrongs) {
    for hold in holds {
        let (lock, client) = (hold.lock.to_string(), hold.call.client);
        for (from, _) in hold.leases.iter().filter(|(from, until)| from < until) {
            let others = others(holds, hold, *from);
            if hold.limit(history) == 1 {
                others.iter().for_each(|other| {
                    wrongs.insert(("two-holders", lock.clone(), pair(client, other)));
                });
            } else if others.len() >= hold.limit(history) {
                wrongs.insert(("over-limit", lock.clone(), Vec::new()));
            }
        }
        for (from, at) in hold.claims.iter().copied().chain(hold.instants.iter().map(|at| (*at, *at))) {
            let within = |other: &&Hold<'_>| {
                other.lock == hold.lock
                    && other.call.client != client
                    && joined(&other.leases).iter().any(|(start, end)| *start < from && at < *end)
            };
            let others: BTreeSet<&str> = holds.iter().filter(within).map(|other| other.call.client).collect();
            if hold.limit(history) == 1 {
                others.iter().for_each(|other| {
                    wrongs.insert(("two-holders", lock.clone(), pair(client, other)));
                });
            } else if others.len() >= hold.limit(history) {
                wrongs.insert(("over-limit", lock.clone(), Vec::new()));
            }
        }
    }
}

/// Stretches that touch are one.
fn joined(leases: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let mut sorted: Vec<(u64, u64)> = leases.iter().copied().filter(|(from, until)| from < until).collect();
    sorted.sort_unstable();
    let mut joined: Vec<(u64, u64)> = Vec::new();
    for (from, until) in sorted {
        match joined.last_mut() {
            Some((_, end)) if from <= *end => *end = (*end).max(until),
            _ => joined.push((from, until)),
        }
    }
    joined
}

fn stale_holders(history: &History, calls: &[Call<'_>], holds: &[Hold<'_>], wrongs: &mut Wrongs) {
    for call in calls {
        let Some(hold) = holds.iter().find(|hold| Some(hold.call.id) == call.grant() && hold.call.client == call.client) else {
            continue;
        };
        let acts = match call.op {
            Op::Read { .. } | Op::Write { .. } => true,
            Op::Extend { .. } => call.done.is_some_and(|(_, done)| done.outcome != Outcome::Fail),
            _ => false,
        };
        // Granted by now, and every promise made so far is over.
        let made = || hold.promises.iter().filter(|(made, _)| *made <= call.invoked);
        let over = made().count() > 0 && made().all(|(_, end)| *end < call.invoked);
        if acts && over && others(holds, hold, call.invoked).len() >= hold.limit(history) {
            wrongs.insert(("stale-holder", hold.lock.to_string(), vec![hold.call.id.to_string()]));
        }
    }
}

/// Whether two grants are the same, or of one client that may have held a reentrant lock without a break from the one to the other:
/// there is no acquire of its own between them at whose invocation all that it had acquired before was certainly given back.
fn side_by_side(history: &History, calls: &[Call<'_>], a: &Call<'_>, b: &Call<'_>) -> bool {
    let (first, last) = if a.invoked <= b.invoked { (a, b) } else { (b, a) };
    let of_lock = |call: &&Call<'_>| call.client == a.client && matches!(call.op, Op::Acquire { .. }) && lock(call) == lock(a);
    let certainly = |call: &Call<'_>, outcome| call.done.is_some_and(|(_, done)| done.outcome == outcome);
    let is_over = |acquire: &Call<'_>, by: &Call<'_>| {
        let given_back = calls.iter().filter(|call| matches!(call.op, Op::Release { .. }) && call.client == a.client);
        let mut given_back = given_back.filter(|call| call.grant() == Some(acquire.id) && certainly(call, Outcome::Ok));
        (certainly(acquire, Outcome::Fail) && acquire.precedes(by)) || given_back.any(|release| release.precedes(by))
    };
    let is_new =
        |new: &Call<'_>| calls.iter().filter(of_lock).filter(|call| call.invoked < new.invoked).all(|call| is_over(call, new));
    let between = calls.iter().filter(of_lock).filter(|new| first.invoked < new.invoked && new.invoked <= last.invoked);
    let breaks = !history.header.locks[lock(a)].reentrant || between.into_iter().any(is_new);
    a.id == b.id || (a.client == b.client && lock(a) == lock(b) && !breaks)
}

fn tokens(history: &History, calls: &[Call<'_>], holds: &[Hold<'_>], wrongs: &mut Wrongs) {
    let fence = |hold: &Hold<'_>| hold.call.done.and_then(|(_, done)| done.fence);
    for a in holds {
        for b in holds.iter().filter(|b| b.call.id != a.call.id && b.lock == a.lock) {
            let (Some(first), Some(second)) = (fence(a), fence(b)) else { continue };
            if first == second && !side_by_side(history, calls, a.call, b.call) {
                wrongs.insert(("token-reuse", a.lock.to_string(), Vec::new()));
            }
            if a.call.precedes(b.call) && second < first {
                wrongs.insert(("token-order", a.lock.to_string(), vec![b.call.id.to_string()]));
            }
        }
    }
}

fn stale_writes(history: &History, calls: &[Call<'_>], wrongs: &mut Wrongs) {
    let granted = |call: &Call<'_>| {
        let grant = calls.iter().find(|grant| Some(grant.id) == call.grant() && grant.is_ok())?;
        // Only what was granted when it was written is known of a grant.
        (grant.end() <= call.invoked).then_some(grant)
    };
    let fence = |call: &Call<'_>| {
        let Op::Write { fence, .. } = call.op else { return None };
        fence.or(granted(call).and_then(|grant| grant.done.unwrap().1.fence))
    };
    let accepted = || calls.iter().filter(|call| matches!(call.op, Op::Write { .. }) && call.is_ok());
    for late in accepted() {
        let name = || vec![late.id.to_string()];
        for early in accepted().filter(|early| early.resource() == late.resource() && early.precedes(late)) {
            let beside = granted(early).zip(granted(late)).is_some_and(|(early, late)| {
                let shared = history.header.locks[lock(early)].limit != 1 && lock(early) == lock(late);
                shared || side_by_side(history, calls, early, late)
            });
            let two_locks = granted(early).zip(granted(late)).is_some_and(|(early, late)| lock(early) != lock(late));
            let stale = match (fence(early), fence(late)) {
                _ if beside || two_locks => false,
                (Some(early), Some(late)) => late < early,
                _ => match (granted(early), granted(late)) {
                    (Some(early), Some(late)) => lock(early) == lock(late) && late.precedes(early),
                    _ => false,
                },
            };
            if stale {
                wrongs.insert(("stale-write", late.resource().unwrap().to_string(), name()));
            }
        }
    }
}

/// Two writes were computed from one value and wrote another, and nothing can have brought it back between them.
fn lost_updates(calls: &[Call<'_>], wrongs: &mut Wrongs) {
    let parts = |call: &Call<'_>| match call.op {
        Op::Write { value, base, .. } if base.as_ref() != Some(value) => Some((value.clone(), base.clone())),
        _ => None,
    };
    let writes: Vec<_> = calls.iter().filter_map(|call| Some((call, parts(call)?))).collect();
    // Of writes that end at one stamp the order is that of what their clients do at it, by its first id.
    let first_id = |call: &Call<'_>| {
        let at = |other: &&Call<'_>| other.client == call.client && (other.invoked == call.end() || other.end() == call.end());
        calls.iter().filter(at).map(|other| other.id).min()
    };
    let order = |call: &Call<'_>| (call.end(), call.invoked == call.end(), first_id(call), call.done_line);
    for (late, (_, base)) in writes.iter().filter(|(call, (_, base))| call.is_ok() && base.is_some()) {
        for (early, _) in
            writes.iter().filter(|(early, (_, other))| early.is_ok() && early.resource() == late.resource() && other == base)
        {
            let between = |call: &Call<'_>| {
                let over = |other: &Call<'_>| call.is_ok() && call.precedes(other);
                let failed = call.done.is_some_and(|(at, done)| done.outcome == Outcome::Fail && at <= late.end());
                let after_early = !over(early) && !late.precedes(call);
                let after_late = !over(late) && !early.precedes(call);
                !failed && (after_early || after_late)
            };
            let brought = |(call, (value, _)): &(&Call<'_>, _)| {
                call.resource() == late.resource() && Some(value) == base.as_ref() && between(call)
            };
            if order(early) < order(late) && !writes.iter().any(brought) {
                wrongs.insert(("lost-update", late.resource().unwrap().to_string(), vec![late.id.to_string()]));
            }
        }
    }
}

fn lock<'a>(call: &'a Call<'_>) -> &'a str {
    match call.op {
        Op::Acquire { lock, .. } | Op::Extend { lock, .. } | Op::Release { lock, .. } | Op::Check { lock, .. } => lock,
        _ => "",
    }
}
