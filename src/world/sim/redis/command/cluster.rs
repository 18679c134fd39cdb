//! CLUSTER SLOTS, CLUSTER KEYSLOT and ASKING.

use super::super::cluster::DISABLED;
use super::super::reply::{OK, Outcome, Reply};
use super::super::server::Server;
use super::super::session::Session;
use crate::slot;

pub(super) fn slots(server: &mut Server, _: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    server.cluster.as_ref().ok_or(DISABLED)?.slots()
}

pub(super) fn keyslot(server: &mut Server, _: &mut Session, args: &[&[u8]], _: i64) -> Outcome {
    server.cluster.as_ref().ok_or(DISABLED)?;
    Ok(Reply::Int(slot::of(args[2]).into()))
}

/// No slot is ever on the move here.
pub(super) fn asking(server: &mut Server, _: &mut Session, _: &[&[u8]], _: i64) -> Outcome {
    server.cluster.as_ref().ok_or(DISABLED)?;
    Ok(OK)
}
