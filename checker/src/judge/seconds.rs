//! Times as people read them: seconds since the history's first event, all of one judgement equally fine.
//!
//! How fine is known only when every sentence is. Until then a time stands in its sentence between two marks, with how many decimals it needs.

use crate::Nanos;

/// Stands on both sides of a time that is still to be written; no name has it.
const MARK: char = '\u{f8ff}';

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

    /// One time, to be [settled](settle): `10.212 s`.
    pub fn at(&self, time: Nanos) -> String {
        self.length(time.saturating_sub(self.zero))
    }

    /// A length of time, to be [settled](settle).
    pub fn length(&self, nanos: Nanos) -> String {
        format!("{MARK}{}:{nanos}{MARK}", self.decimals)
    }
}

/// Writes the times in these texts, all with as many decimals as the one that needs most.
pub fn settle(texts: &mut [&mut String]) {
    let needed = texts.iter().flat_map(|text| text.split(MARK)).filter_map(marked).map(|(decimals, _)| decimals);
    let decimals = needed.max().unwrap_or(3);
    for text in texts {
        let written =
            |piece: &str| marked(piece).map_or_else(|| piece.to_owned(), |(_, nanos)| format!("{} s", number(nanos, decimals)));
        **text = text.split(MARK).map(written).collect();
    }
}

/// What stands between two marks.
fn marked(piece: &str) -> Option<(u32, Nanos)> {
    let (decimals, nanos) = piece.split_once(':')?;
    Some((decimals.parse().ok().filter(|decimals| *decimals <= 9)?, nanos.parse().ok()?))
}

/// Nanoseconds as seconds with so many decimals, at most nine, and the rest cut off: `10.212`.
pub fn number(nanos: Nanos, decimals: u32) -> String {
    let decimals = decimals.min(9);
    let fraction = (nanos % 1_000_000_000) / 10u64.pow(9 - decimals);
    format!("{}.{fraction:0width$}", nanos / 1_000_000_000, width = decimals as usize)
}

/// With how many decimals a text writes its times; none where it names none.
pub fn decimals(text: &str) -> Option<u32> {
    text.split(" s").find_map(|before| {
        let (whole, fraction) = before.rsplit_once('.')?;
        let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        (is_number(fraction) && whole.ends_with(|c: char| c.is_ascii_digit())).then_some(fraction.len() as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled<const N: usize>(mut texts: [String; N]) -> [String; N] {
        settle(&mut texts.each_mut());
        texts
    }

    #[test]
    fn as_many_decimals_as_needed() {
        let s = Seconds::telling_apart(1_000, &[10_212_001_000, 10_400_001_000]);
        assert_eq!(settled([s.at(10_212_001_000), s.at(10_400_001_000)]), ["10.212 s", "10.400 s"]);
        let s = Seconds::telling_apart(0, &[1_000_000, 1_001_000]);
        assert_eq!(settled([s.at(1_000_000), s.at(1_001_000)]), ["0.001000 s", "0.001001 s"]);
        let s = Seconds::telling_apart(0, &[5, 6]);
        assert_eq!(settled([s.at(6)]), ["0.000000006 s"]);
    }

    #[test]
    fn what_needs_less_is_written_as_finely_as_what_needs_more() {
        let (coarse, fine) = (Seconds::telling_apart(0, &[]), Seconds::telling_apart(0, &[1_000_000, 1_001_000]));
        let texts = [format!("at {}, 1:2 s", coarse.at(2_000_000)), format!("{} later", fine.length(1_000))];
        assert_eq!(settled(texts), ["at 0.002000 s, 1:2 s", "0.000001 s later"]);
    }

    #[test]
    fn how_fine_a_text_is() {
        for (text, fine) in
            [("c1 slept until 0.500123 s, v1.2 said", Some(6)), ("c1.s is no time", None), ("it is 3 s late", None)]
        {
            assert_eq!(decimals(text), fine, "{text}");
        }
    }
}
