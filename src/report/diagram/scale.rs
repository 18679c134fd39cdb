//! Time as columns: true to scale, save that a long time in which nothing happens is cut out and every moment keeps a column of its own.

use checker::Nanos;

/// A piece of the axis between two moments that matter.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Piece {
    from: Nanos,
    until: Nanos,
    left: f64,
    right: f64,
    cut: bool,
}

/// A scale of so many columns.
#[derive(Debug, Clone, PartialEq)]
pub struct Scale {
    pieces: Vec<Piece>,
}

/// Columns of a cut.
const CUT: f64 = 9.0;

/// The most cuts.
const CUTS: usize = 4;

impl Scale {
    /// A scale on which all of these moments fall on columns from 0 to `columns - 1`. The moments must be sorted and not be equal.
    pub fn new(moments: &[Nanos], columns: usize) -> Scale {
        let room = columns.saturating_sub(1) as f64;
        let gaps: Vec<f64> = moments.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let least = if gaps.len() as f64 * 4.0 <= room { 2.0 } else { (room / 2.0 / gaps.len().max(1) as f64).min(1.0) };
        let cuts = cuts(&gaps, room);
        let rest: f64 = gaps.iter().zip(&cuts).filter(|(_, cut)| !**cut).map(|(gap, _)| gap).sum();
        let fixed: f64 = cuts.iter().map(|cut| if *cut { CUT } else { least }).sum();
        let spare = (room - fixed).max(0.0);
        let mut left = 0.0;
        let mut pieces = Vec::with_capacity(gaps.len());
        for ((pair, gap), cut) in moments.windows(2).zip(&gaps).zip(&cuts) {
            let width = if *cut { CUT } else { least + if rest > 0.0 { gap / rest * spare } else { 0.0 } };
            pieces.push(Piece { from: pair[0], until: pair[1], left, right: left + width, cut: *cut });
            left += width;
        }
        Scale { pieces }
    }

    /// The column of a moment; moments outside are put to the edge.
    pub fn column(&self, at: Nanos) -> usize {
        let Some(piece) = self.pieces.iter().find(|piece| at <= piece.until).or(self.pieces.last()) else { return 0 };
        let share = (at.clamp(piece.from, piece.until) - piece.from) as f64 / (piece.until - piece.from) as f64;
        (piece.left + share * (piece.right - piece.left)).round() as usize
    }

    /// The columns strictly inside of each cut.
    pub fn cuts(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        self.pieces.iter().filter(|piece| piece.cut).map(|piece| piece.left.round() as usize + 1..piece.right.round() as usize)
    }
}

/// Which gaps are cut: as long as the longest takes more room than all the others together leave to each other.
fn cuts(gaps: &[f64], room: f64) -> Vec<bool> {
    let mut cuts = vec![false; gaps.len()];
    for _ in 0..CUTS {
        let whole = |i: &usize| !cuts[*i];
        let rest: f64 = (0..gaps.len()).filter(whole).map(|i| gaps[i]).sum();
        let uncut = (0..gaps.len()).filter(whole).count();
        let longest = (0..gaps.len()).filter(whole).max_by(|a, b| gaps[*a].total_cmp(&gaps[*b]));
        match longest {
            Some(i) if uncut > 2 && gaps[i] > 0.45 * rest && gaps[i] / rest * room > 2.0 * CUT => cuts[i] = true,
            _ => break,
        }
    }
    cuts
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn even_moments_are_true_to_scale() {
        let scale = Scale::new(&[0, 100, 200, 300], 61);
        assert_eq!([0, 50, 100, 200, 300].map(|at| scale.column(at)), [0, 10, 20, 40, 60]);
        assert_eq!(scale.cuts().count(), 0);
    }

    #[test]
    fn a_long_idle_time_is_cut() {
        let scale = Scale::new(&[0, 1, 2, 500, 501, 503], 61);
        assert_eq!(scale.cuts().count(), 1);
        assert_eq!(scale.column(503), 60);
        let columns = [0, 1, 2, 500, 501, 503].map(|at| scale.column(at));
        assert!(columns.windows(2).all(|pair| pair[1] >= pair[0] + 8), "{columns:?}");
    }

    #[test]
    fn a_single_moment_has_a_column() {
        assert_eq!(Scale::new(&[7], 60).column(7), 0);
        assert_eq!(Scale::new(&[], 60).column(7), 0);
    }

    proptest! {
        #[test]
        fn time_never_runs_backwards_and_stays_inside(mut moments in proptest::collection::vec(any::<u64>(), 1..60), columns in 40usize..120) {
            moments.sort();
            moments.dedup();
            let scale = Scale::new(&moments, columns);
            let placed: Vec<usize> = moments.iter().map(|at| scale.column(*at)).collect();
            prop_assert!(placed.is_sorted(), "{placed:?}");
            prop_assert!(placed.iter().all(|column| *column < columns), "{placed:?}");
        }
    }
}
