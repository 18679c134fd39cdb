//! Any JSON as a value.

use crate::flat::Plain;
use crate::history::Value;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::fmt;

/// Any JSON as a [`Value`]: what a register can hold as it is; other numbers and objects as texts that are equal where they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json(pub Value);

impl Json {
    /// The same of what was read as plain; none of a number that serde_json reads in another way.
    pub(crate) fn plain(plain: Plain<'_>) -> Option<Json> {
        Value::plain(plain).map(Json)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyJson).map(Json)
    }
}

struct AnyJson;

impl<'de> Visitor<'de> for AnyJson {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Nil)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(i64::try_from(value).map_or_else(|_| Value::Text(value.to_string().into()), Value::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::Text(value.to_string().into()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Json(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some((name, Json(value))) = fields.next_entry::<String, Json>()? {
            pairs.push((name, value));
        }
        pairs.sort();
        let shown: Vec<String> = pairs.iter().map(|(name, value)| format!("{name:?}: {value:?}")).collect();
        Ok(Value::Text(format!("{{{}}}", shown.join(", ")).into()))
    }
}
