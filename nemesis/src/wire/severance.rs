//! Directed links that carry nothing for a while, whoever dialled.

use std::sync::{Mutex, PoisonError};
use tokio::sync::watch;

/// What becomes of the bytes that are sent over a severed link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severed {
    /// They are under way until it is mended, and lost if the node that sent them dies before.
    Held,
    /// They are lost, as packets are that do not arrive: nobody is told, and no connection can be made. A connection that lost something
    /// is reset when it is mended.
    Lost,
}

/// What a severed link did.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Toll {
    /// How many bytes were held or lost.
    pub bytes: u64,
    /// How many ends of connections were lost, and how many connections could not be made.
    pub calls: u64,
}

impl Toll {
    /// Whether it did anything.
    pub fn is_none(self) -> bool {
        self == Toll::default()
    }
}

/// The links that were severed, mended or not.
#[derive(Debug)]
pub struct Severances {
    all: Mutex<Vec<Severance>>,
    /// Changes whenever one is mended.
    mended: watch::Sender<u64>,
}

#[derive(Debug)]
struct Severance {
    from: String,
    to: String,
    how: Severed,
    mended: bool,
    toll: Toll,
}

impl Default for Severances {
    fn default() -> Self {
        Severances { all: Mutex::default(), mended: watch::Sender::new(0) }
    }
}

impl Severances {
    /// Severs a link; its index names it.
    pub fn add(&self, from: &str, to: &str, how: Severed) -> usize {
        let mut all = self.lock();
        all.push(Severance { from: from.into(), to: to.into(), how, mended: false, toll: Toll::default() });
        all.len() - 1
    }

    /// What becomes of so many bytes from one party to another, or of a connection between them where there are none; counted.
    pub fn meets(&self, from: &str, to: &str, bytes: usize) -> Option<Severed> {
        let mut all = self.lock();
        let met = all.iter_mut().filter(|one| !one.mended && one.from == from && one.to == to).max_by_key(|one| one.how)?;
        met.toll.bytes += bytes as u64;
        met.toll.calls += u64::from(bytes == 0);
        Some(met.how)
    }

    /// What becomes of what is sent from one party to another now.
    pub fn now(&self, from: &str, to: &str) -> Option<Severed> {
        self.lock().iter().filter(|one| !one.mended && one.from == from && one.to == to).map(|one| one.how).max()
    }

    /// What a severed link has held or lost so far.
    pub fn toll(&self, index: usize) -> Toll {
        self.lock().get(index).map_or(Toll::default(), |one| one.toll)
    }

    /// Takes it out of force; says between whom it was, and who waits for it goes on.
    pub fn mend(&self, index: usize) -> Option<(String, String)> {
        let pair = self.lock().get_mut(index).map(|one| {
            one.mended = true;
            (one.from.clone(), one.to.clone())
        });
        self.mended.send_modify(|times| *times += 1);
        pair
    }

    /// Resolves when one is mended after this was called.
    pub(super) fn next_mended(&self) -> impl Future<Output = ()> + use<> {
        let mut mended = self.mended.subscribe();
        async move {
            // It fails only where the wire itself is over.
            let _ = mended.changed().await;
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Severance>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_is_severed_one_way_until_it_is_mended_and_loss_wins() {
        let links = Severances::default();
        let held = links.add("n1", "n2", Severed::Held);
        assert_eq!(links.meets("n1", "n2", 10), Some(Severed::Held));
        assert_eq!(links.meets("n2", "n1", 10), None);
        let lost = links.add("n1", "n2", Severed::Lost);
        assert_eq!(links.meets("n1", "n2", 7), Some(Severed::Lost));
        assert_eq!(links.meets("n1", "n2", 0), Some(Severed::Lost));
        assert_eq!((links.toll(held).bytes, links.toll(lost)), (10, Toll { bytes: 7, calls: 1 }));
        assert_eq!(links.mend(lost), Some(("n1".into(), "n2".into())));
        assert_eq!(links.meets("n1", "n2", 1), Some(Severed::Held));
        links.mend(held);
        assert_eq!(links.meets("n1", "n2", 1), None);
    }
}
