//! What the page says in words, with or without a script.

use super::template::escape;
use crate::report::remedy::remedies;
use crate::report::wording::{decimals, fault_words, kinds, looked_at};
use crate::report::{Standing, Subject};
use checker::finding::Verdict;

/// The most findings that stand in the page as text; the diagram has them all.
const TOLD: usize = 200;

/// The class of a verdict, which decides its colour.
pub fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Valid => "guard",
        Verdict::Violation => "harm",
        Verdict::Unknown | Verdict::Assumptions | Verdict::Nothing => "doubt",
    }
}

/// A fence post in the colour of the verdict.
pub fn icon(verdict: Verdict) -> &'static str {
    match class(verdict) {
        "guard" => "%231a7f37",
        "harm" => "%23c8202f",
        _ => "%23946200",
    }
}

/// Which kinds, of what run, and whether this was expected.
pub fn summary(subject: &Subject) -> String {
    let kinds = kinds(&subject.judgement.findings).into_iter().map(|(kind, times)| {
        let times = if times > 1 { format!(" <small>× {times}</small>") } else { String::new() };
        format!("<span class=\"kind\">{kind}{times}</span>")
    });
    let header = &subject.header;
    let place: Vec<String> =
        [&header.name, &header.world].into_iter().filter(|text| !text.is_empty()).map(|text| escape(text)).collect();
    let standing = if subject.standing == Standing::AsExpected { "guard" } else { "harm" };
    format!(
        "<p class=\"kinds\">{}</p><p class=\"place\">{}</p><p class=\"standing text-{standing}\">{}</p>",
        kinds.collect::<Vec<_>>().join(" "),
        place.join(" · "),
        escape(&subject.standing.sentence())
    )
}

/// The findings as sentences, each a button that shows it, and what was missing or odd.
pub fn findings(subject: &Subject) -> String {
    let judgement = &subject.judgement;
    let mut out = String::new();
    for (index, finding) in judgement.findings.iter().take(TOLD).enumerate() {
        out.push_str(&format!(
            "<li><button type=\"button\" data-finding=\"{index}\"><b class=\"text-harm\">{}</b> {}</button></li>",
            finding.kind,
            escape(&finding.sentence)
        ));
    }
    let said = judgement.broken.iter().map(|broken| (broken.name.as_str(), broken.sentence.as_str()));
    for (name, sentence) in said.chain(subject.warnings.iter().map(|warning| ("warning", warning.as_str()))) {
        out.push_str(&format!("<li class=\"said\"><b class=\"text-doubt\">{}</b> {}</li>", escape(name), escape(sentence)));
    }
    if out.is_empty() {
        return "<p class=\"none\">Nothing is wrong.</p>".into();
    }
    let more = match judgement.findings.len().checked_sub(TOLD) {
        Some(more) if more > 0 => format!("<p class=\"none\">And {more} more, which the diagram shows: keys n and p.</p>"),
        _ => String::new(),
    };
    format!("<ol class=\"list\">{out}</ol>{more}{}", helps(subject))
}

/// What would have helped.
fn helps(subject: &Subject) -> String {
    let lines: String =
        remedies(subject).iter().map(|remedy| format!("<li class=\"said\">{}</li>", escape(&remedy.sentence()))).collect();
    if lines.is_empty() { lines } else { format!("<p>What would have helped:</p><ol class=\"list\">{lines}</ol>") }
}

/// What the nemesis did.
pub fn faults(subject: &Subject) -> String {
    if subject.injected.is_empty() {
        return "<p class=\"none\">No fault was injected.</p>".into();
    }
    let line = |(index, fault)| {
        format!(
            "<li><button type=\"button\" data-fault=\"{index}\">{}</button></li>",
            escape(&fault_words(fault, decimals(subject)))
        )
    };
    format!("<ol class=\"list\">{}</ol>", subject.injected.iter().enumerate().map(line).collect::<String>())
}

/// What was looked at, with what, and how to see it again.
pub fn about(subject: &Subject) -> String {
    let mut out = format!("<p>{}</p>", escape(&looked_at(subject)));
    let header = &subject.header;
    let mut facts: Vec<(&str, String)> = header.versions.iter().map(|(name, version)| (name.as_str(), version.clone())).collect();
    facts.extend(header.started.clone().map(|started| ("begun", started)));
    facts.extend(subject.run.as_ref().map(|run| ("kept in", run.display().to_string())));
    if !facts.is_empty() {
        let fact = |(name, value): &(&str, String)| format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value));
        out.push_str(&format!("<dl>{}</dl>", facts.iter().map(fact).collect::<String>()));
    }
    out.push_str(&format!("<p>Again:</p><pre tabindex=\"0\">{}</pre>", escape(&subject.replay)));
    out
}
