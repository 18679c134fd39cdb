//! What can be wrong, one property a file: its definition, where it comes from, and why its algorithm is exact.
//!
//! # Order in time
//!
//! One operation is *certainly before* another if it completed no later than the other was invoked, and was itself invoked
//! before that. The second half leaves operations that begin and end at one and the same instant unordered. Events of
//! equal stamps are judged together, so that the order of their lines says nothing; but a client does one thing after another, so
//! that its own operations are in the order of its lines. What it is told without its asking may have been told last of all.

mod awaited;
mod dishonest_validity;
mod ghost;
mod immortal;
mod late_notice;
mod leak;
mod lost_update;
mod meddling;
mod not_conserved;
mod not_linearizable;
mod over_limit;
mod overlap;
mod oversold;
mod ownership;
mod phantom;
mod quiet;
mod stale_holder;
mod stale_write;
mod stuck;
mod token_order;
mod token_reuse;
mod two_holders;

use crate::history::Header;
use crate::judge::fact::{Facts, Instant};
use crate::judge::found::Found;
use crate::judge::names::Names;

/// Something that can be wrong.
pub trait Property: std::fmt::Debug + Send {
    /// The kinds of fact that it looks at; [`facts::ALWAYS`](crate::judge::fact::facts::ALWAYS) while it waits for
    /// something to be over. They may change whenever it judges an instant.
    fn wants(&self) -> Facts;

    /// Judges an instant in which something happened that it wants.
    fn settle(&mut self, now: &Instant<'_>, found: &mut Found);

    /// The history is over.
    fn finish(&mut self, _now: &Instant<'_>, _found: &mut Found) {}

    /// What it could not judge, in sentences without full stops, once the history is over.
    fn unjudged(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Every property that is judged event by event.
pub fn all(header: &Header, names: &mut Names) -> Vec<Box<dyn Property>> {
    vec![
        Box::<two_holders::TwoHolders>::default(),
        Box::<over_limit::OverLimit>::default(),
        Box::<stale_holder::StaleHolder>::default(),
        Box::<stale_write::StaleWrite>::default(),
        Box::<token_reuse::TokenReuse>::default(),
        Box::<token_order::TokenOrder>::default(),
        Box::<ownership::Ownership>::default(),
        Box::<ghost::Ghost>::default(),
        Box::<phantom::Phantom>::default(),
        Box::<leak::Leak>::default(),
        Box::<immortal::Immortal>::default(),
        Box::new(stuck::Stuck::new(names)),
        Box::<late_notice::LateNotice>::default(),
        Box::new(dishonest_validity::DishonestValidity),
        Box::<lost_update::LostUpdate>::default(),
        Box::new(not_conserved::NotConserved::new(header, names)),
        Box::new(oversold::Oversold::new(header, names)),
        Box::<not_linearizable::NotLinearizable>::default(),
    ]
}
