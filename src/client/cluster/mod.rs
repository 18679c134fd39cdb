//! A cluster as one client reaches it: [`ClusterNodes`] finds the node of a key, follows redirects, and does about a command that failed what its
//! [`Resending`] says.

mod prefixed;
mod resending;
mod route;
mod slot_map;

pub use prefixed::Prefixed;
pub use resending::{Resending, Rest};
use route::Route;
use slot_map::SlotMap;

use redis::aio::ConnectionLike;
use redis::{Cmd, Pipeline, RedisError, RedisFuture, RedisResult, RetryMethod, Value, cmd};
use std::io;

/// How often one command is redirected at most.
const REDIRECTS: u32 = 8;

/// The nodes of a cluster, each by the address at which the cluster names it.
///
/// Whom it asks for a slot it knows from CLUSTER SLOTS and from redirects. Keyless commands go where a command of a key went last (`WAIT`), or
/// to all nodes (`SCRIPT LOAD`).
pub struct ClusterNodes<C> {
    nodes: Vec<(String, C)>,
    slots: SlotMap,
    /// Whom the last command with a key went to.
    last: usize,
    /// Whose connection broke, or could not be made, when it last tried.
    lost: Option<usize>,
    resending: Resending,
}

/// One message: a command, or several at once.
#[derive(Clone, Copy)]
enum Message<'a> {
    One(&'a Cmd),
    Several(&'a Pipeline, usize, usize),
}

/// The replies to a message; of one command one.
type Replies = RedisResult<Vec<Value>>;

impl<C: ConnectionLike + Send> ClusterNodes<C> {
    /// A client that knows these nodes, each by `host:port`; nothing is sent yet.
    pub fn new(nodes: Vec<(String, C)>, resending: Resending) -> Self {
        ClusterNodes { nodes, slots: SlotMap::default(), last: 0, lost: None, resending }
    }

    async fn ask(&mut self, message: Message<'_>) -> Replies {
        match Route::of(message) {
            Route::Slot(slot) => match &self.resending {
                Resending::Never => self.follow(slot, message).await,
                Resending::AsClusterConnection(rest) => {
                    let rest = rest.clone();
                    self.resend(&*rest, slot, message).await
                }
            },
            Route::Last => match &self.resending {
                Resending::AsClusterConnection(_) if message.is("WAIT") => self.least_of_all_masters(message).await,
                _ => send(&mut self.nodes[self.last].1, message).await,
            },
            Route::Everywhere => {
                let mut replies = Ok(Vec::new());
                for (_, node) in &mut self.nodes {
                    replies = send(node, message).await;
                    failure(&replies)?;
                }
                replies
            }
        }
    }

    /// Follows redirects, and comes back with anything else.
    async fn follow(&mut self, slot: u16, message: Message<'_>) -> Replies {
        let mut to = self.owner(slot).await?;
        let mut asking = false;
        for _ in 0..REDIRECTS {
            self.last = to;
            let replies = self.send_to(to, asking, message).await;
            asking = false;
            let Err(error) = failure(&replies) else { return replies };
            if let Some(moved) = self.redirected(&error, slot)? {
                (to, asking) = (moved, matches!(error.retry_method(), RetryMethod::AskRedirect));
                continue;
            }
            if error.is_io_error() || matches!(error.retry_method(), RetryMethod::WaitAndRetry) {
                // Whoever has taken over, or will, is named by others.
                self.lost = Some(to);
                self.slots = SlotMap::default();
                if error.is_connection_refusal() {
                    // Nothing was sent, so that it can be sent to somebody else.
                    let now = self.owner(slot).await?;
                    if now != to {
                        to = now;
                        continue;
                    }
                }
            }
            return replies;
        }
        Err(io::Error::other(format!("redirected {REDIRECTS} times")).into())
    }

    /// The node that an error redirects to; it is asked for the slot from now on, unless it is only to be asked this once.
    fn redirected(&mut self, error: &RedisError, slot: u16) -> RedisResult<Option<usize>> {
        let Some((address, _)) = error.redirect_node() else { return Ok(None) };
        let node =
            self.node(address).ok_or_else(|| io::Error::other(format!("redirected to {address}, which is no node known")))?;
        if matches!(error.retry_method(), RetryMethod::MovedRedirect) {
            self.slots.moved(slot, node);
        }
        Ok(Some(node))
    }

    async fn send_to(&mut self, node: usize, asking: bool, message: Message<'_>) -> Replies {
        let node = &mut self.nodes[node].1;
        if asking {
            failure(&send(node, Message::One(&cmd("ASKING"))).await)?;
        }
        send(node, message).await
    }

    /// The node to ask for a slot. Where nobody is known yet, the nodes are asked, the one that could not be reached last of all.
    async fn owner(&mut self, slot: u16) -> RedisResult<usize> {
        if let Some(owner) = self.slots.owner(slot) {
            return Ok(owner);
        }
        self.refresh().await?;
        let unserved = || io::Error::new(io::ErrorKind::ConnectionRefused, format!("nobody serves slot {slot}"));
        Ok(self.slots.owner(slot).ok_or_else(unserved)?)
    }

    /// Asks one node after another who serves which slot, until one answers.
    async fn refresh(&mut self) -> RedisResult<()> {
        let mut order: Vec<usize> = (0..self.nodes.len()).collect();
        order.sort_by_key(|node| Some(*node) == self.lost);
        let mut why = io::Error::new(io::ErrorKind::ConnectionRefused, "there is no node to ask").into();
        for asked in order {
            match cmd("CLUSTER").arg("SLOTS").query_async::<Value>(&mut self.nodes[asked].1).await {
                Ok(said) => {
                    self.slots = SlotMap::read(&said, |address| self.node(address))?;
                    return Ok(());
                }
                Err(error) => why = error,
            }
        }
        // Nothing of the command itself was sent.
        Err(io::Error::new(io::ErrorKind::ConnectionRefused, format!("no node says who serves which slot: {why}")).into())
    }

    fn node(&self, address: &str) -> Option<usize> {
        self.nodes.iter().position(|(known, _)| known == address)
    }
}

async fn send<C: ConnectionLike>(node: &mut C, message: Message<'_>) -> Replies {
    match message {
        Message::One(cmd) => node.req_packed_command(cmd).await.map(|reply| vec![reply]),
        Message::Several(pipeline, offset, count) => node.req_packed_commands(pipeline, offset, count).await,
    }
}

/// The error that a message ended with: none was answered, or a reply is an error that a cluster gives.
fn failure(replies: &Replies) -> RedisResult<()> {
    let replies = match replies {
        Ok(replies) => replies,
        Err(error) => return Err(error.clone()),
    };
    for reply in replies {
        if let Value::ServerError(error) = reply {
            let error = RedisError::from(error.clone());
            if !matches!(error.retry_method(), RetryMethod::NoRetry) {
                return Err(error);
            }
        }
    }
    Ok(())
}

impl<C: ConnectionLike + Send> ConnectionLike for ClusterNodes<C> {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            let mut replies = self.ask(Message::One(cmd)).await?;
            Ok(replies.pop().unwrap_or(Value::Nil))
        })
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(self.ask(Message::Several(pipeline, offset, count)))
    }

    fn get_db(&self) -> i64 {
        0
    }
}
