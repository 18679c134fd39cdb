//! A client's link to a node: the connection that is there now. What still travels over an older one arrives, and nobody hears the reply.

use super::host::Host;
use super::parcel::Caller;
use crate::world::sim::connection::{Replies, words};
use crate::world::sim::redis::{Blocked, Disconnected, Node, Session};
use checker::Nanos;
use redis::Cmd;
use std::io;
use tokio::sync::mpsc::UnboundedSender;

/// How a client finds the node of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayIn {
    /// By its own address.
    Node,
    /// By an address that means whoever is the master, as far as the client was told.
    Service,
}

pub(super) struct Link {
    pub(super) client: String,
    /// Index of the node.
    pub(super) node: usize,
    pub(super) way_in: WayIn,
    /// Whether its client is dead.
    pub(super) gone: bool,
    /// Which connection it is, counted from 0.
    pub(super) connection: u32,
    /// Its session on the node; none before the first message and after a break.
    session: Option<Session>,
    /// When the last message that was sent each way arrives: the next cannot overtake it.
    pub(super) last: [Nanos; 2],
    /// Where what is published to its session is heard.
    pub(super) hears: Option<UnboundedSender<()>>,
    /// Who waits for the reply to what was sent last.
    pub(super) waiting: Option<Caller>,
    /// Connections before this one were reset: what is under way to the node on them is lost.
    reset_before: u32,
    /// Whether the session has a WATCH.
    watches: bool,
    /// The connection that had a WATCH was reset, and its client does not know.
    owes_reset: bool,
    /// Ways on which a message was lost, and with it all that is behind it.
    pub(super) lost: [bool; 2],
}

impl Link {
    pub(super) fn new(client: &str, node: usize, way_in: WayIn) -> Self {
        Link {
            client: client.to_string(),
            node,
            way_in,
            gone: false,
            connection: 0,
            session: None,
            last: [0; 2],
            hears: None,
            waiting: None,
            reset_before: 0,
            watches: false,
            owes_reset: false,
            lost: [false; 2],
        }
    }

    /// Gives up the connection and takes a new one.
    pub(super) fn renew(&mut self, node: &mut Node) {
        self.close(node);
        self.connection += 1;
        (self.last, self.lost, self.watches) = ([0; 2], [false; 2], false);
    }

    /// Whether the node has accepted its connection.
    pub(super) fn is_accepted(&self) -> bool {
        self.session.is_some()
    }

    /// The number of its session, by which a node knows to whom it sends what is published.
    pub(super) fn session_number(&self) -> Option<i64> {
        self.session.as_ref().map(Session::number)
    }

    /// Whether there is a connection, accepted or on its way to be.
    pub(super) fn is_open(&self) -> bool {
        self.session.is_some() || self.waiting.as_ref().is_some_and(Caller::waits)
    }

    /// Resets the connection; whoever waits for a reply is to be told so. The next command has a new one, unless there was a WATCH on this, which
    /// no other could take over.
    pub(super) fn reset(&mut self, node: &mut Node) -> Option<Caller> {
        self.owes_reset = self.watches;
        self.renew(node);
        self.reset_before = self.connection;
        self.waiting.take()
    }

    /// Whether what is under way on this connection was lost with it.
    pub(super) fn was_reset(&self, connection: u32) -> bool {
        connection < self.reset_before
    }

    /// Leads to another node from now on.
    pub(super) fn lead(&mut self, node: usize, nodes: &mut [Host]) {
        self.renew(&mut nodes[self.node].node);
        self.node = node;
    }

    /// The WAIT that blocks its connection.
    pub(super) fn take_blocked(&mut self) -> Option<Blocked> {
        self.session.as_mut()?.take_blocked()
    }

    /// Closes the session.
    pub(super) fn close(&mut self, node: &mut Node) {
        if let Some(session) = self.session.take() {
            node.close(session);
        }
    }

    /// Executes what arrived over a connection of this link. A first message opens it, and a broken one is told so and forgotten.
    pub(super) fn execute(&mut self, connection: u32, node: &mut Node, commands: &[Cmd], now_ms: u64) -> Replies {
        if std::mem::take(&mut self.owes_reset) {
            self.watches = false;
            return Err(broken(Disconnected::Reset));
        }
        for name in commands.iter().filter_map(|command| words(command).next()) {
            let is = |other: &[u8]| name.eq_ignore_ascii_case(other);
            if is(b"WATCH") {
                self.watches = true;
            } else if self.watches && (is(b"UNWATCH") || is(b"EXEC") || is(b"DISCARD")) {
                self.watches = false;
            }
        }
        if connection == self.connection {
            return execute(&mut self.session, node, commands, now_ms);
        }
        let mut older = None;
        let replies = execute(&mut older, node, commands, now_ms);
        if let Some(older) = older {
            node.close(older);
        }
        replies
    }
}

fn execute(session: &mut Option<Session>, node: &mut Node, commands: &[Cmd], now_ms: u64) -> Replies {
    if session.is_none() {
        *session = Some(node.open().map_err(broken)?);
    }
    let mut replies = Vec::with_capacity(commands.len());
    for command in commands {
        let Some(open) = session else { break };
        match node.execute_cmd(open, command, now_ms) {
            Ok(reply) => replies.push(reply),
            Err(why) => {
                *session = None;
                let reset = if why == Disconnected::Down { Disconnected::Reset } else { why };
                return Err(broken(reset));
            }
        }
    }
    Ok(replies)
}

/// As the client library reports it.
pub(super) fn broken(why: Disconnected) -> redis::RedisError {
    let kind = match why {
        Disconnected::Down => io::ErrorKind::ConnectionRefused,
        Disconnected::Reset => io::ErrorKind::ConnectionReset,
    };
    io::Error::new(kind, why.to_string()).into()
}
