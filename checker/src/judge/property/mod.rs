//! The properties, one a file: each says what it is, where it comes from, and why what it reports is certain.

use crate::history::Header;
use crate::judge::ledger::{Fact, Ledger};
use crate::judge::suspicion::Suspicion;

mod dishonest_validity;
mod ghost;
mod late_notice;
mod left_over;
mod lost_update;
mod ownership;
mod phantom;
mod stale_holder;
mod stale_write;
mod stuck;
mod token_order;
mod token_reuse;
mod two_holders;

/// A property of histories. It sees every fact once, in order, and reports what is certain.
pub trait Property {
    /// Looks at a fact.
    fn see(&mut self, fact: &Fact<'_>, ledger: &Ledger, report: &mut Vec<Suspicion>);

    /// The history is over: reports what only its end makes certain.
    fn end(&mut self, _ledger: &Ledger, _report: &mut Vec<Suspicion>) {}
}

/// Every property, in the order in which findings of one moment are reported.
pub fn all(_header: &Header) -> Vec<Box<dyn Property>> {
    vec![
        Box::new(ownership::Ownership::default()),
        Box::new(two_holders::TwoHolders),
        Box::new(stale_holder::StaleHolder),
        Box::new(stale_write::StaleWrite::default()),
        Box::new(lost_update::LostUpdate::default()),
        Box::new(token_reuse::TokenReuse::default()),
        Box::new(token_order::TokenOrder::default()),
        Box::new(ghost::Ghost::default()),
        Box::new(phantom::Phantom::default()),
        Box::new(late_notice::LateNotice::default()),
        Box::new(dishonest_validity::DishonestValidity),
        Box::new(left_over::LeftOver::default()),
        Box::new(stuck::Stuck::default()),
    ]
}
