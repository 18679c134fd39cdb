//! Sentinels: real ones, that watch the master through the wire and promote a replica by themselves.

use super::RealWorld;
use super::node::Node;
use crate::client::real::WATCHED;
use redis::Value;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// How long sentinels may take to know each other and the replicas.
const PATIENCE: Duration = Duration::from_secs(15);
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// When the first of them takes the master for dead, in milliseconds; less is not faster, since they ping every 300.
const DOWN_AFTER_MS: usize = 500;
/// How much later each further one does. Where all do at once, all stand for election at once.
const STAGGER_MS: usize = 150;
/// How often they look, in milliseconds. Their own timings cost seconds; the ask and election periods are left alone.
const PERIODS: &str = "INFO-PERIOD 100 PUBLISH-PERIOD 100 PING-PERIOD 300";

/// The configuration of a sentinel: the index says which, and it is found at the address.
pub fn configuration(index: usize, announce: SocketAddr, master: SocketAddr, quorum: usize) -> String {
    let down_after = DOWN_AFTER_MS + STAGGER_MS * index;
    format!(
        "sentinel announce-ip {}\nsentinel announce-port {}\nsentinel monitor {WATCHED} {} {} {quorum}\n\
         sentinel down-after-milliseconds {WATCHED} {down_after}\nsentinel failover-timeout {WATCHED} 1000\n\
         sentinel parallel-syncs {WATCHED} 1\n",
        announce.ip(),
        announce.port(),
        master.ip(),
        master.port()
    )
}

/// Has them look often, and sees that each knows the others and every replica.
///
/// # Errors
/// In words, who does not.
pub async fn health(world: &RealWorld) -> Result<(), String> {
    let others = world.sentinels.len().saturating_sub(1) as u64;
    let replicas = u64::from(world.plan.topology.replica_count());
    for sentinel in &world.sentinels {
        hurry(sentinel).await?;
    }
    let begun = Instant::now();
    for sentinel in &world.sentinels {
        while known(sentinel).await.is_none_or(|known| known != (replicas, others)) {
            if begun.elapsed() > PATIENCE {
                let known = known(sentinel).await;
                return Err(format!(
                    "{} knows of (replicas, other sentinels) {known:?}, not {:?}",
                    sentinel.name,
                    (replicas, others)
                ));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }
    Ok(())
}

/// Has a sentinel look often.
///
/// # Errors
/// In words, that it cannot be told.
pub async fn hurry(sentinel: &Node) -> Result<(), String> {
    let debug = redis::cmd("SENTINEL").arg("DEBUG").arg(PERIODS.split(' ').collect::<Vec<_>>()).take();
    match sentinel.with(async |connection: &mut _| debug.query_async::<Value>(connection).await).await {
        Some(Ok(_)) => Ok(()),
        other => Err(format!("{} cannot be told how often to look: {other:?}", sentinel.name)),
    }
}

/// How many replicas and other sentinels a sentinel knows.
async fn known(sentinel: &Node) -> Option<(u64, u64)> {
    let ask = redis::cmd("SENTINEL").arg("MASTER").arg(WATCHED).take();
    let said = sentinel.with(async |connection: &mut _| ask.query_async::<Vec<String>>(connection).await).await?.ok()?;
    let number = |name: &str| said.chunks(2).find(|field| field[0] == name)?.get(1)?.parse().ok();
    Some((number("num-slaves")?, number("num-other-sentinels")?))
}

/// The node that the first sentinel that can be asked names as the master.
pub async fn master(world: &RealWorld) -> Option<String> {
    let ask = redis::cmd("SENTINEL").arg("GET-MASTER-ADDR-BY-NAME").arg(WATCHED).take();
    for sentinel in &world.sentinels {
        let said = sentinel.with(async |connection: &mut _| ask.query_async::<(String, u16)>(connection).await).await;
        if let Some(Ok((host, port))) = said {
            let at = format!("{host}:{port}").parse().ok()?;
            return world.nodes.iter().find(|node| world.gate(&node.name) == at).map(|node| node.name.clone());
        }
    }
    None
}
