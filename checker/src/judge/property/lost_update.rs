//! **lost-update**: a write overwrote another that its writer had not seen.
//!
//! Every write of a read-modify-write carries the value that it was computed from, its base. If no update is lost, each accepted write
//! overwrites exactly its base; values written are distinct (or, of a counter, each is its base plus one), so a value that was overwritten does not come
//! back, and all bases are distinct. So two accepted writes with one base prove that an update was lost. Conversely, if all bases are distinct and
//! every accepted write is known, by induction along the chain each value has exactly one successor, each write overwrote its base,
//! and nothing was lost. A write of unknown outcome proves nothing and is not counted. Exact, O(1) a write.

use super::Property;
use crate::finding::Kind;
use crate::history::{Op, OpId, Outcome, Value};
use crate::judge::ledger::{Fact, Ledger};
use crate::judge::seen::{Seen, Window};
use crate::judge::suspicion::{Story, Suspicion};
use std::collections::HashMap;

/// Looks for two writes with one base.
#[derive(Debug, Default)]
pub struct LostUpdate {
    resources: HashMap<String, Bases>,
}

#[derive(Debug, Default)]
struct Bases {
    seen: Seen,
    /// Who wrote from which base, to be named.
    writers: Window<Value, Writer>,
}

#[derive(Debug)]
struct Writer {
    id: OpId,
    client: String,
    value: Value,
    grant: Option<OpId>,
}

impl Property for LostUpdate {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let Fact::Ended(write, completion) = fact else { return };
        let Op::Write { resource, grant, value, base: Some(base), .. } = &write.op else { return };
        if completion.outcome != Outcome::Ok {
            return;
        }
        if !self.resources.contains_key(resource) {
            self.resources.insert(resource.clone(), Bases::default());
        }
        let Some(bases) = self.resources.get_mut(resource) else { return };
        let writer = Writer { id: write.id, client: write.client.clone(), value: value.clone(), grant: *grant };
        let before = bases.writers.insert(base.clone(), writer);
        if !bases.seen.insert(base) {
            return;
        }
        let own = grant.and_then(|id| ledger.grant(id));
        let (clients, events, other) = match &before {
            Some(before) => {
                let grants = [*grant, before.grant].into_iter().flatten();
                let events = grants.chain([before.id, write.id]).collect();
                (vec![write.client.clone(), before.client.clone()], events, format!("{}'s {}", before.client, before.value))
            }
            None => (vec![write.client.clone()], vec![write.id], "an earlier write".to_string()),
        };
        let template = format!(
            "{} wrote {value} to {resource} at {{}}, computed from {base}, and {other} was computed from {base} too: one of the two updates is lost",
            write.client
        );
        report.push(Suspicion {
            kind: Kind::LostUpdate,
            lock: resource.clone(),
            clients,
            events,
            window: (own.map_or(write.invoked, |own| own.invoked), ledger.now),
            harm: (write.invoked, ledger.now),
            story: Story::new(&template, &[ledger.now]),
        });
    }
}
