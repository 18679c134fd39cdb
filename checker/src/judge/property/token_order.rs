//! **token-order**: fencing tokens did not rise in the order of grants.
//!
//! Of two grants of which one was answered before the other was asked for, the later must have the higher token, or the resource will take the older
//! for the newer (Kleppmann 2016). Only the highest token that had been issued by an invocation is needed: if any is too high, it is. A
//! token that is equal is `token-reuse`, and reported as that. Exact, O(1) a grant.

use super::Property;
use crate::finding::Kind;
use crate::history::{Op, OpId};
use crate::judge::ledger::{Fact, Ledger};
use crate::judge::quick::ById;
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::HashMap;

/// Looks for tokens that fall.
#[derive(Debug, Default)]
pub struct TokenOrder {
    highest: HashMap<String, Issued>,
    pending: ById<Issued>,
}

#[derive(Debug, Clone)]
struct Issued {
    fence: u64,
    grant: OpId,
    client: String,
    invoked: u64,
}

impl Property for TokenOrder {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        match fact {
            Fact::Invoked(acquire) => {
                if let Op::Acquire { lock, .. } = &acquire.op
                    && let Some(highest) = self.highest.get(lock)
                {
                    self.pending.insert(acquire.id, highest.clone());
                }
            }
            Fact::Ended(acquire, _) => drop(self.pending.remove(&acquire.id)),
            Fact::Granted(acquire, _, grant) => {
                let before = self.pending.remove(&acquire.id);
                let Some(fence) = grant.fence else { return };
                if let Some(before) = before.filter(|before| before.fence > fence) {
                    let template = format!(
                        "{} was granted {} at {{}} with fencing token {fence}, after {} had been given {}",
                        grant.client, grant.lock, before.client, before.fence
                    );
                    report.push(Suspicion {
                        kind: Kind::TokenOrder,
                        lock: grant.lock.clone(),
                        clients: vec![grant.client.clone(), before.client.clone()],
                        events: vec![before.grant, grant.id],
                        window: (before.invoked, ledger.now),
                        harm: (ledger.now, ledger.now),
                        story: Story::new(&template, &[ledger.now]),
                    });
                }
                if self.highest.get(&grant.lock).is_none_or(|highest| fence > highest.fence) {
                    let issued = Issued { fence, grant: grant.id, client: grant.client.clone(), invoked: grant.invoked };
                    self.highest.insert(grant.lock.clone(), issued);
                }
            }
            _ => {}
        }
    }
}
