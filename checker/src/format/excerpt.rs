//! A line that cannot be read, with a caret under what is meant.

use std::fmt;
use std::ops::Range;

/// The most of a line that is shown, in characters.
const WIDEST: usize = 110;

/// A part of a line: where it is, and the line as far as it can be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// The column, from 1, counted in characters.
    pub column: usize,
    line: u64,
    shown: String,
    indent: usize,
    width: usize,
}

impl Excerpt {
    /// The part of the bytes that is meant, on a line with this number.
    pub(super) fn of(bytes: &[u8], line: u64, meant: Range<usize>) -> Self {
        let start = meant.start.min(bytes.len());
        let begin = bytes[..start].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |at| start + at);
        let chars =
            |range: Range<usize>| -> Vec<char> { String::from_utf8_lossy(&bytes[range]).chars().map(printable).collect() };
        let (before, marked) = (chars(begin..start), chars(start..meant.end.clamp(start, end)));
        let rest = chars(start..end);
        let fits = before.len() + rest.len() <= WIDEST;
        let skipped = if fits { 0 } else { before.len().saturating_sub(WIDEST / 2) };
        let shown: String = before[skipped..].iter().chain(&rest).take(WIDEST).collect();
        let indent = before.len() - skipped;
        Excerpt {
            column: before.len() + 1,
            line,
            shown: shown.trim_end().into(),
            indent,
            width: marked.len().clamp(1, (WIDEST - indent).max(1)),
        }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        writeln!(f, " {number} | {}", self.shown)?;
        write!(f, " {:1$} | {2:3$}{4}", "", number.len(), "", self.indent, "^".repeat(self.width))
    }
}

/// A character that takes one column and gives a terminal no orders.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => char::REPLACEMENT_CHARACTER,
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_what_is_meant() {
        let shown = |text: &str, meant| Excerpt::of(text.as_bytes(), 12, meant).to_string();
        assert_eq!(shown("a\nbc d\ne", 2..4), " 12 | bc d\n    | ^^");
        assert_eq!(shown("é\t=", 3..4), " 12 | é =\n    |   ^");
        assert_eq!(shown("a\u{7}b", 2..99), " 12 | a\u{fffd}b\n    |   ^");
        assert_eq!(shown("a", 7..9), " 12 | a\n    |  ^");
        assert_eq!(shown("", 0..0), " 12 | \n    | ^");
    }

    #[test]
    fn of_a_long_line_the_part_is_shown_that_is_meant() {
        let long: String = (0..10_000u32).map(|n| char::from(b'a' + (n % 26) as u8)).collect();
        let excerpt = Excerpt::of(long.as_bytes(), 1, 5_000..10_000);
        let lines: Vec<String> = excerpt.to_string().lines().map(String::from).collect();
        let caret = lines[1].find('^').expect("a caret");
        assert_eq!((excerpt.column, lines[0].as_bytes()[caret]), (5_001, long.as_bytes()[5_000]));
        assert!(lines.iter().all(|line| line.len() <= WIDEST + 5));
    }
}
