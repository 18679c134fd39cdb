//! What an error says of the command that it answered: certainly nothing happened, or nobody knows.
//!
//! | error | effect |
//! |---|---|
//! | the connection was refused | none: there was nothing to send it on |
//! | the server answered with an error | none: Redis says so before it executes |
//! | timed out, reset, closed, an answer that cannot be read | unknown: it may have been executed, may yet be, or never will |
//!
//! This judges one command. A lock of several must remember what its earlier ones did: `SETNX` taken and `EXPIRE` refused is
//! unknown, since the key is there.

use super::{Attempt, Done, Extended};
use redis::{ErrorKind, RedisError};

/// What a failed command did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Certainly nothing.
    None,
    /// Nobody knows.
    Unknown,
}

/// What a command did that ended with this error.
pub fn effect(error: &RedisError) -> Effect {
    match error.kind() {
        ErrorKind::Io if error.is_connection_refusal() => Effect::None,
        ErrorKind::Server(_) | ErrorKind::Extension | ErrorKind::Client | ErrorKind::InvalidClientConfig => Effect::None,
        _ => Effect::Unknown,
    }
}

/// The error of a command in words: `SET: timed out`.
pub fn words(command: &str, error: &RedisError) -> String {
    if error.is_timeout() { format!("{command}: timed out") } else { format!("{command}: {error}") }
}

impl Attempt {
    /// The attempt whose only command with an effect ended with this error.
    pub(super) fn failed(token: String, command: &str, error: &RedisError) -> Self {
        let why = words(command, error);
        match effect(error) {
            Effect::None => Attempt::Failed { token, error: why },
            Effect::Unknown => Attempt::Unknown { token, why },
        }
    }
}

impl Done {
    /// The release whose only command with an effect ended with this error.
    pub(super) fn failed(command: &str, error: &RedisError) -> Self {
        match effect(error) {
            Effect::None => Done::No(words(command, error)),
            Effect::Unknown => Done::Unknown(words(command, error)),
        }
    }

    /// The release that never sent a command with an effect, since what it had to read first could not be read.
    pub(super) fn unread(command: &str, error: &RedisError) -> Self {
        Done::No(words(command, error))
    }

    /// The release that deleted a key, or found none to delete.
    pub(super) fn deleted(yes: bool) -> Self {
        if yes { Done::Yes } else { Done::No("the key is gone or another's".into()) }
    }
}

impl Extended {
    /// The extension whose only command ended with this error.
    pub(super) fn failed(command: &str, error: &RedisError) -> Self {
        match effect(error) {
            Effect::None => Extended::No(words(command, error)),
            Effect::Unknown => Extended::Unknown(words(command, error)),
        }
    }
}
