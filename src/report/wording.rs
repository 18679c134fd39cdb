//! What every report says in the same words.

use super::{Injected, Searched, Subject};
use checker::finding::{Finding, Kind, Verdict};
use checker::judge::seconds;

/// The verdict in a line: what it is, of which kinds, where.
pub fn headline(subject: &Subject) -> String {
    let kinds = kinds(&subject.judgement.findings).into_iter().map(|(kind, times)| match times {
        1 => kind.name().to_owned(),
        _ => format!("{kind} ({times} times)"),
    });
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    let header = &subject.header;
    let place: Vec<&str> = [header.name.as_str(), header.world.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
    let mut line = verdict_words(subject.judgement.verdict).to_owned();
    if !kinds.is_empty() {
        line.push_str(&format!(": {kinds}"));
    }
    if !place.is_empty() {
        line.push_str(&format!(" ({})", place.join(", ")));
    }
    line
}

/// A verdict in capitals.
pub fn verdict_words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "VALID",
        Verdict::Violation => "VIOLATION",
        Verdict::Unknown => "UNKNOWN",
        Verdict::Assumptions => "ASSUMPTIONS BROKEN",
        Verdict::Nothing => "NOTHING RAN",
    }
}

/// The kinds that were found, in the order in which they were, and how often.
pub fn kinds(findings: &[Finding]) -> Vec<(Kind, usize)> {
    let mut kinds: Vec<(Kind, usize)> = Vec::new();
    for finding in findings {
        match kinds.iter_mut().find(|(kind, _)| *kind == finding.kind) {
            Some((_, times)) => *times += 1,
            None => kinds.push((finding.kind, 1)),
        }
    }
    kinds
}

/// With how many decimals the sentences of a report write their times.
pub fn decimals(subject: &Subject) -> u32 {
    subject.judgement.findings.iter().find_map(|finding| seconds::decimals(&finding.sentence)).unwrap_or(3)
}

/// A fault: what was done, when, and how it was seen to have worked.
pub fn fault_words(fault: &Injected, decimals: u32) -> String {
    let at = |nanos: u64| format!("{} s", seconds::number(nanos, decimals));
    let mut words = format!("{}: {} at {}", fault.step, fault.text, at(fault.begin));
    if let Some(end) = fault.end.filter(|end| *end > fault.begin) {
        words.push_str(&format!(", until {}", at(end)));
    }
    match (&fault.failed, fault.verified, &fault.evidence) {
        (Some(why), ..) => words.push_str(&format!("; FAILED: {why}")),
        (None, Some(verified), Some(evidence)) => words.push_str(&format!("; verified at {} ({evidence})", at(verified))),
        _ => words.push_str("; never verified"),
    }
    words
}

/// What was looked at.
pub fn looked_at(subject: &Subject) -> String {
    let counts = &subject.judgement.counts;
    let mut parts = vec![number(counts.operations, "operation", "operations")];
    if let Some(searched) = &subject.searched {
        parts.push(number(searched.objects as u64, "object", "objects"));
    }
    if subject.searched.is_none() || counts.locks > 0 {
        parts.extend([
            number(counts.locks, "lock", "locks"),
            number(counts.granted, "grant", "grants"),
            number(counts.contended, "wait", "waits"),
        ]);
    }
    parts.push(number(counts.writes, "write", "writes"));
    if counts.rejected_stale_writes > 0 {
        parts.push(number(counts.rejected_stale_writes, "stale write refused", "stale writes refused"));
    }
    if counts.unknown > 0 {
        parts.push(number(counts.unknown, "unknown outcome", "unknown outcomes"));
    }
    if let Some(closest) = counts.closest_ns {
        parts.push(format!("leases of different owners came as close as {:.3} ms", closest as f64 / 1e6));
    }
    let model = match &subject.searched {
        Some(Searched { model, initial, .. }) => format!(" Model {model}, first value {initial}."),
        None => String::new(),
    };
    format!("Looked at {}.{model}", parts.join(", "))
}

fn number(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
