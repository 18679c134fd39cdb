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
    /// Whether a transaction of it is being executed, in which nothing blocks.
    pub(super) executing: bool,
    /// The offset of its last write.
    pub(super) written: u64,
    pub(super) blocked: Option<Blocked>,
}

/// A WAIT that too few replicas have answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Blocked {
    /// How many replicas it waits for.
    pub replicas: u64,
    /// For how long; 0 for ever.
    pub timeout_ms: u64,
    /// What they are to acknowledge.
    pub offset: u64,
}

/// A transaction between MULTI and EXEC.
#[derive(Debug, Default)]
pub(super) struct Transaction {
    pub queue: Vec<Vec<Vec<u8>>>,
    /// A command could not be queued: EXEC will refuse.
    pub broken: bool,
}

impl Session {
    /// The WAIT that its last command was, if it blocks.
    pub fn take_blocked(&mut self) -> Option<Blocked> {
        self.blocked.take()
    }

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
