//! `oversold`: more was sold than there was.
//!
//! **Definition.** Of a stock, an accepted write leaves less than nothing; or accepted writes took more away, each counted as
//! the difference between the value that it was computed from and the value that it wrote, than the initial value and
//! everything that any write may have put back.
//!
//! **Source.** The overselling shop of every article about distributed locks.
//!
//! **Why exact.** What was taken away certainly is counted when its write is accepted, what was put back as soon as its write
//! is invoked: so at no time is there a way in which enough could have been there.

use super::Property;
use crate::finding::Kind;
use crate::history::{Header, Outcome, ResourceKind, Value};
use crate::judge::fact::{Completed, Facts, Instant, OpKind, Operation, facts};
use crate::judge::found::{Draft, Found};
use crate::judge::names::{Name, Names};
use crate::judge::seconds::Seconds;
use rustc_hash::FxHashMap;

/// The property.
#[derive(Debug)]
pub struct Oversold {
    stocks: FxHashMap<Name, Stock>,
}

#[derive(Debug)]
struct Stock {
    /// The initial value and everything that may have been put back.
    supply: i128,
    sold: i128,
    told: bool,
}

impl Oversold {
    /// Looks at the stocks that the header names.
    pub fn new(header: &Header, names: &mut Names) -> Self {
        let stocks = header.resources.iter().filter_map(|(name, terms)| match (terms.kind, &terms.initial) {
            (ResourceKind::Stock, Value::Int(initial)) => {
                Some((names.of(name), Stock { supply: i128::from(*initial), sold: 0, told: false }))
            }
            _ => None,
        });
        Oversold { stocks: stocks.collect() }
    }
}

impl Property for Oversold {
    fn wants(&self) -> Facts {
        if self.stocks.is_empty() { 0 } else { facts::invoked(OpKind::Write) | facts::done(OpKind::Write) }
    }

    fn settle(&mut self, now: &Instant<'_>, found: &mut Found) {
        for op in now.invoked() {
            if let (Some(stock), Some(taken @ ..0)) = (self.stocks.get_mut(&op.target), taken(op)) {
                stock.supply -= taken;
            }
        }
        for done in now.done().filter(|done| done.op.kind == OpKind::Write && done.outcome == Outcome::Ok) {
            let Some(stock) = self.stocks.get_mut(&done.op.target) else { continue };
            stock.sold += taken(&done.op).unwrap_or(0).max(0);
            if let Some(Value::Int(left @ ..0)) = done.op.value {
                found.add(Kind::Oversold, done.op.target, || draft(now, done, &format!("left {left} of it")));
            } else if stock.sold > stock.supply && !stock.told {
                stock.told = true;
                let (sold, supply) = (stock.sold, stock.supply);
                found.add(Kind::Oversold, done.op.target, || {
                    draft(now, done, &format!("was taken: {sold} were sold of {supply}"))
                });
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

fn draft(now: &Instant<'_>, done: &Completed, what: &str) -> Draft {
    let at = Seconds::telling_apart(now.zero, &[]).at(done.at);
    let sentence = format!("{}'s write of {} at {at} {what}", now.name(done.op.client), now.name(done.op.target));
    let grant = done.op.grant.and_then(|id| now.leases.grant(id));
    Draft {
        clients: vec![done.op.client],
        events: vec![done.op.id],
        since: grant.map_or(done.op.at, |grant| grant.invoked),
        ..Draft::new(Kind::Oversold, done.op.target, done.at, sentence)
    }
}
