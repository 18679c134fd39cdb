//! What a node suffers without dying: it runs out of memory, forgets its scripts, or its event loop is blocked.
//!
//! An event loop is blocked by DEBUG SLEEP, which does what a long script does and takes no processor from the others.

use super::node::Node;
use super::{RealWorld, look};
use crate::client::real::RealNode;
use crate::plan::Plan;
use nemesis::{Evidence, NotInjected};
use redis::RedisResult;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// How much a filler key holds, and how many are written at once.
const FILLER: (usize, usize) = (1 << 10, 50);
/// How much memory there is beyond what is used when the filling begins.
const ROOM: u64 = 256 << 10;
/// How long a key may take to be evicted.
const EVICTED_WITHIN: Duration = Duration::from_secs(5);
/// A node that does not answer for so long is busy with something.
const SILENCE: Duration = Duration::from_millis(50);
/// How long it may take until a node is heard again that was blocked.
const UNBLOCKED_WITHIN: Duration = Duration::from_secs(30);

/// A command that blocks a node.
#[derive(Debug)]
pub struct Block {
    begun: Instant,
    /// With when it ended.
    command: JoinHandle<RedisResult<Instant>>,
}

impl Block {
    /// Whether the node is blocked by it yet.
    pub fn is_in_force(&self) -> bool {
        !self.command.is_finished()
    }
}

/// Fills a node's memory until the keys of the plan's locks that it has are evicted; then it has memory again.
pub async fn evict(world: &RealWorld, node: &Node) -> Result<Evidence, NotInjected> {
    let mut tokens = Vec::new();
    for lock in (1..=world.plan.workload.locks).map(Plan::lock_name) {
        let seen = look::keys(node, &lock, &world.plan.lock).await;
        let seen = seen.ok_or_else(|| NotInjected(format!("{} cannot be asked what it has", node.name)))?;
        tokens.extend(seen.into_iter().map(|key| (key.key, key.token)));
    }
    if tokens.is_empty() {
        return Err(NotInjected(format!("{} has no key of a lock that could be evicted", node.name)));
    }
    let filled = fill(world, node, &tokens).await;
    let relieved = node.with(relieve).await;
    let (evicted, written) = filled?;
    match relieved {
        Some(Ok(())) => {
            let keys: Vec<&str> = tokens.iter().map(|(key, _)| key.as_str()).collect();
            Ok(Evidence(format!(
                "{} evicted {evicted} keys while {written} were written, {} among them",
                node.name,
                keys.join(", ")
            )))
        }
        _ => Err(NotInjected(format!("{} could not be given its memory back", node.name))),
    }
}

/// How many keys were evicted, and how many written, until none of these is there with this token.
async fn fill(world: &RealWorld, node: &Node, tokens: &[(String, String)]) -> Result<(u64, usize), NotInjected> {
    let failed = |error| NotInjected(format!("{} could not be filled: {error}", node.name));
    let used = info(node, "memory", "used_memory").await?;
    let before = info(node, "stats", "evicted_keys").await?;
    let press = async |connection: &mut RealNode| {
        let mut config = redis::cmd("CONFIG");
        config.arg("SET").arg("maxmemory").arg(used + ROOM).arg("maxmemory-policy").arg("allkeys-random");
        config.query_async::<()>(connection).await
    };
    node.with(press).await.ok_or_else(|| failed("it is dead or paused".into()))?.map_err(|error| failed(error.to_string()))?;
    let (begun, mut written) = (Instant::now(), 0);
    let value = "x".repeat(FILLER.0);
    while begun.elapsed() < EVICTED_WITHIN {
        let write = async |connection: &mut RealNode| {
            let mut pipe = redis::pipe();
            for number in written..written + FILLER.1 {
                pipe.cmd("SET").arg(filler(number)).arg(&value).ignore();
            }
            pipe.query_async::<()>(connection).await
        };
        let wrote = node.with(write).await.ok_or_else(|| failed("it is dead or paused".into()))?;
        wrote.map_err(|error| failed(error.to_string()))?;
        written += FILLER.1;
        let mut left = false;
        for (lock, token) in tokens {
            let seen = look::keys(node, lock, &world.plan.lock).await.unwrap_or_default();
            left |= seen.iter().any(|key| key.token == *token);
        }
        if !left {
            return Ok((info(node, "stats", "evicted_keys").await?.saturating_sub(before), written));
        }
    }
    Err(NotInjected(format!("{} evicted other keys for {} s", node.name, EVICTED_WITHIN.as_secs())))
}

fn filler(number: usize) -> String {
    format!("fencepost:filler:{number}")
}

