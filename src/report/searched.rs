//! What the search for an order of the operations came to.

use super::paint::{Look, Paint};
use checker::Nanos;
use checker::history::Value;
use serde::Serialize;

/// What the search for an order of the operations came to. Its keys are public in `--json` and stay.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Searched {
    /// Name of the model.
    pub model: &'static str,
    /// The value before the first write.
    pub initial: Value,
    /// How many objects were searched, each by itself.
    pub objects: usize,
    /// Those for which no order was found, the certain ones first.
    pub stuck: Vec<StuckAt>,
}

/// An object for which no order was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StuckAt {
    /// Its key; none where the history knows only one object.
    pub object: Option<String>,
    /// The bound that ended the search without an answer; none where it is certain that there is no order.
    pub bound: Option<&'static str>,
    /// The operation that fits none of the states that were possible, or at which the search had arrived.
    pub operation: Step,
    /// Those states, a few of them where there are many.
    pub states: Vec<String>,
    /// How many operations make up the longest prefix that could be explained.
    pub explained: usize,
    /// How many operations the object has.
    pub operations: usize,
    /// The fewest operations that no order explains, whatever the others did.
    pub fewest: Vec<Step>,
}

/// One operation, for whoever looks it up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The line that it was read from.
    pub line: u64,
    /// Whose.
    pub client: String,
    /// What was done and what came back.
    pub words: String,
    /// When it was called: nanoseconds, or its place among the events where the format has no times.
    pub call: Nanos,
    /// When it returned; none where the outcome is unknown.
    pub ret: Option<Nanos>,
}

impl StuckAt {
    /// What stands in the way, in a sentence.
    pub fn sentence(&self) -> String {
        let Step { line, client, words, .. } = &self.operation;
        let object = self.object.as_ref().map(|object| format!(" on {object}")).unwrap_or_default();
        let states = match self.states.as_slice() {
            [] => "no state is left".to_owned(),
            [only] => format!("the only state possible there is {only}"),
            several => format!("the states possible there are {}", several.join(" or ")),
        };
        let reached = match self.explained {
            0 => String::new(),
            n => format!("; the longest prefix that an order explains is {n} of {} operations", self.operations),
        };
        match self.bound {
            Some(bound) => format!(
                "{bound}: the search{object} had come to {client}'s operation in line {line} ({words}), where {states}{reached}"
            ),
            None => format!("{client} {words}{object} (line {line}), which fits nothing: {states}{reached}{}", self.proof()),
        }
    }

    fn proof(&self) -> String {
        match self.fewest.len() {
            0 => String::new(),
            1 => "; no other operation is needed to prove it".into(),
            n => format!("; {n} operations prove it, whatever the others did"),
        }
    }
}

/// The most rows of one picture.
const ROWS: usize = 24;

/// The interval diagram of the operations that prove a violation: a row each, in the order of calls, from call to return.
///
/// Columns stand for the order of those moments, not for the time between them: only the order proves anything.
pub fn intervals(stuck: &StuckAt, look: Look) -> Option<String> {
    let mut steps: Vec<&Step> = stuck.fewest.iter().take(ROWS).collect();
    steps.sort_by_key(|step| (step.call, step.ret));
    if steps.is_empty() {
        return None;
    }
    let mut moments: Vec<Nanos> = steps.iter().flat_map(|step| [Some(step.call), step.ret]).flatten().collect();
    moments.sort_unstable();
    moments.dedup();
    let head = |step: &Step| look.prose(&format!("line {}  {}  {}", step.line, step.client, step.words));
    let widest = look.width.saturating_sub(24).clamp(20, 64);
    let gutter = steps.iter().map(|step| head(step).chars().count()).max().unwrap_or(0).min(widest);
    let columns = look.width.saturating_sub(gutter + 5).max(8);
    let last = moments.len().max(2) - 1;
    let column = |at: Nanos| moments.partition_point(|moment| *moment < at) * (columns - 1) / last;
    let row = |step: &&Step| {
        let head: String = head(step).chars().take(gutter).collect();
        let (from, until) = (column(step.call), step.ret.map_or(columns - 1, column));
        let (open, line) = (look.glyph('├', '|'), look.glyph('─', '-'));
        let close = if step.ret.is_some() { look.glyph('┤', '|') } else { look.glyph('▶', '>') };
        let mut bar = " ".repeat(from) + &String::from(open);
        if until > from {
            bar.extend(std::iter::repeat_n(line, until - from - 1));
            bar.push(close);
        }
        let text = format!("{head:gutter$}  {bar}");
        let paint = if **step == stuck.operation { Paint::Harm } else { Paint::Plain };
        format!("  {}", look.paint(paint, text.trim_end()))
    };
    let mut lines: Vec<String> = steps.iter().map(row).collect();
    if let Some(more) = stuck.fewest.len().checked_sub(ROWS).filter(|more| *more > 0) {
        lines.push(format!("  and {more} more; --json has them all"));
    }
    Some(lines.join("\n"))
}
