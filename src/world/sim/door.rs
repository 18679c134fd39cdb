//! Through what a simulated client reaches the Redis of its lock.

use super::SimWorld;
use super::connection::{Outbox, SimConnection};
use super::network::{WayIn, address};
use crate::client::cluster::{ClusterNodes, Prefixed, Resending, Rest};
use crate::plan::ClusterClient;
use crate::world::WorldError;
use redis::aio::ConnectionLike;
use redis::{Cmd, Pipeline, RedisFuture, Value};
use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

/// A node, or a cluster through a client of it.
pub enum SimDoor {
    /// One node, or whoever is the master.
    Node(SimConnection),
    /// A cluster.
    Cluster(ClusterNodes<SimConnection>),
    /// Any of them, with a prefix to every key.
    Prefixed(Prefixed<SimDoor>),
}

/// The time of a simulated world, for clients that rest.
struct SimRest(Outbox);

impl Rest for SimRest {
    fn rest(&self, how_long: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let over = self.0.rest(how_long);
        Box::pin(async move {
            if over.await.is_err() {
                // Only where the world itself is over.
                std::future::pending().await
            }
        })
    }
}

impl SimWorld {
    /// Through what a client reaches the Redis of its lock: a door a node that it asks.
    pub(super) fn doors(&self, client: &str) -> Result<Vec<SimDoor>, WorldError> {
        if self.cluster.is_none() {
            let (nodes, way_in) = self.ways_in();
            return nodes.iter().map(|node| Ok(SimDoor::Node(self.connect(client, node, way_in)?))).collect();
        }
        let prefixes = self.plan.prefixes();
        if prefixes.is_empty() {
            return Ok(vec![self.cluster_door(client)?]);
        }
        let door = |prefix: String| Ok(SimDoor::Prefixed(Prefixed::new(self.cluster_door(client)?, prefix)));
        prefixes.into_iter().map(door).collect()
    }

    /// The nodes that clients ask, and how they find them.
    pub(super) fn ways_in(&self) -> (Cow<'_, [String]>, WayIn) {
        let masters = self.network.masters.all();
        match masters.is_empty() {
            true => (Cow::Borrowed(&self.nodes), WayIn::Node),
            false => (Cow::Owned(masters), WayIn::Service),
        }
    }

    /// A client's way into the cluster of this world.
    fn cluster_door(&self, client: &str) -> Result<SimDoor, WorldError> {
        let node = |node: &String| {
            let at = address(node);
            Ok((format!("{}:{}", at.host, at.port), self.connect(client, node, WayIn::Node)?))
        };
        let nodes = self.nodes.iter().map(node).collect::<Result<_, WorldError>>()?;
        let resending = match self.plan.lock.client.unwrap_or_default() {
            ClusterClient::ClusterConnection => Resending::AsClusterConnection(Arc::new(SimRest(self.network.outbox.clone()))),
            ClusterClient::FollowRedirects => Resending::Never,
        };
        Ok(SimDoor::Cluster(ClusterNodes::new(nodes, resending)))
    }
}

impl ConnectionLike for SimDoor {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            SimDoor::Node(node) => node.req_packed_command(cmd),
            SimDoor::Cluster(nodes) => nodes.req_packed_command(cmd),
            SimDoor::Prefixed(door) => door.req_packed_command(cmd),
        }
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        match self {
            SimDoor::Node(node) => node.req_packed_commands(pipeline, offset, count),
            SimDoor::Cluster(nodes) => nodes.req_packed_commands(pipeline, offset, count),
            SimDoor::Prefixed(door) => door.req_packed_commands(pipeline, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        0
    }
}
