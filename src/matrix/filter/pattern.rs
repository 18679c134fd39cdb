//! Names with `*` in them.

/// A name, or many of them: `*` stands for any piece of a name, also for none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern as it is written.
    pub fn new(text: &str) -> Pattern {
        Pattern(text.to_owned())
    }

    /// The one name that it can match; none where it can match several.
    pub fn exact(&self) -> Option<&str> {
        (!self.0.contains('*')).then_some(self.0.as_str())
    }

    /// Whether a name matches as a whole.
    pub fn matches(&self, name: &str) -> bool {
        let mut pieces = self.0.split('*');
        let first = pieces.next().unwrap_or_default();
        let Some(mut rest) = name.strip_prefix(first) else { return false };
        let mut pieces: Vec<&str> = pieces.collect();
        let Some(last) = pieces.pop() else { return rest.is_empty() };
        for piece in pieces {
            // The earliest place leaves the most for the pieces after it.
            match rest.find(piece) {
                Some(at) => rest = &rest[at + piece.len()..],
                None => return false,
            }
        }
        rest.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// By definition: a star stands for nothing, or for one character and a star.
    fn by_definition(pattern: &[u8], name: &[u8]) -> bool {
        match (pattern, name) {
            ([], []) => true,
            ([b'*', rest @ ..], _) if by_definition(rest, name) => true,
            ([b'*', ..], [_, rest @ ..]) => by_definition(pattern, rest),
            ([p, pattern @ ..], [n, name @ ..]) => p == n && by_definition(pattern, name),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn it_matches_what_its_definition_says(pattern in "[ab*]{0,7}", name in "[ab]{0,9}") {
            prop_assert_eq!(Pattern::new(&pattern).matches(&name), by_definition(pattern.as_bytes(), name.as_bytes()));
        }
    }
}
