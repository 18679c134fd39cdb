//! What a server answers, before it is put into words for a client library.

use std::borrow::Cow;

/// A reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reply {
    Nil,
    Int(i64),
    Bulk(Vec<u8>),
    Status(Cow<'static, str>),
    Array(Vec<Reply>),
    Error(ErrorReply),
}

/// An error reply: its code and text, `ERR syntax error`.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{0}")]
pub(super) struct ErrorReply(pub Cow<'static, str>);

/// How a command ended.
pub(super) type Outcome = Result<Reply, ErrorReply>;

pub(super) const OK: Reply = Reply::Status(Cow::Borrowed("OK"));
pub(super) const SYNTAX: ErrorReply = ErrorReply::fixed("ERR syntax error");
pub(super) const WRONG_TYPE: ErrorReply = ErrorReply::fixed("WRONGTYPE Operation against a key holding the wrong kind of value");
pub(super) const NOT_AN_INTEGER: ErrorReply = ErrorReply::fixed("ERR value is not an integer or out of range");
pub(super) const NOT_A_FLOAT: ErrorReply = ErrorReply::fixed("ERR value is not a valid float");
pub(super) const OVERFLOW: ErrorReply = ErrorReply::fixed("ERR increment or decrement would overflow");

impl ErrorReply {
    pub const fn fixed(text: &'static str) -> Self {
        ErrorReply(Cow::Borrowed(text))
    }

    /// An error whose text quotes what was sent. It is one line on the wire, so line ends become spaces, as Redis makes them.
    pub fn quoting(text: String) -> Self {
        ErrorReply(Cow::Owned(text.trim_end_matches(['\r', '\n']).replace(['\r', '\n'], " ")))
    }

    pub fn arity(command: &str) -> Self {
        Self::quoting(format!("ERR wrong number of arguments for '{command}' command"))
    }

    pub fn expire_time(command: &str) -> Self {
        Self::quoting(format!("ERR invalid expire time in '{command}' command"))
    }
}

impl Reply {
    pub fn count(n: usize) -> Self {
        Reply::Int(n as i64)
    }

    pub fn bulk(bytes: impl Into<Vec<u8>>) -> Self {
        Reply::Bulk(bytes.into())
    }

    pub fn bulk_or_nil(bytes: Option<&Vec<u8>>) -> Self {
        bytes.map_or(Reply::Nil, |bytes| Reply::Bulk(bytes.clone()))
    }
}

impl From<Outcome> for Reply {
    fn from(outcome: Outcome) -> Self {
        outcome.unwrap_or_else(Reply::Error)
    }
}

impl From<Reply> for redis::Value {
    /// The value that redis-rs parses this reply into on RESP2.
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Nil => redis::Value::Nil,
            Reply::Int(n) => redis::Value::Int(n),
            Reply::Bulk(bytes) => redis::Value::BulkString(bytes),
            Reply::Status(text) if text == "OK" => redis::Value::Okay,
            Reply::Status(text) => redis::Value::SimpleString(text.into_owned()),
            Reply::Array(items) => redis::Value::Array(items.into_iter().map(Self::from).collect()),
            Reply::Error(error) => parsed(&error),
        }
    }
}

/// redis-rs lets nobody but its parser make a server error.
fn parsed(error: &ErrorReply) -> redis::Value {
    redis::parse_redis_value(format!("-{error}\r\n").as_bytes())
        .unwrap_or_else(|_| redis::Value::SimpleString(error.0.clone().into_owned()))
}
