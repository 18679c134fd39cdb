//! The lines that a client prints.

use super::{Answer, Told, Unasked, token};
use checker::Nanos;
use checker::history::Value;
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};

/// A line that a client prints.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// It can be asked now; with its name.
    Ready(String),
    /// It cannot do its work here; with the reason.
    Impossible(String),
    /// Something that nobody asked for.
    Unasked(Unasked),
    /// Its wall clock after a jump, in milliseconds since 1970.
    Clock {
        /// Of the request.
        id: u64,
        /// The time by its wall clock.
        wall_ms: i64,
    },
    /// The answer to the ask of this id.
    Answer(u64, Answer),
}

/// A line as JSON has it. Unknown fields are refused: a misspelt `valid_for_ms` would otherwise be a promise unheard.
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Line {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<Unknown>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "token::optional")]
    token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fence: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_for_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_until: Option<Nanos>,
    #[serde(skip_serializing_if = "Option::is_none")]
    told_at: Option<Nanos>,
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "even_null")]
    value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fenced_by: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wall_ms: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ready: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    impossible: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extending: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    extended: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    lock: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ttl_ms: Option<u64>,
}

/// Why an outcome is unknown, where the client says why: `"unknown":"timeout"` or `"unknown":true`.
#[derive(Serialize)]
#[serde(untagged)]
enum Unknown {
    Because(String),
    Unexplained(bool),
}

impl<'de> Deserialize<'de> for Unknown {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        match serde_json::Value::deserialize(from)? {
            serde_json::Value::String(why) => Ok(Unknown::Because(why)),
            serde_json::Value::Bool(true) => Ok(Unknown::Unexplained(true)),
            other => Err(D::Error::custom(format!("`unknown` says why in a text, or is true, not {other}"))),
        }
    }
}

/// A value that is there, even if it is null: a register that was never written.
fn even_null<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(from).map(Some)
}

impl Said {
    /// The line, without its newline. A client that is [`Answer::Gone`] says nothing; on a line it is unknown.
    pub fn to_line(&self) -> String {
        let bare = Line::default();
        let line = match self.clone() {
            Said::Ready(name) => Line { ready: Some(name), ..bare },
            Said::Impossible(why) => Line { impossible: Some(why), ..bare },
            Said::Unasked(Unasked::Lost(lock)) => Line { lost: Some(lock), ..bare },
            Said::Unasked(Unasked::Extending { number, lock, ttl_ms }) => {
                Line { extending: Some(number), lock: Some(lock), ttl_ms: Some(ttl_ms), ..bare }
            }
            Said::Unasked(Unasked::Extended { number, answer }) => Line { extended: Some(number), ..Line::of(answer) },
            Said::Clock { id, wall_ms } => Line { id: Some(id), ok: Some(true), wall_ms: Some(wall_ms), ..bare },
            Said::Answer(id, answer) => Line { id: Some(id), ..Line::of(answer) },
        };
        serde_json::to_string(&line).expect("texts and numbers always have a JSON")
    }

    /// Reads a line.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn from_line(line: &str) -> Result<Self, String> {
        let line: Line = serde_json::from_str(line).map_err(|error| format!("not an answer: {error}"))?;
        match line {
            Line { ready: Some(name), .. } => Ok(Said::Ready(name)),
            Line { impossible: Some(why), .. } => Ok(Said::Impossible(why)),
            Line { lost: Some(lock), .. } => Ok(Said::Unasked(Unasked::Lost(lock))),
            Line { extending: Some(number), lock: Some(lock), ttl_ms: Some(ttl_ms), .. } => {
                Ok(Said::Unasked(Unasked::Extending { number, lock, ttl_ms }))
            }
            Line { extending: Some(_), .. } => Err("a renewal that begins has a `lock` and a `ttl_ms`".into()),
            Line { extended: Some(number), .. } => Ok(Said::Unasked(Unasked::Extended { number, answer: line.answer()? })),
            Line { id: Some(id), wall_ms: Some(wall_ms), ok: Some(true), .. } => Ok(Said::Clock { id, wall_ms }),
            Line { id: None, .. } => Err("an answer repeats the `id` of what was asked".into()),
            Line { id: Some(id), .. } => Ok(Said::Answer(id, line.answer()?)),
        }
    }
}

