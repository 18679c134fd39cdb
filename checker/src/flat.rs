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
pub(crate) fn fields<'a>(line: &'a [u8], mut field: impl FnMut(&'a [u8], Plain<'a>) -> Option<()>) -> Option<()> {
    let mut rest = Rest { bytes: line };
    rest.expect(b'{')?;
    loop {
        rest.expect(b'"')?;
        let name = rest.text()?;
        rest.expect(b':')?;
        field(name, rest.plain()?)?;
        match rest.next_byte()? {
            b',' => {}
            b'}' => break,
            _ => return None,
        }
    }
    rest.bytes.iter().all(u8::is_ascii_whitespace).then_some(())
}

/// Fills a field; none where it stands twice.
pub(crate) fn once<T>(field: &mut Option<T>, value: T) -> Option<()> {
    field.replace(value).is_none().then_some(())
}

struct Rest<'a> {
    bytes: &'a [u8],
}

impl<'a> Rest<'a> {
    /// The next byte that is no space.
    fn next_byte(&mut self) -> Option<u8> {
        loop {
            let (first, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            if *first != b' ' {
                return Some(*first);
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        (self.next_byte()? == byte).then_some(())
    }

    /// The bytes up to the next quotation mark, which is passed.
    fn text(&mut self) -> Option<&'a [u8]> {
        let end = self.bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..0x20))?;
        let (text, rest) = self.bytes.split_at(end);
        self.bytes = rest.strip_prefix(b"\"")?;
        Some(text)
    }

    fn plain(&mut self) -> Option<Plain<'a>> {
        match self.next_byte()? {
            b'"' => Some(Plain::Text(std::str::from_utf8(self.text()?).ok()?)),
            first @ b'0'..=b'9' => Some(Plain::Number(self.number(first)?)),
            b'-' => {
                let first = self.next_digit()?;
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
        self.bytes = self.bytes.strip_prefix(rest)?;
        Some(means)
    }

    fn next_digit(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        first.is_ascii_digit().then_some(*first)
    }

    /// A number that begins with this digit. One of 19 digits fits for certain; longer ones are not plain.
    fn number(&mut self, first: u8) -> Option<u64> {
        let mut number = u64::from(first - b'0');
        let mut digits = 0;
        while let Some(digit) = self.bytes.get(digits).map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            digits += 1;
            if digits > 18 {
                return None;
            }
            number = number * 10 + u64::from(digit);
        }
        self.bytes = &self.bytes[digits..];
        (first != b'0' || digits == 0).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Option<Vec<(String, String)>> {
        let mut all = Vec::new();
        fields(line.as_bytes(), |name, plain| {
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
        assert_eq!(fields(b"{\"a\":\"\xff\"}", |_, _| Some(())), None);
    }
}
