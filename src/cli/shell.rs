//! Words as a shell reads them, for commands that can be copied from a report.

/// A word as a shell reads it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_break_them() {
        assert_eq!(quoted("runs/a-b.toml"), "runs/a-b.toml");
        assert_eq!(quoted("it's mine"), r"'it'\''s mine'");
        assert_eq!(quoted(""), "''");
    }
}