impl Line {
    /// An answer, of which is not said to what.
    fn of(answer: Answer) -> Self {
        match answer {
            Answer::Ok(told) => Line { ok: Some(true), ..Line::telling(told) },
            Answer::No(told) => Line { ok: Some(false), ..Line::telling(told) },
            Answer::Unknown(mut told) => {
                let unknown = told.why.take().map_or(Unknown::Unexplained(true), Unknown::Because);
                Line { unknown: Some(unknown), ..Line::telling(told) }
            }
            Answer::Gone => Line { unknown: Some(Unknown::Because("the client is gone".into())), ..Line::default() },
        }
    }

    fn answer(mut self) -> Result<Answer, String> {
        let (ok, unknown) = (self.ok, self.unknown.take());
        let told = self.told();
        match (ok, unknown) {
            (Some(true), None) => Ok(Answer::Ok(told)),
            (Some(false), None) => Ok(Answer::No(told)),
            (None, Some(Unknown::Because(why))) => Ok(Answer::Unknown(Told { why: Some(why), ..told })),
            (None, Some(Unknown::Unexplained(_))) => Ok(Answer::Unknown(told)),
            (Some(_), Some(_)) => Err("an answer is `ok` or `unknown`, not both".into()),
            (None, None) => Err("an answer says `\"ok\":true`, `\"ok\":false` or `\"unknown\":\"why\"`".into()),
        }
    }

    fn telling(told: Told) -> Self {
        let Told { token, fence, valid_for_ms, valid_until, told_at, value, fenced_by, why, error } = told;
        Line { token, fence, valid_for_ms, valid_until, told_at, value, fenced_by, why, error, ..Line::default() }
    }

    fn told(self) -> Told {
        let Line { token, fence, valid_for_ms, valid_until, told_at, value, fenced_by, why, error, .. } = self;
        Told { token, fence, valid_for_ms, valid_until, told_at, value, fenced_by, why, error }
    }
}

impl Answer {
    /// The line that answers the ask of this id, without its newline; see [`Said::to_line`].
    pub fn to_line(&self, id: u64) -> String {
        Said::Answer(id, self.clone()).to_line()
    }

