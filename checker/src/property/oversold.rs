//! `oversold`: more was sold than there was.
//!
//! **Definition.** Of a stock, an accepted write leaves less than nothing; or, at the answer of an accepted write, accepted
//! writes had taken more away, each counted as the difference between the value that it was computed from and the value that
//! it wrote, than the initial value and everything that any write that was invoked by then, and did not fail, may have put back.
//!
//! **Source.** The overselling shop of every article about distributed locks.
//!
//! **Why exact.** What was taken away certainly is counted when its write is accepted, what was put back as soon as its write
//! is invoked: so at no time is there a way in which enough could have been there. A write that fails in the end never put
//! anything back, and what was sold since its invocation was sold of so much less. So the worst balance at a sale is kept
//! between each two invocations of writes in flight that put back, and made worse when one of them fails; where one is
//! accepted, or nobody will ever know, the balances before and after its invocation need not be told apart any more.

use super::Property;
use crate::Nanos;
use crate::finding::Kind;
use crate::history::{Header, OpId, Outcome, ResourceKind, Value};
use crate::judge::fact::{Facts, Instant, OpKind, Operation, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::{Name, Names};
use crate::judge::seconds::Seconds;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The property.
#[derive(Debug)]
pub struct Oversold {
    stocks: FxHashMap<Name, Stock>,
}

#[derive(Debug)]
struct Stock {
    /// What was certainly sold beyond the initial value and everything that may have been put back; negative where there is
    /// enough.
    missing: i128,
    /// The worst sale before any write in flight that puts back was invoked, and between each two such invocations.
    worst: Worst,
    restocks: Vec<Restock>,
    told: bool,
}

/// A write in flight that puts something back if it does not fail.
#[derive(Debug)]
struct Restock {
    id: OpId,
    amount: i128,
    /// The worst sale since its invocation, and before that of the next.
    worst: Worst,
}

/// The sale at which most was missing, if there was one.
type Worst = Option<Sale>;

#[derive(Debug, Clone)]
struct Sale {
    missing: i128,
    op: Arc<Operation>,
    at: Nanos,
}

/// The first, or the second where that is worse.
fn worse<'a>(first: &'a Worst, second: &'a Worst) -> &'a Worst {
    let missing = |worst: &Worst| worst.as_ref().map(|sale| sale.missing);
    if missing(second) > missing(first) { second } else { first }
}

impl Stock {
    fn new(initial: i64) -> Self {
        Stock { missing: -i128::from(initial), worst: None, restocks: Vec::new(), told: false }
    }

    fn may_be_put_back(&mut self, id: OpId, amount: i128) {
        self.missing -= amount;
        self.restocks.push(Restock { id, amount, worst: None });
    }

    fn sold(&mut self, op: &Arc<Operation>, at: Nanos) {
        let sale = Some(Sale { missing: self.missing, op: op.clone(), at });
        let worst = self.restocks.last_mut().map_or(&mut self.worst, |last| &mut last.worst);
        *worst = worse(worst, &sale).clone();
    }

    /// A write that may have put something back is over.
    fn restocked(&mut self, id: OpId, outcome: Outcome) {
        let Some(n) = self.restocks.iter().rposition(|restock| restock.id == id) else { return };
        if outcome == Outcome::Fail {
            let amount = self.restocks[n].amount;
            self.missing += amount;
            self.restocks[n..].iter_mut().filter_map(|later| later.worst.as_mut()).for_each(|sale| sale.missing += amount);
        }
        let over = self.restocks.remove(n);
        let before = n.checked_sub(1).map_or(&mut self.worst, |n| &mut self.restocks[n].worst);
        *before = worse(before, &over.worst).clone();
    }

    /// The worst sale of all, if anything was missing at it.
    fn oversold(&self) -> Option<&Sale> {
        let worst = self.restocks.iter().fold(&self.worst, |worst, restock| worse(worst, &restock.worst));
        worst.as_ref().filter(|sale| sale.missing > 0)
    }
}

impl Oversold {
    /// Looks at the stocks that the header names.
    pub fn new(header: &Header, names: &mut Names) -> Self {
        let stocks = header.resources.iter().filter_map(|(name, terms)| match (terms.kind, &terms.initial) {
            (ResourceKind::Stock, Value::Int(initial)) => Some((names.of(name), Stock::new(*initial))),
            _ => None,
        });
        Oversold { stocks: stocks.collect() }
    }

    /// The stock of a write and how much it takes away.
    fn stock(&mut self, op: &Operation) -> Option<(&mut Stock, i128)> {
        Some((self.stocks.get_mut(&op.target)?, taken(op)?))
    }
}

impl Property for Oversold {
    fn wants(&self) -> Facts {
        if self.stocks.is_empty() { 0 } else { facts::invoked(OpKind::Write) | facts::done(OpKind::Write) }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        let writes = || now.done().filter(|done| done.op.kind == OpKind::Write);
        // Everything at once: what may have been put back by now, what certainly was not, what is sold.
        for op in now.invoked() {
            if let Some((stock, taken @ ..0)) = self.stock(op) {
                stock.may_be_put_back(op.id, -taken);
            }
        }
        for done in writes() {
            match self.stock(&done.op) {
                Some((stock, ..0)) => stock.restocked(done.op.id, done.outcome),
                Some((stock, taken)) if done.outcome == Outcome::Ok => stock.missing += taken,
                _ => {}
            }
        }
        for done in writes().filter(|done| done.outcome == Outcome::Ok) {
            if let Some((stock, 1..)) = self.stock(&done.op) {
                stock.sold(&done.op, now.at);
            }
            if let (Some(Value::Int(left @ ..0)), true) = (&done.op.value, self.stocks.contains_key(&done.op.target)) {
                let left = format!("left {left} of it");
                found.add(Kind::Oversold, done.op.target, || draft(now, &done.op, now.at, &left));
            }
        }
        // Only a sale, or that a write failed, makes more be missing.
        for done in writes() {
            let Some(stock) = self.stocks.get_mut(&done.op.target).filter(|stock| !stock.told) else { continue };
            if let Some(Sale { missing, op, at }) =
                stock.oversold().filter(|_| done.outcome == Outcome::Fail || stock.missing > 0)
            {
                let missing = format!("sold what was not there: by then {missing} more were sold than there can have been");
                found.add(Kind::Oversold, done.op.target, || draft(now, op, *at, &missing));
                stock.told = true;
            }
        }
    }
}

/// How much a write takes away.
fn taken(op: &Operation) -> Option<i128> {
    match (&op.base, &op.value) {
        (Some(Value::Int(base)), Some(Value::Int(value))) => Some(i128::from(*base) - i128::from(*value)),
        _ => None,
    }
}

fn draft(now: &Instant<'_>, op: &Operation, at: Nanos, what: &str) -> Draft {
    let seconds = Seconds::telling_apart(now.zero, &[]).at(at);
    let sentence = format!("{}'s write of {} at {seconds} {what}", now.name(op.client), now.name(op.target));
    let grant = op.grant.and_then(|id| now.leases.grant(id));
    Draft {
        clients: vec![op.client],
        events: vec![op.id],
        since: grant.map_or(op.at, |grant| grant.invoked),
        certain: now.at,
        ..Draft::new(Kind::Oversold, op.target, at, sentence)
    }
}
