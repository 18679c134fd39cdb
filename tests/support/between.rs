//! A hand that acts just before a command is sent: how a test gets between two commands of a lock.

use fencepost::client::real::RealNode;
use redis::aio::ConnectionLike;
use redis::{Arg, Cmd, Pipeline, RedisFuture, Value};
use std::pin::Pin;

type Act = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

/// A node that does something once, just before the first command of a name.
pub struct Between {
    node: RealNode,
    command: &'static str,
    act: Option<Act>,
}

impl Between {
    pub fn before<F>(node: RealNode, command: &'static str, act: impl FnOnce() -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Between { node, command, act: Some(Box::new(move || Box::pin(act()))) }
    }

    async fn pass(&mut self, command: &[u8]) {
        if command == self.command.as_bytes()
            && let Some(act) = self.act.take()
        {
            act().await;
        }
    }
}

impl ConnectionLike for Between {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        Box::pin(async move {
            if let Some(Arg::Simple(name)) = cmd.args_iter().next() {
                self.pass(name).await;
            }
            self.node.req_packed_command(cmd).await
        })
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        Box::pin(async move {
            self.pass(b"EXEC").await;
            self.node.req_packed_commands(pipeline, offset, count).await
        })
    }

    fn get_db(&self) -> i64 {
        0
    }
}
