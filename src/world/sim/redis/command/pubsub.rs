//! Channels: what a lock's release publishes, and its waiters hear.

use super::super::keyspace::Keyspace;
use super::super::reply::{ErrorReply, Outcome, Reply};
use super::super::server::Server;
use super::super::session::Session;

pub(super) fn publish(keys: &mut Keyspace, args: &[&[u8]], _: i64) -> Outcome {
    Ok(Reply::count(keys.channels.publish(args[1], args[2])))
}

/// To one channel; a server confirms several one by one.
pub(super) fn subscribe(server: &mut Server, session: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    let count = server.keys.channels.subscribe(session.id, args[1]);
    Ok(confirmed("subscribe", Reply::bulk(args[1]), count))
}

/// From one channel, or from the only one.
pub(super) fn unsubscribe(server: &mut Server, session: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    let channels = &mut server.keys.channels;
    let channel =
        args.get(1).map(|channel| channel.to_vec()).or_else(|| channels.heard_by(session.id).next().map(<[u8]>::to_vec));
    let count = channel.as_ref().map_or(0, |channel| channels.unsubscribe(session.id, channel));
    Ok(confirmed("unsubscribe", channel.map_or(Reply::Nil, Reply::Bulk), count))
}

fn confirmed(what: &str, channel: Reply, count: usize) -> Reply {
    Reply::Array(vec![Reply::bulk(what), channel, Reply::count(count)])
}

/// What PING is answered on a connection that has subscribed.
pub(in super::super) fn pong(message: &[u8]) -> Reply {
    Reply::Array(vec![Reply::bulk("pong"), Reply::bulk(message)])
}

/// What any other command is answered there.
pub(in super::super) fn not_while_subscribed(command: &str) -> ErrorReply {
    ErrorReply::quoting(format!(
        "ERR Can't execute '{command}': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context"
    ))
}
