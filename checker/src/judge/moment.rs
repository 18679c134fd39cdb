//! Times as a person reads them: seconds since the history's first event.

use crate::Nanos;

/// The begin of a history, from which its times are counted.
#[derive(Debug, Clone, Copy, Default)]
pub struct Since(pub Nanos);

impl Since {
    /// `10.400 s`; with more digits where milliseconds would not tell the time from one of the others.
    pub fn seconds(self, at: Nanos, others: &[Nanos]) -> String {
        let ms = |at: Nanos| at / 1_000_000;
        let close = others.iter().any(|other| *other != at && ms(*other) == ms(at));
        let digits = if close { 6 } else { 3 };
        format!("{:.digits$} s", at.saturating_sub(self.0) as f64 / 1e9)
    }
}
