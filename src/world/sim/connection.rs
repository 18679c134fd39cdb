//! A client's connection to a simulated node.
//!
//! redis-rs wants futures that are `Send`, so a connection holds nothing of the world: it puts what it sends into an outbox,
//! which the world empties whenever its clients have been polled, and waits for the reply.

use redis::aio::ConnectionLike;
use redis::{Arg, Cmd, ErrorKind, Pipeline, RedisError, RedisFuture, RedisResult, Value};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::oneshot;

/// One command: its name and its arguments.
pub type Command = Vec<Vec<u8>>;

/// The replies to the commands of one message, or why there are none.
pub type Replies = RedisResult<Vec<Value>>;

/// What a client sends at once, on its way to a node.
pub struct Message {
    /// On which link.
    pub link: usize,
    /// One command, or a pipeline or transaction of several.
    pub commands: Vec<Command>,
    /// Where the replies go.
    pub reply: oneshot::Sender<Replies>,
}

/// What clients have sent since the world last looked, in order.
#[derive(Clone, Default)]
pub struct Outbox(Arc<Mutex<Vec<Message>>>);

impl Outbox {
    /// Takes everything out.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn send(&self, link: usize, commands: Vec<Command>) -> oneshot::Receiver<Replies> {
        let (reply, receiver) = oneshot::channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Message { link, commands, reply });
        receiver
    }
}

/// A connection of one client to one node.
#[derive(Clone)]
pub struct SimConnection {
    /// Its number in the world.
    pub(super) link: usize,
    pub(super) outbox: Outbox,
}

impl ConnectionLike for SimConnection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        let replies = self.outbox.send(self.link, vec![arguments(cmd)]);
        Box::pin(async move {
            let mut replies = arrived(replies).await?;
            replies.pop().ok_or_else(|| RedisError::from((ErrorKind::Client, "the node gave no reply")))
        })
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        let bare = |name: &str| vec![name.as_bytes().to_vec()];
        let commands = pipeline.cmd_iter().map(arguments);
        let commands = if pipeline.is_transaction() {
            std::iter::once(bare("MULTI")).chain(commands).chain([bare("EXEC")]).collect()
        } else {
            commands.collect()
        };
        let replies = self.outbox.send(self.link, commands);
        Box::pin(async move { Ok(arrived(replies).await?.into_iter().skip(offset).take(count).collect()) })
    }

    fn get_db(&self) -> i64 {
        0
    }
}

async fn arrived(replies: oneshot::Receiver<Replies>) -> Replies {
    // A reply that will never come is a connection that nobody closed: it waits, as a real one would.
    match replies.await {
        Ok(replies) => replies,
        Err(_) => std::future::pending().await,
    }
}

fn arguments(cmd: &Cmd) -> Command {
    cmd.args_iter()
        .map(|arg| match arg {
            Arg::Simple(bytes) => bytes.to_vec(),
            _ => b"0".to_vec(),
        })
        .collect()
}
