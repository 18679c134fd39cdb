//! The interval diagram: the few operations that matter, a lane a client and one for the nemesis, on a real time axis.
//!
//! events → `operation` → `focus` (which matter) → `lane` (what each client shows) → `scale` (time as columns) → `draw`.

mod canvas;
mod clock;
mod draw;
mod focus;
mod glyph;
mod lane;
mod narration;
mod scale;

use super::Subject;
use super::mark::{Mark, blames};
use super::operation::operations;
use super::paint::{Look, NARROWEST, Paint};
use super::wording::decimals;
use checker::Nanos;
use checker::finding::Finding;
use clock::Clock;
use draw::Pen;
use focus::Focus;
use lane::Lane;
use scale::Scale;

/// A diagram, drawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// Its lines, with its legend and what happened in words.
    pub text: String,
    /// With how many decimals it writes its times.
    pub decimals: u32,
}

/// The diagram of a report's subject; none where nothing needs one.
pub fn diagram(subject: &Subject, look: Look) -> Option<Drawn> {
    let look = Look { width: look.width.max(NARROWEST), ..look };
    let operations = operations(&subject.events);
    let focus = focus::focus(&operations, &subject.judgement, &subject.injected, subject.origin)?;
    let lanes = lane::lanes(&focus, &subject.events, &subject.header, subject.origin);

    let findings = distinct(&focus.findings);
    let called: Vec<String> = lanes.iter().map(Lane::name).collect();
    let names = called.iter().map(String::as_str).chain(findings.iter().map(|finding| finding.kind.name())).chain(["nemesis"]);
    let gutter = names.map(|name| name.chars().count()).max().unwrap_or(0).min(20) + 4;
    let columns = look.width - gutter;
    let moments = moments(&focus, &lanes, subject.origin);
    let scale = Scale::new(&moments, columns);
    let clock = Clock::new(subject.origin, &moments, decimals(subject));
    let mut pen = Pen { clock, look, scale: &scale, columns, origin: subject.origin, used: Default::default() };

    let mut lines = Vec::new();
    let mut line = |name: &str, paint: Paint, row: String| {
        let name: String = look.prose(name).chars().take(gutter - 4).collect();
        let pad = " ".repeat(gutter - 2 - name.chars().count());
        lines.push(format!("  {}{pad}{row}", look.paint(paint, &name)).trim_end().to_owned());
    };
    for (name, row) in ["seconds", ""].into_iter().zip(pen.axis(&by_weight(&focus, &lanes, &moments, subject.origin))) {
        line(name, Paint::Dim, row.render(look));
    }
    for (lane, name) in lanes.iter().zip(&called) {
        line(name, Paint::Bold, pen.lane(lane, focus.window).render(look));
    }
    for which in 0..focus.faults.len() {
        line(if which == 0 { "nemesis" } else { "" }, Paint::Fault, pen.fault(&focus, which).render(look));
    }
    for finding in findings {
        line(finding.kind.name(), Paint::Harm, pen.harm(finding.from, finding.until).render(look));
    }
    lines.push(String::new());
    lines.extend(pen.legend().into_iter().map(|legend| format!("  {legend}")));
    lines.push(String::new());
    let harmful: Vec<u64> = focus
        .operations
        .iter()
        .filter(|operation| focus.findings.iter().any(|finding| blames(finding, operation)))
        .map(|operation| operation.id)
        .collect();
    lines.extend(narration::narrate(&focus, &subject.events, &harmful, subject.origin, clock, look));
    Some(Drawn { text: lines.join("\n"), decimals: clock.decimals() })
}

/// Findings whose row would look the same are drawn once.
fn distinct<'e>(findings: &[&'e Finding]) -> Vec<&'e Finding> {
    let mut rows: Vec<&Finding> = Vec::new();
    for finding in findings {
        if !rows.iter().any(|row| (row.kind, row.from, row.until) == (finding.kind, finding.from, finding.until)) {
            rows.push(finding);
        }
    }
    rows
}

/// The moments that get columns of their own.
fn moments(focus: &Focus<'_>, lanes: &[Lane<'_>], origin: Nanos) -> Vec<Nanos> {
    let mut moments = vec![focus.window.0, focus.window.1];
    for lane in lanes {
        for act in lane.acts.iter().filter(|act| act.mark != Mark::Refused) {
            moments.extend([act.from, act.at]);
        }
        moments.extend(lane.leases.iter().flat_map(|lease| [lease.from, lease.until, lease.believed]));
        moments.extend(lane.gone);
    }
    for fault in &focus.faults {
        moments.extend([Some(fault.begin), fault.end].into_iter().flatten().map(|at| origin + at));
    }
    moments.extend(focus.findings.iter().flat_map(|finding| [finding.from, finding.until]));
    moments.retain(|at| (focus.window.0..=focus.window.1).contains(at));
    moments.sort();
    moments.dedup();
    moments
}

/// The moments in the order in which they deserve a label: where harm begins, faults, grants and ends of leases, then the rest.
fn by_weight(focus: &Focus<'_>, lanes: &[Lane<'_>], moments: &[Nanos], origin: Nanos) -> Vec<Nanos> {
    let harm = focus.findings.iter().map(|finding| finding.from);
    let faults = focus.faults.iter().flat_map(|fault| [Some(origin + fault.begin), fault.end.map(|end| origin + end)]).flatten();
    let leases = lanes.iter().flat_map(|lane| lane.leases.iter().flat_map(|lease| [lease.until, lease.from]));
    let all = [focus.window.0].into_iter().chain(harm).chain(faults).chain(leases).chain(moments.iter().copied());
    all.filter(|at| moments.contains(at)).collect()
}
