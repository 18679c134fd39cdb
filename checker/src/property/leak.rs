//! `leak`: a key was left when all was quiet, by an attempt that was over.
//!
//! **Definition.** An observation that began after the run went quiet, and after an acquire was refused or a grant's release
//! was answered `ok`, finds a key with its token.
//!
//! **Source.** redlock-py 1.0.8 (`lock()` raises and leaves its keys), rslock 0.10 ("took too long" skips the unlock).
//!
//! **Why exact.** What was refused certainly had no effect, and what was given back is certainly gone; so says the library.
//! A token that attempts of several clients had is nobody's, and an attempt of unknown outcome may rightly leave its key.

use super::Property;
use super::quiet::Quiet;
use crate::finding::Kind;
use crate::judge::fact::{Facts, Instant, Seen, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::Name;
use crate::judge::recent::Recent;
use crate::judge::seconds::Seconds;
use crate::lease::Fate;
use std::sync::Arc;

/// The property.
#[derive(Debug, Default)]
pub struct Leak {
    quiet: Quiet,
    told: Recent<(Name, Arc<str>), ()>,
}

impl Property for Leak {
    fn wants(&self) -> Facts {
        self.quiet.wants(facts::OBSERVED)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        self.quiet.seen(now).for_each(|seen| self.seen(now, seen, found));
    }
}

impl Leak {
    fn seen(&mut self, now: &Instant<'_>, seen: &Seen, found: &mut Found) {
        for key in &seen.keys {
            let token: Arc<str> = key.token.as_str().into();
            let Some(attempt) = now.leases.attempts().with_token(seen.lock, &token) else { continue };
            let how = match attempt.fate {
                Fate::Refused => "been refused",
                Fate::Released => "been given back",
                _ => continue,
            };
            let name = (seen.lock, token);
            if attempt.since > seen.from || self.told.get(&name).is_some() {
                continue;
            }
            self.told.insert(name, ());
            found.add(Kind::Leak, seen.lock, || {
                let seconds = Seconds::telling_apart(now.zero, &[attempt.since, now.at]);
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
            });
        }
    }
}