/// Gives a node its memory back, and deletes what filled it.
async fn relieve(connection: &mut RealNode) -> RedisResult<()> {
    redis::cmd("CONFIG")
        .arg("SET")
        .arg("maxmemory")
        .arg(0)
        .arg("maxmemory-policy")
        .arg("noeviction")
        .query_async::<()>(connection)
        .await?;
    let keys: Vec<String> = redis::cmd("KEYS").arg("fencepost:filler:*").query_async(connection).await?;
    if !keys.is_empty() {
        redis::cmd("DEL").arg(keys).query_async::<()>(connection).await?;
    }
    Ok(())
}

/// Has a node forget its scripts.
pub async fn flush_scripts(node: &Node) -> Result<Evidence, NotInjected> {
    let before = info(node, "memory", "number_of_cached_scripts").await?;
    let flush = async |connection: &mut RealNode| {
        // In one step, so that what is counted afterwards was not sent anew.
        let mut both = redis::pipe();
        both.atomic().cmd("SCRIPT").arg("FLUSH").arg("SYNC").ignore().cmd("INFO").arg("memory");
        both.query_async::<(String,)>(connection).await
    };
    let flushed = node.with(flush).await.ok_or_else(|| NotInjected(format!("{} cannot be asked", node.name)))?;
    let (told,) = flushed.map_err(|error| NotInjected(format!("{} kept its scripts: {error}", node.name)))?;
    match (before, number(&told, "number_of_cached_scripts")) {
        (0, _) => Err(NotInjected(format!("{} had no scripts that it could forget", node.name))),
        (before, Some(0)) => Ok(Evidence(format!("{} had {before} scripts before and 0 after", node.name))),
        (_, after) => Err(NotInjected(format!("{} has {after:?} scripts after they were flushed", node.name))),
    }
}

/// Blocks a node for so many milliseconds; returns as soon as it does not answer any more.
pub async fn block(world: &RealWorld, node: &Node, for_ms: u64) -> Result<Evidence, NotInjected> {
    if node.is_blocked() {
        return Err(NotInjected(format!("{} is blocked already", node.name)));
    }
    let pid = node.pid().ok_or_else(|| NotInjected(format!("{} is dead", node.name)))?;
    let connection = || RealNode::new(node.address).bound_to(world.habitat.runner()).patience(UNBLOCKED_WITHIN);
    // It must be connected before nobody is accepted any more.
    let (mut sender, mut listener) = (connection(), connection());
    for connection in [&mut sender, &mut listener] {
        let ping = redis::cmd("PING").query_async::<String>(connection).await;
        ping.map_err(|error| NotInjected(format!("{} does not answer: {error}", node.name)))?;
    }
    let begun = Instant::now();
    let command = tokio::spawn(async move {
        let seconds = for_ms as f64 / 1000.0;
        redis::cmd("DEBUG").arg("SLEEP").arg(seconds).query_async::<()>(&mut sender).await.map(|()| Instant::now())
    });
    let block = Block { begun, command };
    while block.is_in_force() {
        let ping = redis::cmd("PING");
        if tokio::time::timeout(SILENCE, ping.query_async::<String>(&mut listener)).await.is_err() && block.is_in_force() {
            node.blocked_by(block);
            return Ok(Evidence(format!(
                "process {pid} sleeps for {for_ms} ms and did not answer PING within {} ms",
                SILENCE.as_millis()
            )));
        }
    }
    match block.command.await {
        Ok(Err(error)) => Err(NotInjected(format!("{} does not obey DEBUG SLEEP: {error}", node.name))),
        _ => Err(NotInjected(format!("{} slept, and answered all the while", node.name))),
    }
}

/// Waits until a node is free again.
pub async fn unblocked(node: &Node) -> Result<Evidence, NotInjected> {
    let Some(Block { begun, command }) = node.unblocked() else {
        return Err(NotInjected(format!("{} was not blocked", node.name)));
    };
    let name = &node.name;
    match tokio::time::timeout(UNBLOCKED_WITHIN, command).await {
        Ok(Ok(Ok(ended))) => {
            Ok(Evidence(format!("{name} woke {} ms after it was blocked", ended.duration_since(begun).as_millis())))
        }
        Ok(Ok(Err(error))) => Err(NotInjected(format!("{name} ended its sleep with an error: {error}"))),
        Ok(Err(error)) => Err(NotInjected(format!("nobody heard {name} wake: {error}"))),
        Err(_) => Err(NotInjected(format!("{name} sleeps yet after {} s", UNBLOCKED_WITHIN.as_secs()))),
    }
}

/// A number of a section of INFO.
async fn info(node: &Node, section: &str, field: &str) -> Result<u64, NotInjected> {
    let told = node.with(async |connection| redis::cmd("INFO").arg(section).query_async::<String>(connection).await).await;
    let told = told.and_then(Result::ok).and_then(|told| number(&told, field));
    told.ok_or_else(|| NotInjected(format!("{} does not say its `{field}`", node.name)))
}

fn number(info: &str, field: &str) -> Option<u64> {
    info.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':')?.trim().parse().ok())
}
