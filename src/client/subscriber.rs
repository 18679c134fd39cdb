//! Waiting for what is published.

use redis::RedisResult;
use std::future::Future;
use std::pin::Pin;

/// A future of a subscriber: not `Send`, since a simulation lives on one thread.
pub type Hearing<'a> = Pin<Box<dyn Future<Output = RedisResult<()>> + 'a>>;

/// A connection of its own over which one channel at a time is heard.
pub trait Subscriber {
    /// Subscribes to a channel, and to no other any more; what was published before is not heard.
    fn subscribe<'a>(&'a mut self, channel: &'a str) -> Hearing<'a>;

    /// Resolves with the next message; with an error where none will come.
    fn message(&mut self) -> Hearing<'_>;
}
