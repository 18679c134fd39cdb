//! L2 `setnx-expire`: SETNX, then EXPIRE; a crash between the two leaves a key that never expires. With [`Repair`] L2r, the
//! defence of *Redis in Action* (section 6.2.5): a loser who finds no TTL sets one.
//!
//! The TTL is set by PEXPIRE, not EXPIRE, so that TTLs below a second work; nothing else differs. The repair asks TTL, in seconds,
//! as the book does: on a Redis since 2.8 a key without TTL answers -1 and the printed test `not ttl(key)` never sees it. What it does
//! see is 0, which TTL, being rounded, answers in the last half second of a healthy lease: as printed it lengthens those.

use super::{Attempt, Done, Io, Lock, Step, command, outcome, script};
use crate::client::Clock;
use crate::plan::Repair;
use redis::aio::ConnectionLike;
use redis::{RedisResult, Script, cmd};
use std::time::Duration;

/// SETNX of a random token, then PEXPIRE.
pub struct SetnxExpire {
    /// What a loser does about a key without a TTL.
    pub repair: Repair,
}

impl<C: ConnectionLike, K: Clock> Lock<C, K> for SetnxExpire {
    fn scripts(&self) -> Vec<&'static Script> {
        vec![&script::COMPARE_AND_DELETE, &script::COMPARE_AND_PEXPIRE]
    }

    fn acquire<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, ttl: Duration) -> Step<'a, Attempt> {
        Box::pin(async move {
            let token = io.token();
            match command::setnx(io.node(), key, &token).await {
                // Whatever PEXPIRE says, a recipe of two commands has its key by now; only an error stops it.
                Ok(true) => match command::pexpire(io.node(), key, ttl).await {
                    Ok(_) => Attempt::granted(token, None),
                    Err(error) => {
                        let why = format!("SETNX took the key, then {}", outcome::words("PEXPIRE", &error));
                        Attempt::Unknown { token, why }
                    }
                },
                // A repair gives the key no holder, so its outcome is not the attempt's.
                Ok(false) => match self.repair(io.node(), key, ttl).await {
                    Ok(()) => Attempt::taken(token),
                    Err(error) => {
                        let why = format!("held by another; {}", outcome::words("repair", &error));
                        Attempt::Refused { token, why }
                    }
                },
                Err(error) => Attempt::failed(token, "SETNX", &error),
            }
        })
    }

    fn release<'a>(&'a mut self, io: &'a mut Io<C, K>, key: &'a str, token: &'a str) -> Step<'a, Done> {
        Box::pin(async move { script::compare_and_delete(io.node(), key, token).await })
    }
}

impl SetnxExpire {
    async fn repair(&self, node: &mut impl ConnectionLike, key: &str, ttl: Duration) -> RedisResult<()> {
        let fires: fn(i64) -> bool = match self.repair {
            Repair::None => return Ok(()),
            Repair::AsPrinted => |seconds| seconds == 0,
            Repair::Corrected => |seconds| seconds < 0,
        };
        let seconds = cmd("TTL").arg(key).query_async(node).await?;
        if fires(seconds) {
            command::pexpire(node, key, ttl).await?;
        }
        Ok(())
    }
}
