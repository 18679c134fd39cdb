//! A client's connection to a simulated node.
//!
//! redis-rs wants futures that are `Send`, so a connection holds nothing of the world: it puts what it sends into an outbox,
//! which the world empties whenever its clients have been polled, and waits for the reply.

use crate::client::subscriber::{Hearing, Subscriber};
use redis::aio::ConnectionLike;
use redis::{Arg, Cmd, ErrorKind, Pipeline, RedisError, RedisFuture, RedisResult, Value};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::oneshot;

/// The replies to the commands of one message, or why there are none.
pub type Replies = RedisResult<Vec<Value>>;

/// What a client sends at once, on its way to a node.
pub struct Message {
    /// On which link.
    pub link: usize,
    /// On the connection that is there, or on a new one.
    pub over: Over,
    /// One command, or a pipeline or transaction of several.
    pub commands: Vec<Cmd>,
    /// Where the replies go.
    pub reply: oneshot::Sender<Replies>,
}

/// Over which connection a message goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// The one that is there.
    Same,
    /// A new one: whoever gave up waiting for a reply, or saw the connection break, has given it up.
    New,
}

/// What clients have sent since the world last looked, in order.
#[derive(Clone, Default)]
pub struct Outbox(Arc<Mutex<Vec<Message>>>, Arc<Mutex<Vec<Nap>>>);

/// A client rests for so long; the sender says when that is over.
pub type Nap = (Duration, oneshot::Sender<()>);

impl Outbox {
    /// Takes everything out.
    pub fn take(&self) -> Vec<Message> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Takes out who wants to rest.
    pub fn take_naps(&self) -> Vec<Nap> {
        std::mem::take(&mut *self.1.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Resolves after this long.
    pub(super) fn rest(&self, how_long: Duration) -> oneshot::Receiver<()> {
        let (over, is_over) = oneshot::channel();
        self.1.lock().unwrap_or_else(PoisonError::into_inner).push((how_long, over));
        is_over
    }

    fn send(&self, link: usize, over: Over, commands: Vec<Cmd>) -> oneshot::Receiver<Replies> {
        let (reply, receiver) = oneshot::channel();
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Message { link, over, commands, reply });
        receiver
    }
}

/// A client's way to the channels of one node.
pub struct SimSubscriber {
    link: usize,
    outbox: Outbox,
    heard: UnboundedReceiver<()>,
}

impl SimSubscriber {
    /// The way over this link; what is published comes through `heard`.
    pub(super) fn new(link: usize, outbox: Outbox, heard: UnboundedReceiver<()>) -> Self {
        SimSubscriber { link, outbox, heard }
    }
}

impl Subscriber for SimSubscriber {
    fn subscribe<'a>(&'a mut self, channel: &'a str) -> Hearing<'a> {
        Box::pin(async move {
            let confirmed = self.outbox.send(self.link, Over::New, vec![redis::cmd("SUBSCRIBE").arg(channel).take()]).await;
            // Whatever an older subscription heard is nothing to this one.
            while self.heard.try_recv().is_ok() {}
            match confirmed {
                Ok(confirmed) => confirmed.map(drop),
                // Only where the world itself is over.
                Err(_) => std::future::pending().await,
            }
        })
    }

    fn message(&mut self) -> Hearing<'_> {
        Box::pin(async move {
            match self.heard.recv().await {
                Some(()) => Ok(()),
                None => std::future::pending().await,
            }
        })
    }
}

/// A client's way to one node. As the real one does, it takes a new connection after a command whose reply it did not get.
pub struct SimConnection {
    /// Its number in the world.
    link: usize,
    outbox: Outbox,
    /// Whether a command was sent that was not answered.
    unanswered: bool,
}

impl SimConnection {
    /// The way over this link.
    pub(super) fn new(link: usize, outbox: Outbox) -> Self {
        SimConnection { link, outbox, unanswered: false }
    }

    async fn ask(&mut self, commands: Vec<Cmd>) -> Replies {
        let over = if self.unanswered { Over::New } else { Over::Same };
        self.unanswered = true;
        let replies = match self.outbox.send(self.link, over, commands).await {
            Ok(replies) => replies?,
            // Only where the world itself is over.
            Err(_) => std::future::pending().await,
        };
        self.unanswered = false;
        Ok(replies)
    }
}

impl ConnectionLike for SimConnection {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        let commands = vec![cmd.clone()];
        Box::pin(async move {
            let mut replies = self.ask(commands).await?;
            replies.pop().ok_or_else(|| RedisError::from((ErrorKind::Client, "the node gave no reply")))
        })
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        let commands = pipeline.cmd_iter().cloned();
        let commands = if pipeline.is_transaction() {
            std::iter::once(redis::cmd("MULTI")).chain(commands).chain([redis::cmd("EXEC")]).collect()
        } else {
            commands.collect()
        };
        Box::pin(async move { Ok(self.ask(commands).await?.into_iter().skip(offset).take(count).collect()) })
    }

    fn get_db(&self) -> i64 {
        0
    }
}

/// The words of a command, its name first. A scan begins at its beginning.
pub fn words(cmd: &Cmd) -> impl ExactSizeIterator<Item = &[u8]> + Clone {
    cmd.args_iter().map(|arg| match arg {
        Arg::Simple(bytes) => bytes,
        _ => b"0",
    })
}
