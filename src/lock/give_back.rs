//! Gives back a grant that the client is not told of.

use super::{Done, Held, Io, Lock};
use redis::aio::ConnectionLike;

/// Releases a grant and sees that it is gone.
///
/// # Errors
/// In words, why it may still be there.
pub async fn give_back<C: ConnectionLike, K: crate::client::Clock>(
    lock: &mut dyn Lock<C, K>,
    io: &mut Io<C, K>,
    key: &str,
    token: &str,
) -> Result<(), String> {
    match lock.release(io, key, token).await {
        Done::Yes => Ok(()),
        Done::Unknown(why) => Err(why),
        // Expired, or not executed: only the first leaves nothing behind.
        Done::No(why) => match lock.check(io, key, token).await {
            Held::No => Ok(()),
            Held::Yes | Held::Unknown(_) => Err(why),
        },
    }
}
