//! One Redis node as one client reaches it.

use super::sentinel;
use redis::aio::{ConnectionLike, MultiplexedConnection};
use redis::{Arg, AsyncConnectionConfig, Cmd, Pipeline, ProtocolVersion, RedisConnectionInfo, RedisFuture, RedisResult, Value};
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// How long a reply is waited for. Generous, since pauses are part of the game: a reply that is merely late must arrive late.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// How long a reply is waited for beyond that. A process that was stopped wakes with its timer and its reply both due, and it must not matter
/// which of them is looked at first.
pub(crate) const GRACE: Duration = Duration::from_millis(100);

/// A TCP connection to a node, made at the first command and made anew after it broke.
///
/// It never sends a command twice, and never takes the late reply of a command that was given up for another's: the next command has a new
/// connection. An error that says "connection refused" is certain: nothing was sent.
pub struct RealNode {
    way_in: WayIn,
    source: Option<IpAddr>,
    patience: Duration,
    open: Option<Open>,
    /// Whether a command was sent and nobody has waited for its reply to the end.
    unanswered: bool,
    /// Whether the connection has a WATCH, which no other could take over.
    watch: Watch,
}

/// How a node is found.
enum WayIn {
    At(SocketAddr),
    /// It is whoever these sentinels name as the master when a connection is made.
    MasterOf(Vec<SocketAddr>),
}

#[derive(Clone, Copy, PartialEq)]
enum Watch {
    None,
    Set,
}

struct Open {
    connection: MultiplexedConnection,
    driver: JoinHandle<()>,
}

impl Drop for Open {
    fn drop(&mut self) {
        self.driver.abort();
    }
}

impl RealNode {
    /// The node at an address; nothing is sent yet.
    pub fn new(address: SocketAddr) -> Self {
        RealNode {
            way_in: WayIn::At(address),
            source: None,
            patience: PATIENCE,
            open: None,
            unanswered: false,
            watch: Watch::None,
        }
    }

    /// The master that these sentinels name, whoever that is when a connection is made.
    pub fn master_of(sentinels: Vec<SocketAddr>) -> Self {
        let nowhere = SocketAddr::from(([0, 0, 0, 0], 0));
        RealNode { way_in: WayIn::MasterOf(sentinels), ..RealNode::new(nowhere) }
    }

    /// Connects from this address, by which the wire knows the client.
    pub fn bound_to(self, source: IpAddr) -> Self {
        RealNode { source: Some(source), ..self }
    }

    /// Waits this long for a connection, and for a reply, instead of five seconds.
    pub fn patience(self, patience: Duration) -> Self {
        RealNode { patience, ..self }
    }

    /// The connection, made anew where there is none.
    async fn connection(&mut self) -> RedisResult<MultiplexedConnection> {
        // Whoever gave up waiting for a reply may have given up a connection that never has another.
        if self.unanswered || self.open.as_ref().is_some_and(|open| open.driver.is_finished()) {
            self.open = None;
            self.unanswered = false;
        }
        if let Some(open) = &self.open {
            return Ok(open.connection.clone());
        }
        let address = match &self.way_in {
            WayIn::At(address) => *address,
            WayIn::MasterOf(sentinels) => sentinel::master(sentinels, self.source).await?,
        };
        if self.watch == Watch::Set {
            self.watch = Watch::None;
            return Err(unsent(address, "the connection that had the WATCH is gone").into());
        }
        let stream = match timeout(self.patience, connect(address, self.source)).await {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => return Err(unsent(address, error).into()),
            Err(_) => return Err(unsent(address, "timed out").into()),
        };
        // Without CLIENT SETINFO: what is on the wire is what the lock sends.
        let info = RedisConnectionInfo::default().set_protocol(ProtocolVersion::RESP2).set_skip_set_lib_name();
        let config = AsyncConnectionConfig::new().set_response_timeout(None);
        let (mut connection, driver) = MultiplexedConnection::new_with_config(&info, stream, config).await?;
        let open = Open { connection: connection.clone(), driver: tokio::spawn(driver) };
        if matches!(self.way_in, WayIn::MasterOf(_)) {
            sentinel::is_master(&mut connection).await?;
        }
        self.open = Some(open);
        Ok(connection)
    }

    /// Waits for a reply, and drops a connection that has none to give: its next reply could be that of an earlier command.
    async fn reply<T>(&mut self, reply: impl Future<Output = RedisResult<T>>) -> RedisResult<T> {
        let patience = self.patience;
        self.unanswered = true;
        let reply = async {
            let mut reply = std::pin::pin!(reply);
            tokio::select! {
                biased;
                reply = &mut reply => reply,
                () = sleep(patience) => match timeout(GRACE, reply).await {
                    Ok(reply) => reply,
                    Err(_) => Err(io::Error::from(io::ErrorKind::TimedOut).into()),
                },
            }
        };
        let reply = reply.await;
        self.unanswered = false;
        if reply.as_ref().is_err_and(|error| error.is_io_error() || error.is_unrecoverable_error()) {
            self.open = None;
        }
        reply
    }
}

impl ConnectionLike for RealNode {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            let mut connection = self.connection().await?;
            match cmd.args_iter().next() {
                Some(Arg::Simple(b"WATCH")) => self.watch = Watch::Set,
                Some(Arg::Simple(b"UNWATCH" | b"EXEC" | b"DISCARD")) => self.watch = Watch::None,
                _ => {}
            }
            self.reply(async move { connection.send_packed_command(cmd).await }).await
        })
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            let mut connection = self.connection().await?;
            if pipeline.is_transaction() {
                self.watch = Watch::None;
            }
            self.reply(async move { connection.send_packed_commands(pipeline, offset, count).await }).await
        })
    }

    fn get_db(&self) -> i64 {
        0
    }
}

/// Connects to an address, from another.
pub(super) async fn connect(address: SocketAddr, source: Option<IpAddr>) -> io::Result<TcpStream> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
    if let Some(source) = source {
        socket.bind(SocketAddr::new(source, 0))?;
    }
    let stream = socket.connect(address).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// The error of a command that was certainly not sent.
pub(super) fn unsent(address: SocketAddr, why: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::ConnectionRefused, format!("no connection to {address}: {why}"))
}
