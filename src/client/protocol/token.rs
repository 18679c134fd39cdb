//! Tokens as clients write them: a text, or a number, which is taken for its digits.

use serde::de::{Deserialize, Deserializer, Error};
use serde_json::Value;

/// A token that must be there.
pub fn required<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    match Value::deserialize(from)? {
        Value::String(text) => Ok(text),
        Value::Number(number) => Ok(number.to_string()),
        other => Err(D::Error::custom(format!("a token is a text or a number, not {other}"))),
    }
}

/// A token that may be absent or null.
pub fn optional<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    match Value::deserialize(from)? {
        Value::Null => Ok(None),
        other => required(other).map(Some).map_err(D::Error::custom),
    }
}
