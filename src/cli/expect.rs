//! `--expect safe` and `--expect stale-holder,stale-write`.

use crate::plan::Expectation;
use crate::suggest::advice;
use checker::finding::Kind;
use serde::Deserialize;
use serde::de::IntoDeserializer;
use serde::de::value::{Error, StrDeserializer};

/// Reads an expectation from the command line.
///
/// # Errors
/// A kind does not exist; says which was most likely meant.
pub fn expectation(text: &str) -> Result<Expectation, String> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    match words.as_slice() {
        ["safe"] => return Ok(Expectation::default()),
        [""] => return Err("say `safe`, or kinds of finding with commas between, such as `stale-holder,stale-write`".into()),
        words if words.contains(&"safe") => {
            return Err("`safe` stands alone, since it is that nothing is found: leave it out, or leave the kinds out".into());
        }
        _ => {}
    }
    let find = words.into_iter().map(kind).collect::<Result<Vec<Kind>, String>>()?;
    Ok(Expectation { find, ..Expectation::default() })
}

/// Writes it as [`expectation`] reads it.
pub fn written(expected: &Expectation) -> String {
    match expected.find.as_slice() {
        [] => "safe".into(),
        kinds => kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(","),
    }
}

fn kind(name: &str) -> Result<Kind, String> {
    let de: StrDeserializer<'_, Error> = name.into_deserializer();
    if name.is_empty() {
        return Err("there is a comma too many".into());
    }
    Kind::deserialize(de).map_err(|error| {
        let message = error.to_string();
        let known = message.split('`').skip(3).step_by(2).chain(["safe"]);
        format!("no finding is named `{name}`: {}", advice(name, known))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        for text in ["safe", "stale-write", "two-holders,stuck"] {
            assert_eq!(expectation(text).map(|expected| written(&expected)), Ok(text.into()));
        }
    }

    #[test]
    fn a_misspelt_kind_is_recognised() {
        assert_eq!(expectation("stale-wrote"), Err("no finding is named `stale-wrote`: did you mean `stale-write`?".into()));
        assert_eq!(expectation("sfae"), Err("no finding is named `sfae`: did you mean `safe`?".into()));
        let refused = |text: &str| expectation(text).expect_err(text);
        assert!(refused("").starts_with("say `safe`"));
        assert!(refused("safe,stuck").starts_with("`safe` stands alone"));
        assert_eq!(refused("stuck,"), "there is a comma too many");
    }
}
