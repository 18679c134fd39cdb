//! Clojure's data, as far as histories use it, with comments, discarded forms and tagged values; the tag is dropped.

use super::{Excerpt, ReadError};
use std::ops::Range;
use std::sync::Arc;

/// Forms nested deeper than this are not histories.
const DEEPEST: u32 = 64;

/// A form, the line on which it starts, and its bytes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Form {
    pub(super) line: u64,
    pub(super) bytes: Range<usize>,
    pub(super) is: Is,
}

/// What a form is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Is {
    Nil,
    Bool(bool),
    Int(i64),
    /// A string or a character; also a number that is not whole and a symbol, as they stand.
    Text(Box<str>),
    /// Without its colon.
    Keyword(Box<str>),
    /// A vector, a list or a set.
    Seq(Vec<Form>),
    Map(Vec<(Form, Form)>),
}

/// Reads form after form.
pub(super) struct Edn<'a> {
    bytes: &'a [u8],
    at: usize,
    line: u64,
    file: &'a Arc<str>,
}

impl<'a> Edn<'a> {
    pub(super) fn new(bytes: &'a [u8], file: &'a Arc<str>) -> Self {
        Edn { bytes, at: 0, line: 1, file }
    }

    /// The next form; none at the end.
    pub(super) fn form(&mut self) -> Result<Option<Form>, ReadError> {
        self.nested(0)
    }

    /// Enters a vector or list that starts here, so that its items can be read one by one; false where something else starts here.
    pub(super) fn enter(&mut self) -> bool {
        self.blank();
        let opens = matches!(self.peek(), Some(b'[' | b'('));
        self.at += usize::from(opens);
        opens
    }

    /// The next item of a vector or list that was entered; none at its end.
    pub(super) fn item(&mut self) -> Result<Option<Form>, ReadError> {
        loop {
            self.blank();
            if let Some(b']' | b')') = self.peek() {
                self.at += 1;
                return Ok(None);
            }
            if self.discarded(0)? {
                continue;
            }
            return match self.nested(1)? {
                Some(form) => Ok(Some(form)),
                None => Err(self.wrong("the file ends within a vector", "`]`")),
            };
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips blanks, commas and comments.
    fn blank(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => self.line += 1,
                b' ' | b'\t' | b'\r' | b',' | 0x0c => {}
                b';' => {
                    self.at = memchr::memchr(b'\n', &self.bytes[self.at..]).map_or(self.bytes.len(), |end| self.at + end);
                    continue;
                }
                _ => return,
            }
            self.at += 1;
        }
    }

    fn nested(&mut self, depth: u32) -> Result<Option<Form>, ReadError> {
        if depth > DEEPEST {
            return Err(self.wrong("nested too deeply", "at most 64 levels"));
        }
        while self.discarded(depth)? {}
        self.blank();
        let line = self.line;
        let Some(byte) = self.peek() else { return Ok(None) };
        let start = self.at;
        self.at += 1;
        let is = match byte {
            b'[' => Is::Seq(self.until(b']', depth)?),
            b'(' => Is::Seq(self.until(b')', depth)?),
            b'{' => Is::Map(self.pairs(depth)?),
            b'"' => Is::Text(self.string()?),
            b'#' if self.peek() == Some(b'{') => {
                self.at += 1;
                Is::Seq(self.until(b'}', depth)?)
            }
            b'#' if self.peek() == Some(b'#') => Is::Text(self.atom().into()),
            b'#' => {
                // A tag: what counts is the value that it stands before.
                self.atom();
                return self.required(depth).map(Some);
            }
            b']' | b')' | b'}' => {
                return Err(self.wrong_at(line, start..self.at, &format!("`{}` closes nothing", byte as char), "a form"));
            }
            b':' => Is::Keyword(self.atom().into()),
            b'\\' => {
                // The character itself may be one that ends an atom.
                let start = self.at;
                self.at = self.bytes.len().min(self.at + 1);
                self.atom();
                Is::Text(String::from_utf8_lossy(&self.bytes[start..self.at]).into())
            }
            _ => {
                self.at -= 1;
                plain(&self.atom())
            }
        };
        Ok(Some(Form { line, bytes: start..self.at, is }))
    }

    fn required(&mut self, depth: u32) -> Result<Form, ReadError> {
        self.nested(depth + 1)?.ok_or_else(|| self.wrong("the file ends", "a form"))
    }

    fn until(&mut self, close: u8, depth: u32) -> Result<Vec<Form>, ReadError> {
        let mut forms = Vec::new();
        loop {
            while self.discarded(depth)? {}
            if self.peek() == Some(close) {
                self.at += 1;
                return Ok(forms);
            }
            match self.nested(depth + 1)? {
                Some(form) => forms.push(form),
                None => return Err(self.wrong("the file ends within a form", &format!("`{}`", close as char))),
            }
        }
    }

    /// Skips blanks and a discarded form, which may be the last of its vector; false where none was there.
    fn discarded(&mut self, depth: u32) -> Result<bool, ReadError> {
        self.blank();
        let discards = self.bytes[self.at..].starts_with(b"#_");
        if discards {
            self.at += 2;
            self.required(depth)?;
        }
        Ok(discards)
    }

    fn pairs(&mut self, depth: u32) -> Result<Vec<(Form, Form)>, ReadError> {
        let mut forms = self.until(b'}', depth)?.into_iter();
        let mut pairs = Vec::with_capacity(forms.len() / 2);
        while let Some(key) = forms.next() {
            let Some(value) = forms.next() else { return Err(self.wrong("a map has a key without a value", "a value")) };
            pairs.push((key, value));
        }
        Ok(pairs)
    }

    fn string(&mut self) -> Result<Box<str>, ReadError> {
        let mut text = Vec::new();
        loop {
            let Some(byte) = self.peek() else { return Err(self.wrong("the file ends within a string", "`\"`")) };
            self.at += 1;
            match byte {
                b'"' => return Ok(String::from_utf8_lossy(&text).into()),
                b'\\' => {
                    let escaped = self.peek().unwrap_or(b'\\');
                    self.at = self.bytes.len().min(self.at + 1);
                    text.push(match escaped {
                        b'n' => b'\n',
                        b't' => b'\t',
                        b'r' => b'\r',
                        other => other,
                    });
                }
                other => {
                    self.line += u64::from(other == b'\n');
                    text.push(other);
                }
            }
        }
    }

    /// Everything up to the next delimiter.
    fn atom(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",;\"[](){}".contains(byte);
        let length = rest.iter().position(ends).unwrap_or(rest.len());
        self.at += length;
        String::from_utf8_lossy(&rest[..length]).into_owned()
    }

    fn wrong(&self, problem: &str, expected: &str) -> ReadError {
        self.wrong_at(self.line, self.at..self.at + 1, problem, expected)
    }

    /// What is wrong with these bytes, which begin on this line.
    pub(super) fn wrong_at(&self, line: u64, bytes: Range<usize>, problem: &str, expected: &str) -> ReadError {
        let excerpt = Some(Box::new(Excerpt::of(self.bytes, line, bytes)));
        ReadError::Line { file: self.file.clone(), line, problem: problem.into(), expected: expected.into(), excerpt }
    }
}

fn plain(text: &str) -> Is {
    match text {
        "nil" => Is::Nil,
        "true" => Is::Bool(true),
        "false" => Is::Bool(false),
        _ => text.strip_suffix('N').unwrap_or(text).parse().map_or_else(|_| Is::Text(text.into()), Is::Int),
    }
}
