//! `phantom`: failure was reported, and the client's own key blocks.
//!
//! **Definition.** An acquire was refused, which means that it certainly had no effect; an observation that began after that
//! finds its token as the holder; and every other attempt invoked by the observation's end that may have left the same token was refused, too:
//! those that name it, before the observation began, and those of the same client that name none. Of several with one token the first is told.
//!
//! **Source.** redis-py 8.1 and go-redis 2985 (the client library re-sends `SET NX`, whose second reply says no);
//! redlock-py 1.0.8 (`lock()` raises after it took the quorum); node-redlock 5 (the own key of the first try blocks the rest).
//!
//! **Why exact.** A token identifies an attempt; tokens that attempts of several clients had tell nothing and are left alone. An attempt that takes the
//! key and gives it back before it says no has left nothing, and may have been seen with it meanwhile: so one with the same token that was in flight
//! during the observation explains it, however it ended. Of an attempt in flight it is known when it ends what its token is: until then the finding waits.

use super::Property;
use super::awaited::Awaited;
use crate::finding::Kind;
use crate::judge::fact::{Facts, Instant, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::seconds::Seconds;
use crate::lease::Attempt;

/// The property.
#[derive(Debug, Default)]
pub struct Phantom {
    awaited: Awaited,
}

impl Property for Phantom {
    fn wants(&self) -> Facts {
        facts::OBSERVED | self.awaited.wants()
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        self.awaited.ended(now);
        for seen in now.seen() {
            let Some(token) = &seen.holder else { continue };
            if let Some(attempt) = now.leases.attempts().refused(seen.lock, token, seen.from) {
                self.awaited.seen(now, seen.lock, token, attempt.client, || draft(now, seen.lock, token, &attempt));
            }
        }
        self.awaited.tell(Kind::Phantom, found);
    }

    fn finish(&mut self, _now: &Instant<'_>, found: &mut Found) {
        self.awaited.finish(Kind::Phantom, found);
    }
}

fn draft(now: &Instant<'_>, lock: Name, token: &str, attempt: &Attempt) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[attempt.since, now.at]);
    let client = now.name(attempt.client);
    let sentence = format!(
        "{client} was refused {} at {}; at {} the store still said that {client}'s own attempt (token {token}) holds it",
        now.name(lock),
        seconds.at(attempt.since),
        seconds.at(now.at)
    );
    Draft {
        clients: vec![attempt.client],
        events: vec![attempt.id],
        since: now.zero,
        ..Draft::new(Kind::Phantom, lock, now.at, sentence)
    }
}
