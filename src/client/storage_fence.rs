//! A fencing token for a lock that has none of its own: drawn from the storage that the lock protects, once the lock has granted.
//!
//! The storage is what all writes meet, so that no failure of the lock's Redis loses a token or issues one twice. A token that is drawn when the
//! grant is over would be younger than the next holder's, and fence nobody off: so the lock's own deadline, where it measures one, is looked at
//! once more after the draw. A lock that looks at no clock has no such deadline, and a pause between the grant and the draw defeats its fence.
//!
//! Source: Martin Kleppmann, *How to do distributed locking* (2016), which asks for tokens that a consensus issues; the storage stands for it here.

use super::{Clock, Session};
use crate::lock::{Attempt, Grant, give_back};
use redis::aio::ConnectionLike;

impl<C: ConnectionLike + 'static, K: Clock + 'static> Session<C, K> {
    /// The attempt with a fencing token from the storage, if it is a grant; one that gets none in time is given back.
    pub(super) async fn fenced(&mut self, key: &str, attempt: Attempt) -> Attempt {
        let Attempt::Granted(mut grant) = attempt else { return attempt };
        let Some(registers) = &mut self.registers else { return Attempt::Granted(grant) };
        match registers.draw(key).await {
            Ok(fence) => grant.fence = Some(fence),
            Err(why) => return self.given_back(key, grant, format!("granted, and no fencing token could be drawn: {why}")).await,
        }
        match grant.validity.map(|validity| validity.at(self.io.clock.monotonic())) {
            Some(None) => {
                self.given_back(key, grant, "granted too late: it was over when the fencing token was drawn".into()).await
            }
            left => {
                grant.validity = left.flatten();
                Attempt::Granted(grant)
            }
        }
    }

    async fn given_back(&mut self, key: &str, grant: Grant, why: String) -> Attempt {
        let token = grant.token;
        match give_back(&mut *self.lock, &mut self.io, key, &token).await {
            Ok(()) => Attempt::Failed { token, error: why },
            Err(kept) => Attempt::Unknown { token, why: format!("{why}; given back: {kept}") },
        }
    }
}
