//! EVAL and the cache of scripts.

use super::super::number::integer;
use super::super::reply::{ErrorReply, OK, Outcome, Reply};
use super::super::script::{self, Sha};
use super::super::server::Server;
use super::super::session::Session;
use super::is;

const NO_SCRIPT: ErrorReply = ErrorReply::fixed("NOSCRIPT No matching script. Please use EVAL.");

pub(super) fn eval(server: &mut Server, _: &mut Session, args: &[&[u8]], now: i64) -> Outcome {
    let (keys, argv) = split(args)?;
    script::eval(server, args[1], keys, argv, now)
}

pub(super) fn evalsha(server: &mut Server, _: &mut Session, args: &[&[u8]], now: i64) -> Outcome {
    let sha = Sha::parse(args[1]).ok_or(NO_SCRIPT)?;
    let (keys, argv) = split(args)?;
    script::eval_known(server, sha, keys, argv, now).unwrap_or(Err(NO_SCRIPT))
}

type Split<'a, 'b> = (&'a [&'b [u8]], &'a [&'b [u8]]);

/// KEYS and ARGV of `EVAL script numkeys key… arg…`.
fn split<'a, 'b>(args: &'a [&'b [u8]]) -> Result<Split<'a, 'b>, ErrorReply> {
    let keys = integer(args[2])?;
    let rest = &args[3..];
    match usize::try_from(keys) {
        Ok(keys) if keys <= rest.len() => Ok(rest.split_at(keys)),
        Ok(_) => Err(ErrorReply::fixed("ERR Number of keys can't be greater than number of args")),
        Err(_) => Err(ErrorReply::fixed("ERR Number of keys can't be negative")),
    }
}

pub(super) fn load(server: &mut Server, _: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    script::load(server, args[2]).map(|sha| Reply::bulk(sha.as_bytes()))
}

pub(super) fn exists(server: &mut Server, _: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    let known = args[2..].iter().map(|sha| Reply::Int(Sha::parse(sha).is_some_and(|sha| server.scripts.knows(&sha)).into()));
    Ok(Reply::Array(known.collect()))
}

pub(super) fn flush(server: &mut Server, _: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    match args[2..] {
        [] => {}
        [how] if is(how, "ASYNC") || is(how, "SYNC") => {}
        _ => return Err(ErrorReply::fixed("ERR SCRIPT FLUSH only support SYNC|ASYNC option")),
    }
    server.scripts = Default::default();
    Ok(OK)
}

/// Commands come one after the other, so none is running.
pub(super) fn kill(_: &mut Server, _: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    Err(ErrorReply::fixed("NOTBUSY No scripts in execution right now."))
}
