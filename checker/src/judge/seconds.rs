//! Times as people read them: seconds since the history's first event.

use crate::Nanos;

/// Writes times with as many decimals as tell them apart: three, else six, else nine.
#[derive(Debug, Clone, Copy)]
pub struct Seconds {
    zero: Nanos,
    decimals: u32,
}

impl Seconds {
    /// For a sentence that names all of these times.
    pub fn telling_apart(zero: Nanos, times: &[Nanos]) -> Self {
        let apart = |decimals: u32| {
            let unit = 10u64.pow(9 - decimals);
            let same = |a: Nanos, b: Nanos| a.saturating_sub(zero) / unit == b.saturating_sub(zero) / unit;
            times.iter().enumerate().all(|(i, &a)| times[i + 1..].iter().all(|&b| a == b || !same(a, b)))
        };
        Seconds { zero, decimals: [3, 6].into_iter().find(|&d| apart(d)).unwrap_or(9) }
    }

    /// One time: `10.212 s`.
    pub fn at(&self, time: Nanos) -> String {
        self.length(time.saturating_sub(self.zero))
    }

    /// A length of time with the same decimals.
    pub fn length(&self, nanos: Nanos) -> String {
        let fraction = (nanos % 1_000_000_000) / 10u64.pow(9 - self.decimals);
        format!("{}.{fraction:0width$} s", nanos / 1_000_000_000, width = self.decimals as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_many_decimals_as_needed() {
        let s = Seconds::telling_apart(1_000, &[10_212_001_000, 10_400_001_000]);
        assert_eq!(s.at(10_212_001_000), "10.212 s");
        let s = Seconds::telling_apart(0, &[1_000_000, 1_001_000]);
        assert_eq!((s.at(1_000_000), s.at(1_001_000)), ("0.001000 s".into(), "0.001001 s".into()));
        let s = Seconds::telling_apart(0, &[5, 6]);
        assert_eq!(s.at(6), "0.000000006 s");
    }
}
