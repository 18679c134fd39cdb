//! **phantom**: failure was reported, and the client's own key blocks.
//!
//! An acquire was answered no, certainly without effect; later the store was seen to hold its token. The answer was wrong, or the command
//! took effect after it. Certain, since a token names its attempt. Reported once an attempt.

use super::Property;
use crate::finding::Kind;
use crate::history::{OpId, What};
use crate::judge::ledger::{Fact, Ledger};
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::BTreeMap;

/// Looks for keys of attempts that were refused.
#[derive(Debug, Default)]
pub struct Phantom {
    /// By lock: the attempt that was last reported.
    reported: BTreeMap<String, OpId>,
}

impl Property for Phantom {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let Fact::Other(What::Observe(seen)) = fact else { return };
        let Some(holder) = &seen.holder else { return };
        let Some(refused) = ledger.refused(&seen.lock).find(|refused| refused.token == *holder && refused.at < seen.from) else {
            return;
        };
        // The same token may have been granted by a later answer: then its key is no phantom.
        let granted = ledger.remembered(&seen.lock).any(|grant| grant.token.as_ref() == Some(holder));
        if granted || self.reported.insert(seen.lock.clone(), refused.id) == Some(refused.id) {
            return;
        }
        let template = format!(
            "{} was refused {} at {{}}, and at {{}} the store held the key of that very attempt",
            refused.client, seen.lock
        );
        report.push(Suspicion {
            kind: Kind::Phantom,
            lock: seen.lock.clone(),
            clients: vec![refused.client.clone()],
            events: vec![refused.id],
            window: (refused.invoked, ledger.now),
            harm: (refused.at, ledger.now),
            story: Story::new(&template, &[refused.at, ledger.now]),
        });
    }
}