    /// Reads a line that answers an ask.
    ///
    /// # Errors
    /// In words, what is wrong with it.
    pub fn from_line(line: &str) -> Result<(u64, Answer), String> {
        match Said::from_line(line)? {
            Said::Answer(id, answer) => Ok((id, answer)),
            _ => Err("not an answer to an ask".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn told() -> impl Strategy<Value = Told> {
        let value = prop_oneof![Just(Value::Nil), any::<bool>().prop_map(Value::Bool), any::<i64>().prop_map(Value::Int)];
        let text = proptest::option::of(".*");
        let validity = (any::<Option<i64>>(), any::<Option<u64>>(), any::<Option<u64>>());
        let words = (text.clone(), text.clone());
        (text, any::<Option<u64>>(), validity, proptest::option::of(value), any::<Option<u64>>(), words).prop_map(
            |(token, fence, (valid_for_ms, valid_until, told_at), value, fenced_by, (why, error))| Told {
                token,
                fence,
                valid_for_ms,
                valid_until,
                told_at,
                value,
                fenced_by,
                why,
                error,
            },
        )
    }

    fn said() -> impl Strategy<Value = Said> {
        let answer = prop_oneof![told().prop_map(Answer::Ok), told().prop_map(Answer::No), told().prop_map(Answer::Unknown),];
        prop_oneof![
            ".*".prop_map(Said::Ready),
            ".*".prop_map(Said::Impossible),
            ".*".prop_map(|lock| Said::Unasked(Unasked::Lost(lock))),
            (any::<u64>(), ".*", any::<u64>()).prop_map(|(number, lock, ttl_ms)| Said::Unasked(Unasked::Extending {
                number,
                lock,
                ttl_ms
            })),
            (any::<u64>(), answer.clone()).prop_map(|(number, answer)| Said::Unasked(Unasked::Extended { number, answer })),
            (any::<u64>(), any::<i64>()).prop_map(|(id, wall_ms)| Said::Clock { id, wall_ms }),
            (any::<u64>(), answer).prop_map(|(id, answer)| Said::Answer(id, answer)),
        ]
    }

    proptest! {
        #[test]
        fn what_is_said_survives_its_line(said in said()) {
            let line = said.to_line();
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(Said::from_line(&line), Ok(said));
        }

        #[test]
        fn no_line_panics(line in ".*") {
            let _ = Said::from_line(&line);
        }
    }

    #[test]
    fn the_lines_are_those_that_the_protocol_shows() {
        let granted = Told { token: Some("33".into()), valid_for_ms: Some(489), ..Told::default() };
        let line = r#"{"id":7,"ok":true,"token":"33","valid_for_ms":489}"#;
        assert_eq!(Answer::Ok(granted.clone()).to_line(7), line);
        assert_eq!(Answer::from_line(line), Ok((7, Answer::Ok(granted))));
        assert_eq!(Answer::from_line(r#"{"id":7,"ok":false}"#), Ok((7, Answer::No(Told::default()))));
        let late = Told { why: Some("timeout".into()), ..Told::default() };
        assert_eq!(Answer::from_line(r#"{"id":7,"unknown":"timeout"}"#), Ok((7, Answer::Unknown(late))));
        assert_eq!(Said::from_line(r#"{"lost":"order:42"}"#), Ok(Said::Unasked(Unasked::Lost("order:42".into()))));
        let begun = Unasked::Extending { number: 1, lock: "order:42".into(), ttl_ms: 500 };
        assert_eq!(Said::from_line(r#"{"extending":1,"lock":"order:42","ttl_ms":500}"#), Ok(Said::Unasked(begun)));
        let refused = Unasked::Extended { number: 1, answer: Answer::No(Told::default()) };
        assert_eq!(Said::from_line(r#"{"extended":1,"ok":false}"#), Ok(Said::Unasked(refused)));
    }

    #[test]
    fn a_number_is_a_token_too() {
        let (_, answer) = Answer::from_line(r#"{"id":1,"ok":true,"token":33}"#).unwrap();
        assert_eq!(answer, Answer::Ok(Told { token: Some("33".into()), ..Told::default() }));
    }

    #[test]
    fn a_register_never_written_is_not_a_register_not_mentioned() {
        let (_, answer) = Answer::from_line(r#"{"id":1,"ok":true,"value":null}"#).unwrap();
        assert_eq!(answer, Answer::Ok(Told { value: Some(Value::Nil), ..Told::default() }));
    }

    #[test]
    fn a_wrong_line_is_refused_in_words() {
        let refused = |line| Said::from_line(line).unwrap_err();
        assert!(refused(r#"{"id":1,"ok":true,"valid_ms":5}"#).contains("`valid_ms`"));
        assert!(refused(r#"{"id":1}"#).contains("\"ok\":true"));
        assert!(refused(r#"{"extended":1}"#).contains("\"ok\":true"));
        assert!(refused(r#"{"extending":1,"lock":"order:42"}"#).contains("`ttl_ms`"));
        assert!(refused(r#"{"id":1,"ok":true,"unknown":"x"}"#).contains("not both"));
        assert!(refused(r#"{"ok":true}"#).contains("`id`"));
        assert!(refused(r#"{"id":1,"ok":true,"token":[1]}"#).contains("a token is"));
        assert!(refused(r#"{"id":1,"unknown":false}"#).contains("`unknown`"));
    }
}
