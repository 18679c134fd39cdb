//! Commands about the connection.

use super::super::keyspace::Keyspace;
use super::super::number::integer;
use super::super::replication::Role;
use super::super::reply::{ErrorReply, OK, Outcome, Reply};
use super::super::server::{Imitates, Server};
use super::super::session::Session;
use super::is;
use std::borrow::Cow;

pub(super) fn ping(_: &mut Keyspace, args: &[&[u8]], _: i64) -> Outcome {
    match args[1..] {
        [] => Ok(Reply::Status(Cow::Borrowed("PONG"))),
        [message] => Ok(Reply::bulk(message)),
        _ => Err(ErrorReply::arity("ping")),
    }
}

pub(super) fn echo(_: &mut Keyspace, args: &[&[u8]], _: i64) -> Outcome {
    Ok(Reply::bulk(args[1]))
}

/// There is one database, as with `databases 1`.
pub(super) fn select(_: &mut Keyspace, args: &[&[u8]], _: i64) -> Outcome {
    match integer(args[1])? {
        0 => Ok(OK),
        other if i32::try_from(other).is_err() => {
            Err(ErrorReply::fixed("ERR value is out of range, value must between -2147483648 and 2147483647"))
        }
        _ => Err(ErrorReply::fixed("ERR DB index is out of range")),
    }
}

pub(super) fn client_id(_: &mut Server, session: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    Ok(Reply::Int(session.id.0))
}

pub(super) fn client_getname(_: &mut Server, session: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    Ok(if session.name.is_empty() { Reply::Nil } else { Reply::Bulk(session.name.clone()) })
}

pub(super) fn client_setname(_: &mut Server, session: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    set_name(session, args[2])?;
    Ok(OK)
}

fn set_name(session: &mut Session, name: &[u8]) -> Result<(), ErrorReply> {
    if !name.iter().all(|b| (b'!'..=b'~').contains(b)) {
        return Err(ErrorReply::fixed("ERR Client names cannot contain spaces, newlines or special characters."));
    }
    session.name = name.to_vec();
    Ok(())
}

/// What a library says of itself is not kept.
pub(super) fn client_setinfo(_: &mut Server, _: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    Ok(OK)
}

/// `HELLO`, `HELLO 2` and `HELLO 2 SETNAME name`; it speaks RESP2 only.
pub(super) fn hello(server: &mut Server, session: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    if let Some(version) = args.get(1) {
        let version =
            integer(version).map_err(|_| ErrorReply::fixed("ERR Protocol version is not an integer or out of range"))?;
        if version != 2 {
            return Err(ErrorReply::fixed("NOPROTO unsupported protocol version"));
        }
    }
    let mut options = args.get(2..).unwrap_or_default();
    while let [option, rest @ ..] = options {
        options = match rest {
            [given, rest @ ..] if is(option, "SETNAME") => {
                set_name(session, given)?;
                rest
            }
            _ => {
                let option = String::from_utf8_lossy(option);
                return Err(ErrorReply::quoting(format!("ERR Syntax error in HELLO option '{option}'")));
            }
        };
    }
    let name = if server.imitates == Imitates::Valkey9 { "valkey" } else { "redis" };
    let fields = [
        ("server", Reply::bulk(name)),
        ("version", Reply::bulk(server.imitates.version())),
        ("proto", Reply::Int(2)),
        ("id", Reply::Int(session.id.0)),
        ("mode", Reply::bulk(if server.cluster.is_some() { "cluster" } else { "standalone" })),
        ("role", Reply::bulk(if server.replication.role == Role::Master { "master" } else { "replica" })),
        ("modules", Reply::Array(Vec::new())),
    ];
    Ok(Reply::Array(fields.into_iter().flat_map(|(field, value)| [Reply::bulk(field), value]).collect()))
}
