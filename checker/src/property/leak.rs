//! `leak`: a key was left when all was quiet, by an attempt that was over.
//!
//! **Definition.** An observation that began after the run went quiet, and after an acquire was refused or a release of its grant
//! was answered `ok`, finds a key with its token; and every other attempt invoked by the observation's end that may have left the same token,
//! one that names it, or one of the same client that names none, was refused, if it names it before the observation began, or such a release of its grant
//! was answered before that.
//!
//! **Source.** redlock-py 1.0.8 (`lock()` raises and leaves its keys), rslock 0.10 ("took too long" skips the unlock).
//!
//! **Why exact.** What was refused certainly had no effect, and what was given back is certainly gone; so says the library.
//! A token that attempts of several clients had is nobody's, and an attempt of unknown outcome may rightly leave its key. A hold that nests in another
//! with the same token leaves the outer one's key. An attempt that is in flight with the same token may have the key meanwhile, however it ends; what its
//! token is, is known when it ends: until then the finding waits.

use super::Property;
use super::awaited::Awaited;
use super::quiet::Quiet;
use crate::finding::Kind;
use crate::history::KeySeen;
use crate::judge::fact::{Facts, Instant, Seen, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::seconds::Seconds;
use crate::lease::{Attempt, Over};
use std::sync::Arc;

/// The property.
#[derive(Debug, Default)]
pub struct Leak {
    quiet: Quiet,
    awaited: Awaited,
}

impl Property for Leak {
    fn wants(&self) -> Facts {
        self.quiet.wants(facts::OBSERVED) | self.awaited.wants()
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        self.awaited.ended(now);
        for seen in self.quiet.seen(now) {
            for key in &seen.keys {
                let token: Arc<str> = key.token.as_str().into();
                if let Some((attempt, how)) = now.leases.attempts().over(seen.lock, &token, seen.from) {
                    self.awaited.seen(now, seen.lock, &token, attempt.client, || draft(now, seen, key, &attempt, how));
                }
            }
        }
        self.awaited.tell(Kind::Leak, found);
    }

    fn finish(&mut self, _now: &Instant<'_>, found: &mut Found) {
        self.awaited.finish(Kind::Leak, found);
    }
}

fn draft(now: &Instant<'_>, seen: &Seen, key: &KeySeen, attempt: &Attempt, how: Over) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[attempt.since, now.at]);
    let how = match how {
        Over::Refused => "been refused",
        Over::GivenBack => "been given back",
    };
    let sentence = format!(
        "when all was quiet, at {}, {} still had the key {} of {}'s attempt on {}, which had {how} at {}",
        seconds.at(now.at),
        key.node,
        key.key,
        now.name(attempt.client),
        now.name(seen.lock),
        seconds.at(attempt.since)
    );
    Draft {
        clients: vec![attempt.client],
        events: vec![attempt.id],
        since: now.zero,
        ..Draft::new(Kind::Leak, seen.lock, now.at, sentence)
    }
}
