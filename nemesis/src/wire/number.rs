//! The numbers of RESP's headers, which arrive byte by byte: `*3␍␊`.

/// A header's number as far as it has arrived.
#[derive(Debug, Default)]
pub(super) struct Number {
    value: i64,
    digits: u8,
    negative: bool,
    returned: bool,
}

/// What one more byte made of a [`Number`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    More,
    Done(i64),
    /// This is no number; nobody knows where the next message begins.
    Bad,
}

/// Enough for 2^53, far beyond what Redis accepts as a length.
const MOST_DIGITS: u8 = 16;

impl Number {
    pub(super) fn push(&mut self, byte: u8) -> Read {
        match byte {
            b'0'..=b'9' if !self.returned && self.digits < MOST_DIGITS => {
                self.value = self.value * 10 + i64::from(byte - b'0');
                self.digits += 1;
                Read::More
            }
            b'-' if self.digits == 0 && !self.negative => {
                self.negative = true;
                Read::More
            }
            b'\r' if self.digits > 0 && !self.returned => {
                self.returned = true;
                Read::More
            }
            b'\n' if self.returned => {
                let Number { value, negative, .. } = std::mem::take(self);
                Read::Done(if negative { -value } else { value })
            }
            _ => Read::Bad,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Read {
        let mut number = Number::default();
        text.bytes().map(|byte| number.push(byte)).find(|read| *read != Read::More).unwrap_or(Read::More)
    }

    #[test]
    fn a_number_ends_with_its_line() {
        assert_eq!(read("42\r\n"), Read::Done(42));
        assert_eq!(read("-1\r\n"), Read::Done(-1));
        assert_eq!(read("42\r"), Read::More);
    }

    #[test]
    fn anything_else_is_no_number() {
        for text in ["x", "\r", "\n", "4\n", "4\r5", "--1", "4-", "12345678901234567\r\n", "-\r\n"] {
            assert_eq!(read(text), Read::Bad, "{text:?}");
        }
    }
}
