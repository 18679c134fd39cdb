//! Operations of registers and other objects, for the engine.

use super::records::events;
use super::{BadHistory, How, Judged, Keep, Source, skipped};
use crate::report::{Searched, Step, StuckAt};
use checker::engine::{Bound, Outcome, Stuck};
use checker::finding::{Counts, Finding, Judgement, Kind, Verdict};
use checker::format::{Action, Answer, Locks, Objects, Record};
use checker::history::{Header, VERSION, Value};
use checker::model::{Checked, Name};
use std::collections::BTreeSet;

/// Operations of locks, to be searched all the same.
pub(super) fn of_locks(locks: Locks) -> Result<Objects, BadHistory> {
    let (records, skipped) = locks.records()?;
    Ok(Objects { records, model: Name::FencedMutex, initial: Value::Nil, skipped })
}

/// Searches for an order of the operations.
pub(super) fn judge(source: &Source, objects: Objects, how: &How) -> Result<Judged, BadHistory> {
    let model = how.model.unwrap_or(objects.model);
    let initial = how.initial.clone().unwrap_or(objects.initial);
    let records = objects.records;
    let parts = model.check(&initial, &records, &how.limits).map_err(|mismatch| match mismatch.line {
        0 => BadHistory::NeedsInitial { model: mismatch.model, expected: mismatch.expected },
        line => BadHistory::Mismatch { file: source.name().into(), line, model: mismatch.model, expected: mismatch.expected },
    })?;
    let (mut stuck, mut findings) = (Vec::new(), Vec::new());
    for part in &parts {
        let Some(at) = stuck_at(part, &records) else { continue };
        if at.bound.is_none() {
            findings.push(finding(model, part, &at, &records));
        }
        stuck.push(at);
    }
    stuck.sort_by_key(|at| at.bound.is_some());
    let looked_at: usize = parts.iter().map(|part| part.operations.len()).sum();
    let verdict = match (findings.is_empty(), stuck.is_empty()) {
        (false, _) => Verdict::Violation,
        (true, false) => Verdict::Unknown,
        // An order of nothing explains nothing: valid by the definition, with a warning that says what it is worth.
        (true, true) => Verdict::Valid,
    };
    let mut warnings: Vec<String> = skipped(objects.skipped).into_iter().collect();
    match records.len() {
        0 => warnings.push("no client did anything in this history, so that there was nothing to explain".into()),
        operations if looked_at == 0 && verdict == Verdict::Valid => {
            warnings.push(format!("none of the {operations} operations had an effect or told anything"));
        }
        _ => {}
    }
    let judgement = Judgement { verdict, findings, broken: Vec::new(), counts: counts(&records, parts.len()) };
    // A terminal is shown the operations that prove something; only a page shows all.
    let shown = if how.keep == Keep::Everything { events(&records, model.name()) } else { Vec::new() };
    Ok(Judged {
        header: Header { fencepost: VERSION, ..Header::default() },
        origin: records.iter().map(|record| record.call).min().unwrap_or(0),
        events: shown,
        judgement,
        searched: Some(Searched { model: model.name(), initial, objects: parts.len(), stuck }),
        warnings,
    })
}

fn stuck_at(part: &Checked, records: &[Record]) -> Option<StuckAt> {
    let (Stuck { operation, states, prefix }, bound) = match &part.outcome {
        Outcome::Linearizable { .. } => return None,
        Outcome::Violation(stuck) => (stuck, None),
        Outcome::Unknown(stuck, bound) => (stuck, Some(words(*bound))),
    };
    Some(StuckAt {
        object: part.key.as_ref().map(ToString::to_string),
        bound,
        operation: step(&records[*operation]),
        states: states.clone(),
        explained: prefix.len(),
        operations: part.operations.len(),
        fewest: part.minimal.iter().map(|index| step(&records[*index])).collect(),
    })
}

fn words(bound: Bound) -> &'static str {
    match bound {
        Bound::Time => "the time allowed was over",
        Bound::Memory => "the memory allowed was full",
        Bound::Cancelled => "the search was called off",
    }
}

fn finding(model: Name, part: &Checked, at: &StuckAt, records: &[Record]) -> Finding {
    let ret = at.operation.ret.unwrap_or(at.operation.call);
    let mut clients = vec![at.operation.client.clone()];
    for index in &part.minimal {
        let client = records[*index].client.to_string();
        if !clients.contains(&client) {
            clients.push(client);
        }
    }
    Finding {
        kind: Kind::NotLinearizable,
        lock: at.object.clone().unwrap_or_else(|| model.name().to_owned()),
        clients,
        events: part.minimal.iter().map(|index| *index as u64 + 1).collect(),
        from: ret,
        until: ret,
        cause: None,
        sentence: at.sentence() + ".",
    }
}

/// A record in words.
fn step(record: &Record) -> Step {
    let client = match &record.client {
        Value::Int(number) => format!("client {number}"),
        name => name.to_string(),
    };
    Step { line: record.line, client, words: done(record), call: record.call, ret: record.ret }
}

fn done(record: &Record) -> String {
    let value = || record.value.as_ref().or(record.token.as_ref()).map_or("nothing".into(), ToString::to_string);
    let token = || record.token.as_ref().map(|token| format!(" under token {token}")).unwrap_or_default();
    let (did, tried) = match (record.action, &record.value) {
        (Action::Acquire, _) => ("was granted the lock".to_owned() + &token(), "asked for the lock".to_owned() + &token()),
        (Action::Extend, _) => ("extended its lease".into(), "asked to extend its lease".into()),
        (Action::Release, _) => ("released the lock".to_owned() + &token(), "asked to release the lock".to_owned() + &token()),
        (Action::Read, _) => (format!("read {}", value()), "asked to read".into()),
        (Action::Write, _) => {
            let token = if record.value.is_some() { token() } else { String::new() };
            (format!("wrote {}{token}", value()), format!("asked to write {}{token}", value()))
        }
        (Action::Cas, Some(Value::List(pair))) if pair.len() == 2 => {
            (format!("changed {} to {}", pair[0], pair[1]), format!("asked to change {} to {}", pair[0], pair[1]))
        }
        (Action::Cas | Action::Txn, _) => (format!("did {}", value()), format!("asked to do {}", value())),
    };
    match record.answer {
        Answer::Ok => did,
        Answer::Refused => format!("{tried} and was refused"),
        Answer::Failed => format!("{tried}, without effect"),
        Answer::Unknown => format!("{tried}, outcome unknown"),
    }
}

fn counts(records: &[Record], objects: usize) -> Counts {
    let mut counts = Counts { operations: records.len() as u64, ..Counts::default() };
    let mut refused = BTreeSet::new();
    for record in records {
        let who = (&record.client, &record.key);
        match (record.action, record.answer) {
            (Action::Read, Answer::Unknown) => {}
            (_, Answer::Unknown) => counts.unknown += 1,
            (Action::Acquire, Answer::Refused | Answer::Failed) => counts.contended += u64::from(refused.insert(who)),
            (Action::Acquire, Answer::Ok) => {
                counts.granted += 1;
                refused.remove(&who);
            }
            (Action::Write | Action::Cas | Action::Txn, Answer::Ok) => counts.writes += 1,
            (Action::Write, Answer::Refused) => counts.rejected_stale_writes += 1,
            _ => {}
        }
    }
    if records.iter().any(|record| record.action.is_of_locks()) {
        counts.locks = objects as u64;
    }
    counts
}
