//! What a server says of itself; no more than clients ask.

use super::super::keyspace::Keyspace;
use super::super::pattern;
use super::super::replication::Role;
use super::super::reply::{Outcome, Reply};
use super::super::server::{Imitates, Server};
use super::super::session::Session;
use crate::plan::Persistence;

/// By the node's clock, which counts milliseconds.
pub(super) fn time(_: &mut Keyspace, _: &[&[u8]], now: i64) -> Outcome {
    let parts = [now / 1000, now % 1000 * 1000];
    Ok(Reply::Array(parts.map(|part| Reply::bulk(part.to_string())).to_vec()))
}

pub(super) fn info(server: &mut Server, _: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    let version = server.imitates.version();
    let version = match server.imitates {
        Imitates::Redis70 | Imitates::Redis84 => format!("redis_version:{version}"),
        // Valkey goes on claiming the Redis that it was forked from.
        Imitates::Valkey9 => format!("redis_version:7.2.4\r\nserver_name:valkey\r\nvalkey_version:{version}"),
    };
    let role = if server.replication.role == Role::Master { "master" } else { "slave" };
    let mode = if server.cluster.is_some() { "cluster" } else { "standalone" };
    let replicas = server.replication.follower_count();
    Ok(Reply::bulk(format!(
        "# Server\r\n{version}\r\nredis_mode:{mode}\r\n\r\n# Replication\r\nrole:{role}\r\nconnected_slaves:{replicas}\r\n"
    )))
}

/// COMMAND INFO: of each name whether there is such a command, by its name and arity, and nothing more.
pub(super) fn command_info(server: &mut Server, _: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    let known = |name: &&[u8]| match super::named(name, server.imitates) {
        Some(command) => Reply::Array(vec![Reply::bulk(command.name), Reply::Int(command.arity.into())]),
        None => Reply::Nil,
    };
    Ok(Reply::Array(args[2..].iter().map(known).collect()))
}

pub(super) fn config_get(server: &mut Server, _: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    let (appendonly, save) = match server.persistence {
        Persistence::None => ("no", ""),
        Persistence::Rdb => ("no", "3600 1 300 100 60 10000"),
        Persistence::AofEverysec | Persistence::AofAlways => ("yes", ""),
    };
    let settings =
        [("appendonly", appendonly), ("databases", "1"), ("maxmemory", "0"), ("maxmemory-policy", "noeviction"), ("save", save)];
    let wanted = settings
        .into_iter()
        .filter(|(name, _)| args[2..].iter().any(|glob| pattern::matches(&glob.to_ascii_lowercase(), name.as_bytes())));
    Ok(Reply::Array(wanted.flat_map(|(name, value)| [Reply::bulk(name), Reply::bulk(value)]).collect()))
}
