//! How a report may look: width, characters, colour.

use std::fmt::Write as _;

/// How a report may look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// The most columns.
    pub width: usize,
    /// Which characters.
    pub charset: Charset,
    /// Whether colours are used.
    pub colour: Colour,
}

/// The fewest columns on which a diagram can be read.
pub const NARROWEST: usize = 60;

/// The columns that a report takes where nothing else is asked for.
pub const USUAL: usize = 100;

impl Default for Look {
    fn default() -> Self {
        Look { width: USUAL, charset: Charset::Unicode, colour: Colour::Off }
    }
}

/// Which characters a terminal can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charset {
    /// All of them.
    Unicode,
    /// The first 127.
    Ascii,
}

/// Whether a report is coloured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// With ANSI escapes.
    On,
    /// Plain.
    Off,
}

/// What a piece of a report stands for, which decides its colour.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Paint {
    /// Ordinary text.
    #[default]
    Plain,
    /// Of less weight: axes, legends, evidence.
    Dim,
    /// Of more weight.
    Bold,
    /// A lease that runs.
    Lease,
    /// A pause.
    Pause,
    /// The nemesis.
    Fault,
    /// Harm done.
    Harm,
    /// Harm prevented, or all well.
    Guard,
}

impl Paint {
    fn code(self) -> &'static str {
        match self {
            Paint::Plain => "",
            Paint::Dim => "2",
            Paint::Bold => "1",
            Paint::Lease => "36",
            Paint::Pause => "33",
            Paint::Fault => "35",
            Paint::Harm => "1;31",
            Paint::Guard => "32",
        }
    }
}

impl Look {
    /// A piece of text in its colour.
    pub fn paint(self, paint: Paint, text: &str) -> String {
        let mut out = String::new();
        self.push(&mut out, paint, text);
        out
    }

    /// Appends a piece of text in its colour.
    pub fn push(self, out: &mut String, paint: Paint, text: &str) {
        match (self.colour, paint.code()) {
            (Colour::Off, _) | (_, "") => out.push_str(text),
            (Colour::On, code) => write!(out, "\u{1b}[{code}m{text}\u{1b}[0m").expect("a string takes everything"),
        }
    }

    /// A character, or what stands for it where only ASCII can be shown.
    pub fn glyph(self, unicode: char, ascii: char) -> char {
        match self.charset {
            Charset::Unicode => unicode,
            Charset::Ascii => ascii,
        }
    }

    /// Prose as the terminal can show it, on one line.
    pub fn prose(self, text: &str) -> String {
        let plain = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
        match self.charset {
            Charset::Unicode => plain.collect(),
            Charset::Ascii => plain.flat_map(ascii).collect(),
        }
    }

    /// Breaks prose into lines that fit, each after the first behind `indent` spaces.
    pub fn wrap(self, text: &str, indent: usize) -> String {
        let mut out = String::new();
        let mut column = indent;
        for word in text.split_whitespace().map(|word| self.prose(word)) {
            let length = word.chars().count();
            if column > indent && column + 1 + length > self.width {
                out.push('\n');
                out.extend(std::iter::repeat_n(' ', indent));
                column = indent;
            } else if column > indent {
                out.push(' ');
                column += 1;
            }
            out.push_str(&word);
            column += length;
        }
        out
    }
}

/// What stands for a character where only ASCII can be shown.
fn ascii(c: char) -> impl Iterator<Item = char> {
    let unknown = if c.is_ascii() { c } else { '?' };
    let text = match c {
        '…' => "...",
        '–' | '—' | '−' => "-",
        '“' | '”' => "\"",
        '‘' | '’' => "'",
        '×' => "x",
        'µ' | 'μ' => "u",
        _ => "",
    };
    text.chars().chain(text.is_empty().then_some(unknown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_wrapped_and_gives_a_terminal_no_orders() {
        let look = Look { width: 12, ..Look::default() };
        assert_eq!(look.wrap("one two three four", 2), "one two\n  three four");
        assert_eq!(look.prose("a\u{1b}[2J\nb"), "a\u{fffd}[2J\u{fffd}b");
        assert_eq!(Look { charset: Charset::Ascii, ..look }.prose("“a” é…"), "\"a\" ?...");
    }

    #[test]
    fn colour_is_only_there_when_wanted() {
        assert_eq!(Look::default().paint(Paint::Harm, "x"), "x");
        assert_eq!(Look { colour: Colour::On, ..Look::default() }.paint(Paint::Harm, "x"), "\u{1b}[1;31mx\u{1b}[0m");
    }
}
