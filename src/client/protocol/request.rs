//! The lines that a client reads.

use super::Ask;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A line that a client reads.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// Do something; asks are done one after another.
    Ask(Ask),
    /// Shift the client's wall clock by this much from where it is; done at once, even while an ask is pending.
    Clock {
        /// Repeated in the answer.
        id: u64,
        /// By how many milliseconds; negative is back.
        jump_ms: i64,
    },
}

/// What is done to a client, not by it.
#[derive(Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
enum Control {
    Clock { jump_ms: i64 },
}

/// A line as it is written: `id` first.
#[derive(Serialize)]
struct Line<'a, T> {
    id: u64,
    #[serde(flatten)]
    what: &'a T,
}

impl Request {
    /// The line, without its newline.
    pub fn to_line(&self) -> String {
        match self {
            Request::Ask(ask) => ask.to_line(),
            Request::Clock { id, jump_ms } => line(*id, &Control::Clock { jump_ms: *jump_ms }),
        }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn from_line(line: &str) -> Result<Self, String> {
        let mut fields: Map<String, Value> = serde_json::from_str(line).map_err(|error| format!("not a request: {error}"))?;
        let id = fields.remove("id").ok_or("a request has an `id`")?;
        let id = id.as_u64().ok_or_else(|| format!("`id` is a whole number, not {id}"))?;
        Ok(match fields.get("do").and_then(Value::as_str) {
            Some("clock") => {
                let Control::Clock { jump_ms } = read(fields)?;
                Request::Clock { id, jump_ms }
            }
            _ => Request::Ask(Ask { id, what: read(fields)? }),
        })
    }
}

impl Ask {
    /// The line that asks this, without its newline.
    pub fn to_line(&self) -> String {
        line(self.id, &self.what)
    }

    /// Reads a line that asks something of a session.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn from_line(line: &str) -> Result<Self, String> {
        match Request::from_line(line)? {
            Request::Ask(ask) => Ok(ask),
            Request::Clock { .. } => Err("`clock` is not for a session to do".into()),
        }
    }
}

fn line(id: u64, what: &impl Serialize) -> String {
    serde_json::to_string(&Line { id, what }).expect("texts and numbers always have a JSON")
}

fn read<T: DeserializeOwned>(fields: Map<String, Value>) -> Result<T, String> {
    serde_json::from_value(Value::Object(fields)).map_err(|error| format!("not a request: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Do;
    use proptest::prelude::*;

    fn request() -> impl Strategy<Value = Request> {
        let text = ".*";
        let what = prop_oneof![
            (text, any::<u64>()).prop_map(|(lock, ttl_ms)| Do::Acquire { lock, ttl_ms }),
            (text, text, any::<u64>()).prop_map(|(lock, token, ttl_ms)| Do::Extend { lock, token, ttl_ms }),
            (text, text).prop_map(|(lock, token)| Do::Release { lock, token }),
            (text, text).prop_map(|(lock, token)| Do::Check { lock, token }),
            (text, any::<u64>()).prop_map(|(lock, for_ms)| Do::Await { lock, for_ms }),
            text.prop_map(|resource| Do::Read { resource }),
            (text, any::<i64>(), any::<Option<u64>>()).prop_map(|(resource, value, fence)| Do::Write { resource, value, fence }),
        ];
        prop_oneof![
            (any::<u64>(), what).prop_map(|(id, what)| Request::Ask(Ask { id, what })),
            (any::<u64>(), any::<i64>()).prop_map(|(id, jump_ms)| Request::Clock { id, jump_ms }),
        ]
    }

    proptest! {
        #[test]
        fn a_request_survives_its_line(request in request()) {
            let line = request.to_line();
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(Request::from_line(&line), Ok(request));
        }

        #[test]
        fn no_line_panics(line in ".*") {
            let _ = Request::from_line(&line);
        }
    }

    #[test]
    fn the_line_is_the_one_that_the_protocol_shows() {
        let ask = Ask { id: 7, what: Do::Acquire { lock: "order:42".into(), ttl_ms: 500 } };
        assert_eq!(ask.to_line(), r#"{"id":7,"do":"acquire","lock":"order:42","ttl_ms":500}"#);
        let clock = Request::Clock { id: 9, jump_ms: 10_000 };
        assert_eq!(clock.to_line(), r#"{"id":9,"do":"clock","jump_ms":10000}"#);
    }

    #[test]
    fn a_wrong_line_is_refused_in_words() {
        let refused = |line| Request::from_line(line).unwrap_err();
        assert_eq!(refused(r#"{"do":"read","resource":"r"}"#), "a request has an `id`");
        assert_eq!(refused(r#"{"id":"x","do":"read","resource":"r"}"#), "`id` is a whole number, not \"x\"");
        assert!(refused(r#"{"id":1,"do":"acquire","lock":"l","ttl":5}"#).contains("`ttl`"));
        assert!(refused(r#"{"id":1,"do":"aquire","lock":"l"}"#).contains("unknown variant `aquire`"));
        assert!(refused("[1]").starts_with("not a request"));
    }
}
