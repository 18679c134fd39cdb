//! Where callers of one node come in.

use super::board::Board;
use super::link::serve;
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::{JoinHandle, spawn_local};

/// The wire's listener for one port of a node. Of a node with several gates, the first is that of the port at which it takes commands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// The node's name.
    pub node: String,
    /// Where callers find it.
    pub listen: SocketAddr,
    /// Where it really listens.
    pub dial: SocketAddr,
}

/// A gate through which callers come; closed when dropped or shut.
pub(super) struct OpenGate(JoinHandle<()>);

impl OpenGate {
    /// Opens a gate whose listener is there already.
    pub(super) fn new(gate: &Gate, listener: TcpListener, board: Rc<Board>) -> Self {
        let Gate { node, dial, listen } = gate.clone();
        OpenGate(spawn_local(async move {
            loop {
                match listener.accept().await {
                    Ok((caller, from)) => {
                        let place = board.enter(listen, board.orders.caller(from.ip()), node.clone());
                        spawn_local(serve(board.clone(), place, caller, dial));
                    }
                    // Out of descriptors, or the caller is gone already: neither may stop the others.
                    Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
                }
            }
        }))
    }

    /// Closes it: when this returns, callers are refused.
    pub(super) async fn shut(mut self) {
        self.0.abort();
        let _ = (&mut self.0).await;
    }
}

impl Drop for OpenGate {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Listens where callers of a node find it.
pub(super) fn listen(gate: &Gate) -> io::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(gate.listen)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}
