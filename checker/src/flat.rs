//! Flat JSON objects of plain texts and whole numbers, read in one go: what almost every line of a history is.
//!
//! What is not that plain (a text with escapes, a fraction, a list, a name that stands twice, a mistake) is left to serde_json, which reads the
//! line from its beginning. So this decides nothing: it only knows sooner what is plain, and the proof that both agree is a test.

/// What stands behind a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Plain<'a> {
    Null,
    Bool(bool),
    /// A whole number that fits.
    Number(u64),
    /// A whole number below zero.
    Negative(i64),
    /// A text as it stands, without escapes.
    Text(&'a str),
}

impl<'a> Plain<'a> {
    /// A number, 0 or more.
    pub(crate) fn number(self) -> Option<u64> {
        match self {
            Plain::Number(number) => Some(number),
            _ => None,
        }
    }

    /// A whole number of either sign.
    pub(crate) fn signed(self) -> Option<i64> {
        match self {
            Plain::Number(number) => i64::try_from(number).ok(),
            Plain::Negative(number) => Some(number),
            _ => None,
        }
    }

    /// A truth value.
    pub(crate) fn truth(self) -> Option<bool> {
        match self {
            Plain::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// A text.
    pub(crate) fn text(self) -> Option<&'a str> {
        match self {
            Plain::Text(text) => Some(text),
            _ => None,
        }
    }

    /// None for a null; else what is made of it, if anything is.
    pub(crate) fn or_null<T>(self, of: impl FnOnce(Plain<'a>) -> Option<T>) -> Option<Option<T>> {
        match self {
            Plain::Null => Some(None),
            other => of(other).map(Some),
        }
    }
}

/// Hands over the fields of an object, in their order; none unless the whole line is plain and each field is understood.
pub(crate) fn fields<'a>(line: &'a str, mut field: impl FnMut(&'a [u8], Plain<'a>) -> Option<()>) -> Option<()> {
    let mut rest = Rest { line, at: 0 };
    rest.expect(b'{')?;
    loop {
        rest.expect(b'"')?;
        let name = rest.text()?;
        rest.expect(b':')?;
        field(name.as_bytes(), rest.plain()?)?;
        match rest.next_byte()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    line.as_bytes()[rest.at..].iter().all(u8::is_ascii_whitespace).then_some(())
}

/// Fills a field; none where it stands twice.
pub(crate) fn once<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

struct Rest<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Rest<'a> {
    fn bytes(&self) -> &'a [u8] {
        &self.line.as_bytes()[self.at..]
    }

    /// The next byte that is no space.
    #[inline]
    fn next_byte(&mut self) -> Option<u8> {
        loop {
            let byte = *self.line.as_bytes().get(self.at)?;
            self.at += 1;
            if byte != b' ' {
                return Some(byte);
            }
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next_byte()? == byte).then_some(())
    }

    /// The text up to the next quotation mark, which is passed.
    #[inline]
    fn text(&mut self) -> Option<&'a str> {
        let length = plain_bytes(self.bytes());
        let begin = self.at;
        self.at += length + 1;
        (self.line.as_bytes().get(begin + length) == Some(&b'"')).then(|| &self.line[begin..begin + length])
    }

    #[inline]
    fn plain(&mut self) -> Option<Plain<'a>> {
        match self.next_byte()? {
            b'"' => Some(Plain::Text(self.text()?)),
            first @ b'0'..=b'9' => Some(Plain::Number(self.number(first)?)),
            b'-' => {
                let first = self.bytes().first().copied().filter(u8::is_ascii_digit)?;
                self.at += 1;
                let number = i64::try_from(self.number(first)?).ok().filter(|number| *number > 0)?;
                Some(Plain::Negative(-number))
            }
            b't' => self.word(b"rue", Plain::Bool(true)),
            b'f' => self.word(b"alse", Plain::Bool(false)),
            b'n' => self.word(b"ull", Plain::Null),
            _ => None,
        }
    }

    fn word(&mut self, rest: &[u8], means: Plain<'a>) -> Option<Plain<'a>> {
        let is_it = self.bytes().starts_with(rest);
        self.at += rest.len();
        is_it.then_some(means)
    }

    /// A number that begins with this digit. One of 19 digits fits for certain; longer ones are not plain.
    #[inline]
    fn number(&mut self, first: u8) -> Option<u64> {
        let mut number = u64::from(first - b'0');
        let mut digits = 1;
        for digit in self.bytes().iter().map(|byte| byte.wrapping_sub(b'0')).take_while(|digit| *digit < 10) {
            digits += 1;
            if digits > 19 {
                return None;
            }
            number = number * 10 + u64::from(digit);
        }
        self.at += digits - 1;
        (first != b'0' || digits == 1).then_some(number)
    }
}

