//! What a server knows of one connection.

/// Names a connection, as CLIENT ID does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SessionId(pub i64);

/// The server's side of one connection: opened by [`Node::open`](super::Node::open), of use to that node only, and only until it dies.
#[derive(Debug)]
pub struct Session {
    pub(super) id: SessionId,
    /// Which start of the node it was opened to.
    pub(super) life: u64,
    pub(super) name: Vec<u8>,
    pub(super) transaction: Option<Transaction>,
}

/// A transaction between MULTI and EXEC.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    pub queue: Vec<Vec<Vec<u8>>>,
    /// A command could not be queued: EXEC will refuse.
    pub broken: bool,
}

impl Session {
    /// Its number on its node, as CLIENT ID says it.
    pub fn number(&self) -> i64 {
        self.id.0
    }

    /// A command was refused before it could run.
    pub(super) fn refused(&mut self) {
        if let Some(transaction) = &mut self.transaction {
            transaction.broken = true;
        }
    }
}
