//! What tests of locks, resources and clients share: a real Redis of their own, clients of it, and a hand between two commands.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod between;
pub mod clustered;
pub mod server;

use fencepost::client::real::{RealClock, RealNode};
use fencepost::client::{Answer, Do, Session, Told};
use fencepost::plan::{LockKind, LockSpec};
use redis::FromRedisValue;
use redis::aio::ConnectionLike;
use server::Server;

/// The key that the tests lock.
pub const KEY: &str = "order:42";

/// A lock with no options.
pub fn spec(kind: LockKind) -> LockSpec {
    LockSpec::bare(kind, 500)
}

/// A client of a server, and its clock.
pub struct Client<C = RealNode> {
    pub session: Session<C, RealClock>,
    pub clock: RealClock,
}

impl Client {
    pub async fn of(name: &str, server: &Server, spec: &LockSpec) -> Self {
        Client::over(name, RealNode::new(server.address), spec).await
    }
}

impl<C: ConnectionLike + 'static> Client<C> {
    pub async fn over(name: &str, node: C, spec: &LockSpec) -> Self {
        let mut client = Client::unprepared(name, node, spec);
        client.session.prepare().await.unwrap();
        client
    }

    pub fn unprepared(name: &str, node: C, spec: &LockSpec) -> Self {
        let clock = RealClock::default();
        let session = Session::new(name, spec, None, vec![node], None, clock.clone(), 7);
        Client { session, clock }
    }

    pub async fn acquire(&mut self, ttl_ms: u64) -> Answer {
        self.session.answer(&Do::Acquire { lock: KEY.into(), ttl_ms }).await
    }

    /// Tries until it is granted, and gives the token.
    pub async fn granted(&mut self, ttl_ms: u64) -> String {
        for _ in 0..5000 {
            match self.acquire(ttl_ms).await {
                Answer::Ok(told) => return told.token.unwrap(),
                Answer::No(_) => tokio::time::sleep(std::time::Duration::from_millis(1)).await,
                other => panic!("{other:?}"),
            }
        }
        panic!("never granted")
    }

    pub async fn extend(&mut self, token: &str, ttl_ms: u64) -> Answer {
        self.session.answer(&Do::Extend { lock: KEY.into(), token: token.into(), ttl_ms }).await
    }

    pub async fn release(&mut self, token: &str) -> Answer {
        self.session.answer(&Do::Release { lock: KEY.into(), token: token.into() }).await
    }

    /// Whether the lock says that the grant holds.
    pub async fn holds(&mut self, token: &str) -> bool {
        let check = Do::Check { lock: KEY.into(), token: token.into() };
        ok(self.session.answer(&check).await).value == Some(checker::history::Value::Bool(true))
    }
}

/// What a yes says.
#[track_caller]
pub fn ok(answer: Answer) -> Told {
    match answer {
        Answer::Ok(told) => told,
        other => panic!("not ok: {other:?}"),
    }
}

/// What a no says.
#[track_caller]
pub fn no(answer: Answer) -> Told {
    match answer {
        Answer::No(told) => told,
        other => panic!("not a no: {other:?}"),
    }
}

/// What an unknown says.
#[track_caller]
pub fn unknown(answer: Answer) -> Told {
    match answer {
        Answer::Unknown(told) => told,
        other => panic!("not unknown: {other:?}"),
    }
}

/// Sends one command on a connection of its own.
pub async fn send<T: FromRedisValue>(server: &Server, words: &[&str]) -> T {
    let mut command = redis::cmd(words[0]);
    command.arg(&words[1..]);
    command.query_async(&mut RealNode::new(server.address)).await.unwrap()
}
