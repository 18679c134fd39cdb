//! What happened, in order, a line each.

use super::clock::Clock;
use super::focus::Focus;
use crate::report::mark::stands_at;
use crate::report::operation::Operation;
use crate::report::paint::{Look, Paint};
use checker::Nanos;
use checker::history::{Event, Op, Outcome, What};

/// An answer that took longer than this is worth saying when it was asked for.
const LATE: Nanos = 5_000_000;

/// The lines, each with its time, who, and what.
pub fn narrate(focus: &Focus<'_>, events: &[Event], harmful: &[u64], origin: Nanos, clock: Clock, look: Look) -> Vec<String> {
    let mut lines: Vec<(Nanos, &str, String, Paint)> = Vec::new();
    for operation in &focus.operations {
        let paint = match () {
            _ if harmful.contains(&operation.id) => Paint::Harm,
            _ if operation.fenced_off() => Paint::Guard,
            _ => Paint::Plain,
        };
        lines.push((stands_at(operation), operation.client, words(operation, clock), paint));
    }
    for client in &focus.clients {
        let refused: Vec<&Operation<'_>> = focus.refused.iter().filter(|operation| operation.client == *client).collect();
        if let [first, .., last] = refused.as_slice() {
            let vain = if refused.iter().all(|operation| operation.error().is_none()) { "was refused" } else { "asked in vain" };
            let text = format!("{vain} {} times until {}", refused.len(), clock.seconds(last.told()));
            lines.push((first.told(), client, text, Paint::Dim));
        } else if let [only] = refused.as_slice() {
            let vain = only.error().map_or("was refused".into(), |error| format!("asked in vain: {error}"));
            lines.push((only.told(), client, vain, Paint::Dim));
        }
    }
    for event in events {
        match &event.what {
            What::Lost { client, lock } if focus.clients.contains(&client.as_str()) => {
                lines.push((event.at, client, format!("was told that it had lost {lock}"), Paint::Plain));
            }
            What::Gone { client } if focus.clients.contains(&client.as_str()) => {
                lines.push((event.at, client, "was no more".into(), Paint::Fault));
            }
            _ => {}
        }
    }
    for fault in &focus.faults {
        lines.push((origin + fault.begin, "nemesis", format!("{} ({})", fault.text, fault.step), Paint::Fault));
        if let Some(end) = fault.end.filter(|end| *end > fault.begin) {
            lines.push((origin + end, "nemesis", format!("{} is over", fault.step), Paint::Fault));
        }
        if let Some(why) = &fault.failed {
            lines.push((origin + fault.begin, "nemesis", format!("could not do it: {why}"), Paint::Fault));
        }
    }
    lines.retain(|(at, ..)| *at >= focus.window.0 && *at <= focus.window.1);
    lines.sort_by_key(|(at, ..)| *at);
    let widest = lines.iter().map(|(_, who, ..)| look.prose(who).chars().count()).max().unwrap_or(0);
    let longest = lines.iter().map(|(at, ..)| clock.seconds(*at).len() + 2).max().unwrap_or(0).max(10);
    let line = |(at, who, text, paint): &(Nanos, &str, String, Paint)| {
        let head = format!("{:>longest$}  {:widest$}  ", clock.seconds(*at), look.prose(who));
        let indent = head.chars().count();
        format!("{head}{}", look.paint(*paint, &look.wrap(text, indent)))
    };
    lines.iter().map(line).collect()
}

fn words(operation: &Operation<'_>, clock: Clock) -> String {
    let completion = operation.done.map(|(_, completion)| completion);
    let outcome = completion.map(|completion| completion.outcome);
    let why = || match completion.and_then(|completion| completion.why.as_deref().or(completion.error.as_deref())) {
        Some(why) => format!(": {why}"),
        None => String::new(),
    };
    let value = || completion.and_then(|completion| completion.value.as_ref()).map_or("nothing".into(), ToString::to_string);
    let mut text = match (operation.op, outcome) {
        (op, None) => format!("{}, and never heard how it ended", intent(op)),
        (op, Some(Outcome::Info)) => format!("{}; the outcome is unknown{}", intent(op), why()),
        (Op::Acquire { lock, ttl_ms }, Some(Outcome::Ok)) => {
            let ttl = ttl_ms.map_or(", for ever".into(), |ms| format!(" for {:.3} s", ms as f64 / 1000.0));
            let fence = completion
                .and_then(|completion| completion.fence)
                .map_or(String::new(), |fence| format!(", fencing token {fence}"));
            format!("was granted {lock}{ttl}{fence}")
        }
        (Op::Acquire { lock, .. }, Some(Outcome::Fail)) if operation.error().is_none() => format!("was refused {lock}{}", why()),
        (Op::Extend { lock, .. }, Some(Outcome::Ok)) => format!("extended its lease of {lock}"),
        (Op::Release { lock, .. }, Some(Outcome::Ok)) => format!("released {lock}"),
        (Op::Check { lock, .. }, Some(Outcome::Ok)) => format!("asked whether it holds {lock}: {}", value()),
        (Op::Read { resource, .. }, Some(Outcome::Ok)) => format!("read {} from {resource}", value()),
        (Op::Write { resource, value, base, fence, .. }, Some(Outcome::Ok)) => {
            let base = base.as_ref().map_or(String::new(), |base| format!(", having read {base}"));
            let fence = fence.map_or(String::new(), |fence| format!(", with fencing token {fence}"));
            format!("wrote {value} to {resource}{base}{fence}")
        }
        (Op::Write { resource, value, fence, .. }, Some(Outcome::Fail)) => {
            match (fence, completion.and_then(|completion| completion.fenced_by)) {
                (Some(fence), Some(by)) => {
                    format!("was refused the write of {value} to {resource}: its fencing token {fence} is lower than {by}")
                }
                _ => format!("could not write {value} to {resource}{}", why()),
            }
        }
        (op, Some(Outcome::Fail)) => format!("{}, without effect{}", intent(op), why()),
    };
    if operation.told().saturating_sub(operation.invoked) > LATE {
        text.push_str(&match operation.op {
            Op::Release { .. } => format!(" (answered at {})", clock.seconds(operation.told())),
            _ => format!(" (asked at {})", clock.seconds(operation.invoked)),
        });
    }
    text
}

fn intent(op: &Op) -> String {
    match op {
        Op::Acquire { lock, .. } => format!("asked for {lock}"),
        Op::Extend { lock, .. } => format!("asked to extend {lock}"),
        Op::Release { lock, .. } => format!("gave {lock} back"),
        Op::Check { lock, .. } => format!("asked whether it holds {lock}"),
        Op::Read { resource, .. } => format!("asked to read {resource}"),
        Op::Write { resource, value, .. } => format!("asked to write {value} to {resource}"),
    }
}