/// How many bytes there are before the first that is a quotation mark, a backslash or a control character: eight at a time.
#[inline]
fn plain_bytes(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::from_le_bytes([0x01; 8]);
    const HIGH: u64 = u64::from_le_bytes([0x80; 8]);
    // The lowest mark is right; a borrow can make wrong ones above it only.
    let zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let mut passed = 0;
    let (eights, rest) = bytes.as_chunks::<8>();
    for eight in eights {
        let word = u64::from_le_bytes(*eight);
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let marks = zero(word ^ (ONES * u64::from(b'"'))) | zero(word ^ (ONES * u64::from(b'\\'))) | control;
        if marks != 0 {
            return passed + marks.trailing_zeros() as usize / 8;
        }
        passed += 8;
    }
    passed + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20)).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Vec<(String, String)>> {
        let mut all = Vec::new();
        fields(line, |name, plain| {
            all.push((String::from_utf8_lossy(name).into_owned(), format!("{plain:?}")));
            Some(())
        })?;
        Some(all)
    }

    #[test]
    fn what_is_plain() {
        let line = r#" { "a":1, "b" : -7,"c":"ü","d":true,"e":false,"f":null,"":9999999999999999999} "#;
        let values: Vec<String> = read(line).unwrap().into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        let expected = [
            "a=Number(1)",
            "b=Negative(-7)",
            "c=Text(\"ü\")",
            "d=Bool(true)",
            "e=Bool(false)",
            "f=Null",
            "=Number(9999999999999999999)",
        ];
        assert_eq!(values, expected);
    }

    #[test]
    fn a_text_ends_where_it_ends() {
        for length in 0..40 {
            for end in 0..=127u8 {
                for filler in ["x", "\u{7f}", " ", "é"] {
                    let text = filler.repeat(length);
                    let ends = matches!(end, b'"' | b'\\' | ..0x20);
                    let bytes = [text.as_bytes(), &[end], b"padding\""].concat();
                    assert_eq!(plain_bytes(&bytes), if ends { text.len() } else { text.len() + 8 }, "{text:?} {end}");
                }
            }
        }
    }

    #[test]
    fn what_is_not() {
        for line in [
            "",
            "{",
            "{}",
            "[]",
            r#"{"a"}"#,
            r#"{"a":}"#,
            r#"{"a":1"#,
            r#"{"a":1,}"#,
            r#"{"a":1}x"#,
            r#"{"a":01}"#,
            r#"{"a":-0}"#,
            r#"{"a":1.0}"#,
            r#"{"a":1e3}"#,
            r#"{"a":-}"#,
            r#"{"a":-x}"#,
            r#"{"a":10000000000000000000}"#,
            r#"{"a":"\n"}"#,
            r#"{"a":[]}"#,
            r#"{"a":{}}"#,
            r#"{"a":tru}"#,
            r#"{"a":nul}"#,
            r#"{a:1}"#,
            "{\"a\":\"\t\"}",
            r#"{"a":"b}"#,
            r#"{"a" 1}"#,
            r#"{"a":- 1}"#,
            r#"{"a":99999999999999999999999}"#,
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
