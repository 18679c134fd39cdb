//! Draws the lanes on the scale.

use super::canvas::Row;
use super::clock::Clock;
use super::focus::Focus;
use super::glyph::Glyph;
use super::lane::{Act, Lane, Mark};
use super::scale::Scale;
use crate::report::paint::{Look, Paint};
use checker::Nanos;
use std::collections::BTreeSet;

/// Draws on one scale, and remembers what needs a legend.
pub struct Pen<'s> {
    /// How it may look.
    pub look: Look,
    /// Time as columns.
    pub scale: &'s Scale,
    /// Columns right of the names.
    pub columns: usize,
    /// The history's first event.
    pub origin: Nanos,
    /// How times are written.
    pub clock: Clock,
    /// What was drawn.
    pub used: BTreeSet<Glyph>,
}

impl Pen<'_> {
    fn glyph(&mut self, glyph: Glyph) -> (char, Paint) {
        self.used.insert(glyph);
        glyph.drawn(self.look)
    }

    fn fill(&mut self, row: &mut Row, from: Nanos, until: Nanos, glyph: Glyph) {
        let (from, until) = (self.scale.column(from), self.scale.column(until));
        if from < until {
            let (glyph, paint) = self.glyph(glyph);
            row.fill(from, until - 1, glyph, paint);
        }
    }

    /// The axis: times above, ticks below, cuts marked. The moments that matter most get their label first.
    pub fn axis(&self, moments: &[Nanos]) -> [Row; 2] {
        let (mut labels, mut ruler) = (Row::new(self.columns), Row::new(self.columns));
        ruler.fill(0, self.columns - 1, self.look.glyph('─', '-'), Paint::Dim);
        for cut in self.scale.cuts() {
            let middle = (cut.start + cut.end) / 2;
            ruler.fill(cut.start, cut.end.saturating_sub(1), ' ', Paint::Dim);
            ruler.fill(middle - 1, middle + 1, self.look.glyph('·', '.'), Paint::Dim);
        }
        for at in moments {
            let column = self.scale.column(*at);
            let label = self.clock.number(*at);
            let length = label.len();
            let start = column.min(self.columns.saturating_sub(length));
            let apart = start.saturating_sub(1);
            if labels.free(apart, (length + 1 + start - apart).min(self.columns - apart)) {
                labels.text(start, &label, Paint::Dim);
                ruler.put(column, self.look.glyph('┴', '+'), Paint::Dim);
            }
        }
        [labels, ruler]
    }

    /// A client's lane.
    pub fn lane(&mut self, lane: &Lane<'_>, window: (Nanos, Nanos)) -> Row {
        let mut row = Row::new(self.columns);
        for act in &lane.acts {
            self.fill(&mut row, act.from.max(window.0), act.at.min(window.1), Glyph::InFlight);
        }
        for lease in &lane.leases {
            self.fill(&mut row, lease.from, lease.until.min(window.1), Glyph::Lease);
            self.fill(&mut row, lease.until, lease.believed.min(window.1), Glyph::Believed);
            if lease.believed >= window.1 && lease.until >= window.1 {
                let (glyph, paint) = self.glyph(Glyph::Lease);
                row.fill(self.scale.column(window.1), self.columns - 1, glyph, paint);
            }
        }
        for (from, until) in &lane.pauses {
            let (from, until) = (self.scale.column(*from), self.scale.column(*until));
            let lease = Glyph::Lease.drawn(self.look).0;
            let (paused, held) = (Glyph::Paused.drawn(self.look), Glyph::PausedLease.drawn(self.look));
            row.repaint(from, until, |glyph| if glyph == lease { held } else { paused });
            let held_too =
                lane.leases.iter().any(|lease| self.scale.column(lease.from) <= until && self.scale.column(lease.until) > from);
            self.used.extend(held_too.then_some(Glyph::PausedLease));
            self.used.insert(Glyph::Paused);
        }
        for expiry in
            lane.leases.iter().filter_map(|lease| lease.expiry.filter(|expiry| lease.until >= *expiry && *expiry <= window.1))
        {
            let (glyph, paint) = self.glyph(Glyph::Expiry);
            row.put(self.scale.column(expiry), glyph, paint);
        }
        self.acts(&mut row, &lane.acts, window);
        if let Some(gone) = lane.gone.filter(|gone| *gone <= window.1) {
            let (glyph, paint) = self.glyph(Glyph::Gone);
            let column = self.scale.column(gone);
            row.fill(column + 1, self.columns - 1, ' ', Paint::Plain);
            row.put(column, glyph, paint);
        }
        row
    }

    /// The marks of a lane. Two of one moment stand side by side; refusals stand only where there is room.
    fn acts(&mut self, row: &mut Row, acts: &[Act], window: (Nanos, Nanos)) {
        let (refused, others): (Vec<&Act>, Vec<&Act>) =
            acts.iter().filter(|act| act.at >= window.0 && act.at <= window.1).partition(|act| act.mark == Mark::Refused);
        for act in refused {
            let (glyph, paint) = self.glyph(Glyph::Mark(Mark::Refused));
            row.put(self.scale.column(act.at), glyph, paint);
        }
        let mut next = 0;
        for act in others {
            let (glyph, paint) = self.glyph(Glyph::Mark(act.mark));
            let column = self.scale.column(act.at).max(next).min(self.columns - 1);
            row.put(column, glyph, paint);
            next = column + 1;
        }
    }

    /// The nemesis's lane of one fault.
    pub fn fault(&self, focus: &Focus<'_>, which: usize) -> Row {
        let mut row = Row::new(self.columns);
        let fault = focus.faults[which];
        let from = self.scale.column(self.origin + fault.begin);
        let until = fault.end.map_or(self.columns - 1, |end| self.scale.column(self.origin + end));
        let text = format!(" {} ", self.look.prose(&fault.text));
        let length = text.chars().count();
        let lasted = fault.end.is_some_and(|end| end > fault.begin)
            || matches!(fault.kind.as_str(), "pause" | "kill" | "clock" | "drift" | "power");
        if !lasted || until <= from {
            row.put(from, self.look.glyph('▼', 'v'), Paint::Fault);
            let start = if from + 1 + length <= self.columns { from + 1 } else { from.saturating_sub(length) };
            row.text(start, &text, Paint::Fault);
            return row;
        }
        row.fill(from, until, self.look.glyph('─', '-'), Paint::Fault);
        row.put(from, self.look.glyph('├', '|'), Paint::Fault);
        row.put(until, if fault.end.is_some() { self.look.glyph('┤', '|') } else { self.look.glyph('▶', '>') }, Paint::Fault);
        let inside = until - from;
        let start = if length < inside {
            from + 1 + (inside - length) / 2
        } else if until + 1 + length <= self.columns {
            until + 1
        } else {
            from.saturating_sub(length)
        };
        row.text(start, &text, Paint::Fault);
        row
    }

    /// From when to when a finding's harm is certain.
    pub fn harm(&self, from: Nanos, until: Nanos) -> Row {
        let mut row = Row::new(self.columns);
        row.fill(self.scale.column(from), self.scale.column(until.max(from)), self.look.glyph('▲', '^'), Paint::Harm);
        row
    }

    /// What the characters mean, those that were drawn.
    pub fn legend(&self) -> Vec<String> {
        let entries = self.used.iter().map(|glyph| {
            let (drawn, paint) = glyph.drawn(self.look);
            (self.look.paint(paint, &drawn.to_string()), glyph.meaning())
        });
        let mut lines = vec![String::new()];
        let mut length = 0;
        for (drawn, meaning) in entries {
            let more = 4 + meaning.chars().count();
            if length > 0 && length + more > self.look.width - 2 {
                lines.push(String::new());
                length = 0;
            }
            let line = lines.last_mut().expect("there is always one");
            line.push_str(if length > 0 { "   " } else { "" });
            line.push_str(&format!("{drawn} {}", self.look.paint(Paint::Dim, meaning)));
            length += more + 1;
        }
        lines
    }
}
