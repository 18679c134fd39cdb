//! The report that a person reads in a terminal.

use super::diagram::diagram;
use super::paint::{Look, Paint};
use super::remedy::remedies;
use super::searched::intervals;
use super::wording::{decimals, fault_words, headline, kinds, looked_at};
use super::{Injected, Searched, Standing, StuckAt, Subject};
use checker::finding::Verdict;

/// The most findings of one kind that are told.
const TOLD: usize = 3;

/// The whole report; its last line, where something failed, is the command that shows it again.
pub fn terminal(subject: &Subject, look: Look) -> String {
    let mut blocks = vec![verdict(subject, look)];
    blocks.extend(findings(subject, look));
    blocks.extend(broken(subject, look));
    let mut fine = decimals(subject);
    match &subject.searched {
        Some(searched) => blocks.extend(stuck(searched, look)),
        None => {
            if let Some(drawn) = diagram(subject, look) {
                fine = drawn.decimals;
                blocks.push(drawn.text);
            }
        }
    }
    blocks.extend(faults(&subject.injected, fine, look));
    blocks.push(look.paint(Paint::Dim, &look.wrap(&looked_at(subject), 0)));
    blocks.extend(helps(subject, look));
    blocks.push(ending(subject, look));
    blocks.join("\n\n") + "\n"
}

fn verdict(subject: &Subject, look: Look) -> String {
    let paint = match subject.judgement.verdict {
        Verdict::Valid => Paint::Guard,
        Verdict::Violation => Paint::Harm,
        Verdict::Unknown | Verdict::Assumptions | Verdict::Nothing => Paint::Pause,
    };
    let line = look.paint(paint, &look.wrap(&headline(subject), 0));
    let paint = if subject.standing == Standing::AsExpected { Paint::Guard } else { Paint::Harm };
    format!("{line}\n{}", look.paint(paint, &look.wrap(&subject.standing.sentence(), 0)))
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

/// What a search proved, as pictures, and where one ended without an answer.
fn stuck(searched: &Searched, look: Look) -> Vec<String> {
    let told = |stuck: &StuckAt| match stuck.bound {
        None => intervals(stuck, look),
        Some(_) => Some(format!("  {}  {}", look.paint(Paint::Pause, "unknown"), look.wrap(&stuck.sentence(), 11))),
    };
    searched.stuck.iter().filter_map(told).take(TOLD).collect()
}

fn faults(injected: &[Injected], decimals: u32, look: Look) -> Option<String> {
    let lines: Vec<String> = injected.iter().map(|fault| format!("  {}", look.wrap(&fault_words(fault, decimals), 4))).collect();
    (!lines.is_empty()).then(|| format!("Injected\n{}", lines.join("\n")))
}

fn helps(subject: &Subject, look: Look) -> Option<String> {
    let lines: Vec<String> = remedies(subject).iter().map(|remedy| format!("  {}", look.wrap(&remedy.sentence(), 4))).collect();
    (!lines.is_empty()).then(|| format!("What would have helped\n{}", lines.join("\n")))
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
