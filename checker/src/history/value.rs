//! Values that registers hold.

use crate::flat::Plain;
use serde::de::{self, Deserialize, Deserializer, SeqAccess, Unexpected, Visitor};
use serde::ser::{Serialize, Serializer};
use std::fmt;

/// A value of a register, as JSON shows it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Value {
    /// Never written.
    #[default]
    Nil,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A text.
    Text(Box<str>),
    /// Several values, such as the pair of a compare-and-set.
    List(Vec<Value>),
}

impl Value {
    /// The value of what was read as plain; none of a number that does not fit.
    pub(crate) fn plain(plain: Plain<'_>) -> Option<Value> {
        Some(match plain {
            Plain::Null => Value::Nil,
            Plain::Bool(truth) => Value::Bool(truth),
            Plain::Number(number) => Value::Int(i64::try_from(number).ok()?),
            Plain::Negative(number) => Value::Int(number),
            Plain::Text(text) => Value::Text(text.into()),
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Nil => f.write_str("nil"),
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(n) => write!(f, "{n}"),
            Value::Text(t) => f.write_str(t),
            Value::List(list) => {
                f.write_str("[")?;
                for (i, value) in list.iter().enumerate() {
                    write!(f, "{}{value}", if i > 0 { " " } else { "" })?;
                }
                f.write_str("]")
            }
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::Nil => serializer.serialize_unit(),
            Value::Bool(b) => serializer.serialize_bool(*b),
            Value::Int(n) => serializer.serialize_i64(*n),
            Value::Text(t) => serializer.serialize_str(t),
            Value::List(list) => serializer.collect_seq(list),
        }
    }
}

// By hand, because a derived untagged enum first copies what it reads, and then cannot say what it expected.
impl<'de> Deserialize<'de> for Value {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyValue)
    }
}

struct AnyValue;

impl<'de> Visitor<'de> for AnyValue {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("null, true, false, a whole number of 64 bits, a text or a list of these")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_bool<E: de::Error>(self, b: bool) -> Result<Value, E> {
        Ok(Value::Bool(b))
    }

    fn visit_i64<E: de::Error>(self, n: i64) -> Result<Value, E> {
        Ok(Value::Int(n))
    }

    fn visit_u64<E: de::Error>(self, n: u64) -> Result<Value, E> {
        i64::try_from(n).map(Value::Int).map_err(|_| E::invalid_value(Unexpected::Unsigned(n), &self))
    }

    fn visit_str<E: de::Error>(self, t: &str) -> Result<Value, E> {
        Ok(Value::Text(t.into()))
    }

    fn visit_string<E: de::Error>(self, t: String) -> Result<Value, E> {
        Ok(Value::Text(t.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element()? {
            list.push(value);
        }
        Ok(Value::List(list))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_what_json_shows() {
        for (json, value) in [
            ("null", Value::Nil),
            ("true", Value::Bool(true)),
            ("-9223372036854775808", Value::Int(i64::MIN)),
            ("9223372036854775807", Value::Int(i64::MAX)),
            (r#""a\n""#, Value::Text("a\n".into())),
            (r#"[1,[null,"x"],[]]"#, {
                let inner = Value::List(vec![Value::Nil, Value::Text("x".into())]);
                Value::List(vec![Value::Int(1), inner, Value::List(vec![])])
            }),
        ] {
            assert_eq!(serde_json::from_str::<Value>(json).unwrap(), value);
            assert_eq!(serde_json::to_string(&value).unwrap(), json);
        }
    }

    #[test]
    fn what_is_no_value_is_refused_with_what_was_expected() {
        let expected = "expected null, true, false, a whole number of 64 bits, a text or a list of these";
        for (json, given) in [
            ("1.5", "invalid type: floating point `1.5`"),
            ("1e3", "invalid type: floating point `1000.0`"),
            ("9223372036854775808", "invalid value: integer `9223372036854775808`"),
            ("{}", "invalid type: map"),
            ("[[{}]]", "invalid type: map"),
        ] {
            let error = serde_json::from_str::<Value>(json).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{given}, {expected}")), "{error}");
        }
        assert!(serde_json::from_str::<Value>(&"[".repeat(100_000)).is_err());
    }
}
