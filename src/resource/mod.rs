//! What a lock protects: registers, each under a name, in a store that no fault of the lock's Redis touches.
//!
//! A fenced register keeps the highest fencing token it has taken and refuses what is outranked. The two stores draw the line where
//! the material does: [`redis_register`] refuses a token *lower* than the last, [`sqlite`] one that is *not higher*, so that it also refuses a
//! token issued twice, and a write sent twice. A client that writes once a grant sees no difference.

use crate::lock::outcome::{Effect, effect, words};
use crate::plan::ResourceSpec;
use redis::RedisError;
use redis::aio::ConnectionLike;

pub mod redis_register;
pub mod sqlite;

pub use sqlite::Sqlite;

/// Where registers are kept.
pub enum Store<C> {
    /// P1: in a Redis of its own.
    Redis(C),
    /// P2: in SQLite.
    Sqlite(Sqlite),
}

/// The registers that a client reads and writes.
pub struct Registers<C> {
    store: Store<C>,
    fencing: Fencing,
}

/// Whether registers look at fencing tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fencing {
    Plain,
    Fenced,
}

/// How a write ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Written {
    /// The register holds it.
    Yes,
    /// Refused: the register has taken this fencing token, which outranks the one shown.
    FencedOff(u64),
    /// It certainly had no effect.
    No(String),
    /// Nobody knows.
    Unknown(String),
}

/// Why a register could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unread {
    /// The store refused.
    No(String),
    /// It did not answer.
    Unknown(String),
}

impl<C: ConnectionLike> Registers<C> {
    /// Registers as the plan describes them, in this store.
    pub fn new(spec: &ResourceSpec, store: Store<C>) -> Self {
        Registers { store, fencing: if spec.fenced { Fencing::Fenced } else { Fencing::Plain } }
    }

    /// What is in a register; `None` if it was never written.
    ///
    /// # Errors
    /// The store refused or did not answer.
    pub async fn read(&mut self, name: &str) -> Result<Option<i64>, Unread> {
        match &mut self.store {
            Store::Redis(node) => redis_register::read(node, name).await.map_err(|error| match effect(&error) {
                Effect::None => Unread::No(words("GET", &error)),
                Effect::Unknown => Unread::Unknown(words("GET", &error)),
            }),
            Store::Sqlite(sqlite) => sqlite.read(name).map_err(|error| Unread::No(format!("SELECT: {error}"))),
        }
    }

    /// The next fencing token of a lock: higher than every one that was drawn before, whatever becomes of the lock's own Redis.
    ///
    /// # Errors
    /// In words, why there is none: the store refused or did not answer. A number that nobody was told is never used.
    pub async fn draw(&mut self, lock: &str) -> Result<u64, String> {
        match &mut self.store {
            Store::Redis(node) => redis_register::draw(node, lock).await.map_err(|error| words("INCR", &error)),
            Store::Sqlite(sqlite) => sqlite.draw(lock).map_err(|error| format!("INSERT: {error}")),
        }
    }

    /// Writes a register, showing a fencing token where there is one; a plain register does not look at it.
    pub async fn write(&mut self, name: &str, value: i64, fence: Option<u64>) -> Written {
        match (&mut self.store, self.fencing, fence) {
            (_, Fencing::Fenced, None) => Written::No("a fenced resource takes nothing without a fencing token".into()),
            (Store::Redis(node), Fencing::Plain, _) => match redis_register::write(node, name, value).await {
                Ok(()) => Written::Yes,
                Err(error) => Written::failed("SET", &error),
            },
            (Store::Redis(node), Fencing::Fenced, Some(fence)) => {
                match redis_register::write_fenced(node, name, value, fence).await {
                    Ok(None) => Written::Yes,
                    Ok(Some(last)) => Written::FencedOff(last),
                    Err(error) => Written::failed("fenced write", &error),
                }
            }
            (Store::Sqlite(sqlite), Fencing::Plain, _) => sqlite.write(name, value),
            (Store::Sqlite(sqlite), Fencing::Fenced, Some(fence)) => sqlite.write_fenced(name, value, fence),
        }
    }
}

impl Written {
    fn failed(command: &str, error: &RedisError) -> Self {
        match effect(error) {
            Effect::None => Written::No(words(command, error)),
            Effect::Unknown => Written::Unknown(words(command, error)),
        }
    }
}
