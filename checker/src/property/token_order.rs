//! `token-order`: fencing tokens did not rise in the order of grants.
//!
//! **Definition.** A grant has a lower fencing token than another of the same lock that was certainly before it. (An equal
//! one is `token-reuse`.)
//!
//! **Source.** Fencing (Kleppmann 2016) protects only if tokens rise; HashiCorp's and Hazelcast's fences promise it.
//!
//! **Why exact.** A grant is out of order exactly if its token is lower than the highest among the grants that were over when
//! it was asked for; that one number a lock is kept, and looked at when the acquire is invoked.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{OpId, Outcome};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::{ByName, Name};
use crate::judge::seconds::Seconds;
use rustc_hash::FxHashMap;

/// The property.
#[derive(Debug, Default)]
pub struct TokenOrder {
    highest: ByName<Issued>,
    /// What each pending acquire must exceed.
    must_exceed: FxHashMap<OpId, Issued>,
}

#[derive(Debug, Clone, Copy)]
struct Issued {
    fence: u64,
    to: Name,
    grant: OpId,
    at: Nanos,
}

impl Property for TokenOrder {
    fn wants(&self) -> Facts {
        facts::invoked(OpKind::Acquire) | facts::done(OpKind::Acquire)
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        let ended = || now.done().filter(|done| done.op.kind == OpKind::Acquire);
        ended().filter(|done| done.op.at < now.at).for_each(|done| self.issue(done));
        if !self.highest.is_empty() {
            for op in now.invoked().filter(|op| op.kind == OpKind::Acquire) {
                if let Some(highest) = self.highest.get(op.target) {
                    self.must_exceed.insert(op.id, *highest);
                }
            }
            for done in ended() {
                if let Some(before) = self.must_exceed.remove(&done.op.id)
                    && done.outcome == Outcome::Ok
                    && let Some(fence) = done.fence.filter(|fence| *fence < before.fence)
                {
                    found.add(Kind::TokenOrder, done.op.target, || draft(now, done, fence, before));
                }
            }
        }
        ended().filter(|done| done.op.at == now.at).for_each(|done| self.issue(done));
    }
}

impl TokenOrder {
    fn issue(&mut self, done: &Completed) {
        if let (Outcome::Ok, Some(fence)) = (done.outcome, done.fence) {
            let issued = Issued { fence, to: done.op.client, grant: done.op.id, at: done.at };
            let highest = self.highest.get_or_insert_with(done.op.target, || issued);
            if fence > highest.fence {
                *highest = issued;
            }
        }
    }
}

fn draft(now: &Instant<'_>, done: &Completed, fence: u64, before: Issued) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[before.at, done.at]);
    let sentence = format!(
        "{} was granted {} with token {} at {}; {} was granted it later, at {}, with the lower token {fence}",
        now.name(before.to),
        now.name(done.op.target),
        before.fence,
        seconds.at(before.at),
        now.name(done.op.client),
        seconds.at(done.at)
    );
    Draft {
        clients: vec![done.op.client, before.to],
        events: vec![done.op.id, before.grant],
        since: before.at,
        ..Draft::new(Kind::TokenOrder, done.op.target, done.at, sentence)
    }
}
