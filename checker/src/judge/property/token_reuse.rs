//! **token-reuse**: one token, or one fencing token, was issued to two grants of one lock.
//!
//! A token must name its grant; a fencing token that two grants share fences neither from the other. Certain by definition.

use super::Property;
use crate::finding::Kind;
use crate::judge::ledger::{Fact, Grant, Ledger};
use crate::judge::seen::Seen;
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::HashMap;

/// Looks for tokens that come twice.
#[derive(Debug, Default)]
pub struct TokenReuse {
    locks: HashMap<String, Issued>,
}

#[derive(Debug, Default)]
struct Issued {
    tokens: Seen,
    fences: Seen,
    /// The last grant of each of a few fencing tokens, to be named.
    last: Option<Grant>,
}

impl Property for TokenReuse {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let Fact::Granted(_, _, grant) = fact else { return };
        if !self.locks.contains_key(&grant.lock) {
            self.locks.insert(grant.lock.clone(), Issued::default());
        }
        let Some(issued) = self.locks.get_mut(&grant.lock) else { return };
        let token =
            grant.token.as_deref().filter(|token| issued.tokens.insert_token(token)).map(|token| format!("token {token}"));
        let fence = grant.fence.filter(|fence| issued.fences.insert_number(*fence)).map(|fence| format!("fencing token {fence}"));
        let before = issued.last.replace((*grant).clone());
        let Some(what) = fence.or(token) else { return };
        let same = |other: &&Grant| {
            other.id != grant.id
                && ((other.fence.is_some() && other.fence == grant.fence)
                    || (other.token.is_some() && other.token == grant.token))
        };
        let before =
            before.as_ref().filter(same).or_else(|| ledger.remembered(&grant.lock).filter(same).min_by_key(|other| other.id));
        let (who, mut clients, mut events) = match before {
            Some(before) => (before.client.clone(), vec![before.client.clone()], vec![before.id]),
            None => ("an earlier grant".to_string(), vec![], vec![]),
        };
        clients.insert(0, grant.client.clone());
        clients.dedup();
        events.push(grant.id);
        let template =
            format!("{} was granted {} at {{}} with {what}, which {who} had been given before", grant.client, grant.lock);
        report.push(Suspicion {
            kind: Kind::TokenReuse,
            lock: grant.lock.clone(),
            clients,
            events,
            window: (before.map_or(grant.invoked, |before| before.invoked), ledger.now),
            harm: (ledger.now, ledger.now),
            story: Story::new(&template, &[ledger.now]),
        });
    }
}
