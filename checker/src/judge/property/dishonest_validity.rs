//! **dishonest-validity**: the library promised a validity that it did not have.
//!
//! A yes with nothing left of the validity that it reports (node-redlock issue 5: granted with −312 ms), a deadline that had passed, by the
//! client's own stamp, when the client was told, or a validity longer than the TTL that was asked for. Certain by definition.

use super::Property;
use crate::finding::Kind;
use crate::history::{Completion, Op};
use crate::judge::ledger::{Fact, Grant, Ledger, Pending};
use crate::judge::suspicion::{Story, Suspicion};

/// Looks for promises that were broken when they were made.
#[derive(Debug)]
pub struct DishonestValidity;

impl DishonestValidity {
    fn look(&self, asked: &Pending, told: &Completion, grant: &Grant, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        let ttl_ms = match &asked.op {
            Op::Acquire { ttl_ms, .. } | Op::Extend { ttl_ms, .. } => *ttl_ms,
            _ => None,
        };
        let how = match (told.valid_for_ms, told.valid_until, told.told_at, ttl_ms) {
            (Some(left), ..) if left <= 0 => format!("with {left} ms of validity left"),
            (_, Some(until), Some(told_at), _) if until <= told_at => "with a deadline that had passed".to_string(),
            (Some(left), _, _, Some(ttl)) if left > 0 && left as u64 > ttl => {
                format!("with a validity of {left} ms, longer than its TTL of {ttl} ms")
            }
            _ => return,
        };
        let template = format!("{} was told yes for {} at {{}} {how}", grant.client, grant.lock);
        report.push(Suspicion {
            kind: Kind::DishonestValidity,
            lock: grant.lock.clone(),
            clients: vec![grant.client.clone()],
            events: vec![asked.id],
            window: (asked.invoked, ledger.now),
            harm: (ledger.now, ledger.now),
            story: Story::new(&template, &[ledger.now]),
        });
    }
}

impl Property for DishonestValidity {
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>) {
        if let Fact::Granted(asked, told, grant) | Fact::Extended(asked, told, grant) = fact {
            self.look(asked, told, grant, ledger, report);
        }
    }
}
