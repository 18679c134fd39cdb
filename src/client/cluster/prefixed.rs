//! A door through which every key has a prefix, as `keyPrefix` of ioredis gives it: how the votes of a quorum lock come to lie on different masters
//! of one cluster.

use crate::slot;
use redis::aio::ConnectionLike;
use redis::{Arg, Cmd, Pipeline, RedisFuture, Value};

/// What is behind it is asked for keys that begin with the prefix.
pub struct Prefixed<C> {
    inner: Box<C>,
    prefix: String,
}

impl<C> Prefixed<C> {
    /// Puts the prefix before every key.
    pub fn new(inner: C, prefix: impl Into<String>) -> Self {
        Prefixed { inner: Box::new(inner), prefix: prefix.into() }
    }

    fn prefixed(&self, cmd: &Cmd) -> Cmd {
        let words: Vec<&[u8]> = cmd
            .args_iter()
            .map(|arg| match arg {
                Arg::Simple(word) => word,
                // A scan begins at its beginning.
                _ => b"0".as_slice(),
            })
            .collect();
        let places = slot::places(&words);
        let mut prefixed = Cmd::new();
        for (place, word) in words.iter().enumerate() {
            match places.contains(&place) {
                true => prefixed.arg([self.prefix.as_bytes(), word].concat()),
                false => prefixed.arg(word),
            };
        }
        prefixed
    }
}

impl<C: ConnectionLike + Send> ConnectionLike for Prefixed<C> {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        let cmd = self.prefixed(cmd);
        Box::pin(async move { self.inner.req_packed_command(&cmd).await })
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        let mut prefixed = redis::pipe();
        if pipeline.is_transaction() {
            prefixed.atomic();
        }
        for cmd in pipeline.cmd_iter() {
            prefixed.add_command(self.prefixed(cmd));
        }
        Box::pin(async move { self.inner.req_packed_commands(&prefixed, offset, count).await })
    }

    fn get_db(&self) -> i64 {
        self.inner.get_db()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_get_the_prefix_and_nothing_else_does() {
        let door = Prefixed::new((), "{a}");
        let packed = |cmd: &Cmd| String::from_utf8_lossy(&cmd.get_packed_command()).into_owned();
        let set = door.prefixed(redis::cmd("SET").arg("k").arg("k").arg("NX"));
        assert_eq!(packed(&set), packed(redis::cmd("SET").arg("{a}k").arg("k").arg("NX")));
        let eval = door.prefixed(redis::cmd("EVALSHA").arg("hash").arg(1).arg("k").arg("token"));
        assert_eq!(packed(&eval), packed(redis::cmd("EVALSHA").arg("hash").arg(1).arg("{a}k").arg("token")));
    }
}
