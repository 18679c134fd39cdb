//! What is wrong with something that was read, and where: `file:line:column`, the line, a caret, and what to do.

use std::fmt;
use std::ops::Range;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What, in a sentence.
    pub sentence: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { file, line, column, excerpt, indent, width } = &self.place;
        writeln!(f, "{file}:{line}:{column}: {}", self.sentence)?;
        let number = line.to_string();
        writeln!(f, " {number} | {excerpt}")?;
        write!(f, " {:1$} | {indent}{2}", "", number.len(), "^".repeat(*width))?;
        match &self.help {
            Some(help) => write!(f, " {help}"),
            None => Ok(()),
        }
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file's name.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// The column, from 1, counted in characters.
    pub column: usize,
    /// The line itself, or as much of it as can be shown.
    excerpt: String,
    /// What stands before the caret.
    indent: String,
    /// How many carets.
    width: usize,
}

/// The most of a line that is shown.
const WIDEST: usize = 110;

impl Place {
    /// The place of a range of bytes of a text, which may lie anywhere, even outside of it.
    pub fn of(file: &str, text: &str, span: Range<usize>) -> Place {
        let start = boundary(text, span.start);
        let begin = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let number = text[..begin].matches('\n').count() + 1;
        Place::in_line(file, number, &text[begin..end], start - begin..span.end.saturating_sub(begin))
    }

    /// The place of a range of bytes of a line, which is counted from 1.
    pub fn in_line(file: &str, number: usize, text: &str, span: Range<usize>) -> Place {
        let start = boundary(text, span.start);
        let marked = text[start..boundary(text, span.end).max(start)].trim_end().chars().count();
        let before: Vec<char> = text[..start].chars().map(printable).collect();
        let rest: Vec<char> = text[start..].trim_end_matches('\r').chars().map(printable).collect();

        let column = before.len() + 1;
        let skipped = before.len().saturating_sub(WIDEST / 2);
        let ellipsis = if skipped > 0 { "…" } else { "" };
        let shown: String = before[skipped..].iter().chain(&rest).take(WIDEST).collect();
        let room = WIDEST - (before.len() - skipped);
        Place {
            file: file.into(),
            line: number,
            column,
            excerpt: format!("{ellipsis}{shown}").trim_end().into(),
            indent: " ".repeat(ellipsis.chars().count() + before.len() - skipped),
            width: marked.clamp(1, room),
        }
    }
}

/// The nearest begin of a character, from there backwards.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// A character that takes one column and gives a terminal no orders.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, span: Range<usize>) -> String {
        let problem = Problem { place: Place::of("p.toml", text, span), sentence: "no".into(), help: Some("yes?".into()) };
        problem.to_string()
    }

    #[test]
    fn the_caret_stands_under_what_is_meant() {
        assert_eq!(shown("a = 1\nbc = 2\n", 6..8), "p.toml:2:1: no\n 2 | bc = 2\n   | ^^ yes?");
        assert_eq!(shown("a = \"é\" # x", 9..10), "p.toml:1:9: no\n 1 | a = \"é\" # x\n   |         ^ yes?");
    }

    #[test]
    fn any_range_has_a_place() {
        for (start, end) in [(0, 0), (3, 3), (5, 99), (99, 120), (2, 1)] {
            let span = Range { start, end };
            assert!(shown("a\u{1b}é\n\n", span.clone()).starts_with("p.toml:"), "{span:?}");
        }
        assert!(!shown("\u{1b}[31m = 3", 0..1).contains('\u{1b}'));
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let long = format!("a = [{}", "1, ".repeat(1000));
        let text = shown(&long, 2000..2001);
        assert!(text.lines().all(|line| line.chars().count() < 130), "{text}");
        let lines: Vec<&str> = text.lines().collect();
        let caret = lines[2].chars().position(|c| c == '^').expect("a caret");
        assert_eq!(lines[1].chars().nth(caret), long.chars().nth(2000));
    }
}
