//! The report that a person reads in a terminal.

use super::diagram::diagram;
use super::paint::{Look, Paint};
use super::{Injected, Standing, Subject};
use checker::finding::{Counts, Finding, Kind, Verdict};

/// The most findings of one kind that are told.
const TOLD: usize = 3;

/// The whole report; its last line, where something failed, is the command that shows it again.
pub fn terminal(subject: &Subject, look: Look) -> String {
    let mut blocks = vec![verdict(subject, look)];
    blocks.extend(findings(subject, look));
    blocks.extend(broken(subject, look));
    blocks.extend(diagram(subject, look));
    blocks.extend(faults(&subject.injected, look));
    blocks.push(looked_at(&subject.judgement.counts, look));
    blocks.push(ending(subject, look));
    blocks.join("\n\n") + "\n"
}

fn verdict(subject: &Subject, look: Look) -> String {
    let (word, paint) = match subject.judgement.verdict {
        Verdict::Valid => ("VALID", Paint::Guard),
        Verdict::Violation => ("VIOLATION", Paint::Harm),
        Verdict::Unknown => ("UNKNOWN", Paint::Pause),
        Verdict::Assumptions => ("ASSUMPTIONS BROKEN", Paint::Pause),
        Verdict::Nothing => ("NOTHING RAN", Paint::Pause),
    };
    let kinds = kinds(&subject.judgement.findings).into_iter().map(|(kind, times)| match times {
        1 => kind.name().to_owned(),
        _ => format!("{kind} ({times} times)"),
    });
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    let header = &subject.header;
    let place: Vec<&str> = [header.name.as_str(), header.world.as_str()].into_iter().filter(|text| !text.is_empty()).collect();
    let mut line = word.to_owned();
    if !kinds.is_empty() {
        line.push_str(&format!(": {kinds}"));
    }
    if !place.is_empty() {
        line.push_str(&format!(" ({})", place.join(", ")));
    }
    let line = look.paint(paint, &look.wrap(&line, 0));
    let paint = if subject.standing == Standing::AsExpected { Paint::Guard } else { Paint::Harm };
    format!("{line}\n{}", look.paint(paint, &look.wrap(&subject.standing.sentence(), 0)))
}

/// The kinds that were found, in the order in which they were, and how often.
fn kinds(findings: &[Finding]) -> Vec<(Kind, usize)> {
    let mut kinds: Vec<(Kind, usize)> = Vec::new();
    for finding in findings {
        match kinds.iter_mut().find(|(kind, _)| *kind == finding.kind) {
            Some((_, times)) => *times += 1,
            None => kinds.push((finding.kind, 1)),
        }
    }
    kinds
}

fn findings(subject: &Subject, look: Look) -> Option<String> {
    let all = &subject.judgement.findings;
    let mut lines = Vec::new();
    for (kind, times) in kinds(all) {
        let name = kind.name();
        for finding in all.iter().filter(|finding| finding.kind == kind).take(TOLD) {
            lines.push(format!("  {}  {}", look.paint(Paint::Harm, name), look.wrap(&finding.sentence, 4 + name.len())));
        }
        if times > TOLD {
            lines.push(format!("  and {} more {name}; --json has them all", times - TOLD));
        }
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn broken(subject: &Subject, look: Look) -> Option<String> {
    let line =
        |name: &str, sentence: &str| format!("  {}  {}", look.paint(Paint::Pause, name), look.wrap(sentence, 4 + name.len()));
    let assumptions = subject.judgement.broken.iter().map(|broken| line(&broken.name, &broken.sentence));
    let warnings = subject.warnings.iter().map(|warning| line("warning", warning));
    let lines: Vec<String> = assumptions.chain(warnings).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn faults(injected: &[Injected], look: Look) -> Option<String> {
    let lines: Vec<String> = injected.iter().map(|fault| format!("  {}", look.wrap(&fault_words(fault), 4))).collect();
    (!lines.is_empty()).then(|| format!("Injected\n{}", lines.join("\n")))
}

fn fault_words(fault: &Injected) -> String {
    let at = |nanos: u64| format!("{:.3} s", nanos as f64 / 1e9);
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

fn looked_at(counts: &Counts, look: Look) -> String {
    let mut parts = vec![
        number(counts.operations, "operation", "operations"),
        number(counts.locks, "lock", "locks"),
        number(counts.granted, "grant", "grants"),
        format!("{} waited for", counts.contended),
        number(counts.writes, "write", "writes"),
    ];
    if counts.rejected_stale_writes > 0 {
        parts.push(number(counts.rejected_stale_writes, "stale write refused", "stale writes refused"));
    }
    if counts.unknown > 0 {
        parts.push(number(counts.unknown, "unknown outcome", "unknown outcomes"));
    }
    if let Some(closest) = counts.closest_ns {
        parts.push(format!("leases of different owners came as close as {:.3} ms", closest as f64 / 1e6));
    }
    look.paint(Paint::Dim, &look.wrap(&format!("Looked at {}.", parts.join(", ")), 0))
}

fn number(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

fn ending(subject: &Subject, look: Look) -> String {
    let mut lines = Vec::new();
    if let Some(run) = &subject.run {
        lines.push(look.paint(Paint::Dim, &look.prose(&format!("Kept in {}", run.display()))));
    }
    let again = if subject.standing == Standing::AsExpected { "Again:" } else { "Reproduce:" };
    lines.push(format!("{again} {}", look.prose(&subject.replay)));
    lines.join("\n")
}
