//! ROLE, REPLICAOF and WAIT.

use super::super::number::integer;
use super::super::replication::{Address, Role};
use super::super::reply::{ErrorReply, OK, Outcome, Reply};
use super::super::server::Server;
use super::super::session::{Blocked, Session};
use super::is;
use std::borrow::Cow;

const NOT_ON_A_REPLICA: ErrorReply = ErrorReply::fixed(
    "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable \
     (which is not the default) writes to replicas are just local and are not propagated.",
);

pub(super) fn role(server: &mut Server, _: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    Ok(server.replication.role_reply())
}

/// What it is told to follow is looked for by the simulated network.
pub(super) fn replicaof(server: &mut Server, _: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    if is(args[1], "NO") && is(args[2], "ONE") {
        server.follow(Role::Master);
        return Ok(OK);
    }
    let port = integer(args[2]).ok().and_then(|port| u16::try_from(port).ok());
    let port = port.ok_or(ErrorReply::fixed("ERR Invalid master port"))?;
    let role = Role::Replica(Address { host: String::from_utf8_lossy(args[1]).into_owned(), port });
    if server.replication.role == role {
        return Ok(Reply::Status(Cow::Borrowed("OK Already connected to specified master")));
    }
    server.follow(role);
    Ok(OK)
}

/// Answers at once with how many replicas have acknowledged what its session wrote. Where they are too few its session is blocked, and letting
/// the time pass is for whoever carries its messages.
pub(super) fn wait(server: &mut Server, session: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    if server.replication.role != Role::Master {
        return Err(NOT_ON_A_REPLICA);
    }
    let replicas = integer(args[1])?;
    let timeout = integer(args[2]).map_err(|_| ErrorReply::fixed("ERR timeout is not an integer or out of range"))?;
    let timeout_ms = u64::try_from(timeout).map_err(|_| ErrorReply::fixed("ERR timeout is negative"))?;
    let acknowledged = server.replication.acknowledged(session.written);
    if (acknowledged as i64) < replicas && !session.executing {
        session.blocked = Some(Blocked { replicas: replicas as u64, timeout_ms, offset: session.written });
    }
    Ok(Reply::count(acknowledged))
}
