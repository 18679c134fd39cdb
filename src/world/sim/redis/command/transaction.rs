//! MULTI, EXEC and WATCH.

use super::super::args::gathered;
use super::super::reply::{ErrorReply, OK, Outcome, Reply};
use super::super::server::Server;
use super::super::session::{Session, Transaction};
use super::find;

pub(super) fn multi(_: &mut Server, session: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    if session.transaction.is_some() {
        return Err(ErrorReply::fixed("ERR MULTI calls can not be nested"));
    }
    session.transaction = Some(Transaction::default());
    Ok(OK)
}

pub(super) fn discard(server: &mut Server, session: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    session.transaction.take().ok_or(ErrorReply::fixed("ERR DISCARD without MULTI"))?;
    server.keys.watchers.forget(session.id);
    Ok(OK)
}

pub(super) fn exec(server: &mut Server, session: &mut Session, _: &[&[u8]], now: i64) -> Outcome {
    let transaction = session.transaction.take().ok_or(ErrorReply::fixed("ERR EXEC without MULTI"))?;
    let keys = &server.keys;
    let stale = keys.watchers.is_dirty(session.id) || keys.watchers.keys_of(session.id).any(|key| keys.is_expired(key, now));
    server.keys.watchers.forget(session.id);
    if transaction.broken {
        return Err(ErrorReply::fixed("EXECABORT Transaction discarded because of previous errors."));
    }
    if stale {
        return Ok(Reply::Nil);
    }
    session.executing = true;
    let replies = transaction.queue.iter().map(|queued| {
        gathered(queued.iter().map(Vec::as_slice), |args| {
            // What was queued had been found already.
            find(args, server.imitates).map_or(Reply::Nil, |command| server.run(session, command, args, now).into())
        })
    });
    let replies = replies.collect();
    session.executing = false;
    Ok(Reply::Array(replies))
}

pub(super) fn watch(server: &mut Server, session: &mut Session, args: &[&[u8]], now: i64) -> Outcome {
    if session.transaction.is_some() {
        return Err(ErrorReply::fixed("ERR WATCH inside MULTI is not allowed"));
    }
    // Who lost already need not look any further.
    if !server.keys.watchers.is_dirty(session.id) {
        for key in &args[1..] {
            let expired = server.keys.is_expired(key, now);
            server.keys.watchers.add(key, session.id, expired);
        }
    }
    Ok(OK)
}

pub(super) fn unwatch(server: &mut Server, session: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    server.keys.watchers.forget(session.id);
    Ok(OK)
}
