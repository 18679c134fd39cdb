//! Glob patterns, as KEYS and CONFIG GET read them.

/// Whether a text matches a pattern of `*`, `?`, `[a-z]`, `[^x]` and `\` (Redis's `stringmatchlen`).
pub(super) fn matches(pattern: &[u8], text: &[u8]) -> bool {
    match pattern {
        [] => text.is_empty(),
        [b'*', rest @ ..] => (0..=text.len()).any(|skip| matches(rest, &text[skip..])),
        [b'?', rest @ ..] => !text.is_empty() && matches(rest, &text[1..]),
        [b'[', class @ ..] if !text.is_empty() => {
            let (is_in, rest) = in_class(class, text[0]);
            is_in && matches(rest, &text[1..])
        }
        [b'\\', literal, rest @ ..] | [literal, rest @ ..] => text.first() == Some(literal) && matches(rest, &text[1..]),
    }
}

/// Whether a byte is in a class such as `a-c]`, and the pattern after it. A class that is not closed ends with the pattern.
fn in_class(class: &[u8], byte: u8) -> (bool, &[u8]) {
    let (negated, mut class) = match class {
        [b'^', class @ ..] => (true, class),
        class => (false, class),
    };
    let mut found = false;
    loop {
        class = match class {
            [] => return (found != negated, class),
            [b']', rest @ ..] => return (found != negated, rest),
            [b'\\', literal, rest @ ..] => {
                found |= *literal == byte;
                rest
            }
            [low, b'-', high, rest @ ..] => {
                found |= (*low.min(high)..=*low.max(high)).contains(&byte);
                rest
            }
            [literal, rest @ ..] => {
                found |= *literal == byte;
                rest
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs() {
        for (pattern, text) in
            [("*", ""), ("l*k", "lock"), ("l?ck", "lock"), ("l[a-p]ck", "lock"), ("l[^a]ck", "lock"), ("\\*", "*")]
        {
            assert!(matches(pattern.as_bytes(), text.as_bytes()), "{pattern} {text}");
        }
        for (pattern, text) in [("", "a"), ("l?k", "lock"), ("l[^o]ck", "lock"), ("[a]", ""), ("\\*", "a")] {
            assert!(!matches(pattern.as_bytes(), text.as_bytes()), "{pattern} {text}");
        }
    }
}
