//! Through what a client reaches the Redis of its lock.

use super::cluster::{BoundConnection, cluster_connection};
use super::node::RealNode;
use crate::client::cluster::{ClusterNodes, Prefixed, Resending};
use crate::plan::ClusterClient;
use redis::aio::ConnectionLike;
use redis::cluster_async::ClusterConnection;
use redis::{Cmd, Pipeline, RedisFuture, RedisResult, Value};
use std::net::{IpAddr, SocketAddr};

/// A node, or a cluster through one of its clients.
pub enum RealDoor {
    /// One node, or whoever is the master.
    Node(RealNode),
    /// A cluster, by hand.
    Following(ClusterNodes<RealNode>),
    /// A cluster, through redis-rs.
    Cluster(ClusterConnection<BoundConnection>),
    /// Any of them, with a prefix to every key.
    Prefixed(Prefixed<RealDoor>),
}

impl RealDoor {
    /// The cluster of these nodes, reached from this address through a client of this kind.
    ///
    /// # Errors
    /// None of the nodes answers, where the client wants to know the cluster at once.
    pub async fn cluster(client: ClusterClient, nodes: &[SocketAddr], source: IpAddr) -> RedisResult<RealDoor> {
        Ok(match client {
            ClusterClient::ClusterConnection => RealDoor::Cluster(cluster_connection(nodes, source).await?),
            ClusterClient::FollowRedirects => {
                let node = |address: &SocketAddr| (address.to_string(), RealNode::new(*address).bound_to(source));
                RealDoor::Following(ClusterNodes::new(nodes.iter().map(node).collect(), Resending::Never))
            }
        })
    }
}

impl ConnectionLike for RealDoor {
    fn req_packed_command<'a>(&'a mut self, cmd: &'a Cmd) -> RedisFuture<'a, Value> {
        match self {
            RealDoor::Node(node) => node.req_packed_command(cmd),
            RealDoor::Following(nodes) => nodes.req_packed_command(cmd),
            RealDoor::Cluster(cluster) => cluster.req_packed_command(cmd),
            RealDoor::Prefixed(door) => door.req_packed_command(cmd),
        }
    }

    fn req_packed_commands<'a>(&'a mut self, pipeline: &'a Pipeline, offset: usize, count: usize) -> RedisFuture<'a, Vec<Value>> {
        match self {
            RealDoor::Node(node) => node.req_packed_commands(pipeline, offset, count),
            RealDoor::Following(nodes) => nodes.req_packed_commands(pipeline, offset, count),
            RealDoor::Cluster(cluster) => cluster.req_packed_commands(pipeline, offset, count),
            RealDoor::Prefixed(door) => door.req_packed_commands(pipeline, offset, count),
        }
    }

    fn get_db(&self) -> i64 {
        0
    }
}
