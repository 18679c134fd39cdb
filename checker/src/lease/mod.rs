//! Certain leases: when a client certainly held a lock, by what it was promised.
//!
//! The certain lease of a grant runs from the completion of its `acquire` to the earliest of: the invocation of its
//! release, whatever becomes of that; the moment its client was told that it lost the lock, or died; and the end of the
//! validity that it was promised ([`promise`]). A grant of unknown outcome has none. It is *certain* since invocations are
//! stamped before the first byte leaves and completions after the last has arrived: whatever the true moment of the grant
//! was, it was before the completion. Definition after Jepsen's and Knossos's mutex (an acquire takes effect between its
//! invocation and its completion), with validity as Redlock defines it (Sanfilippo, *Distributed locks with Redis*).
//!
//! An extension that was answered `ok` promises anew: it lengthens a lease that runs, and begins another stretch of one
//! that is over. Where the library reports a validity or the client announces a deadline, that replaces what was promised before, be it
//! earlier; where that is over already, the lease ends with the answer. An extension with a shorter TTL shortens the lease from its invocation
//! on, since it may take effect at once. So it does to what others promise that were in flight together with it, for it may take effect after them;
//! and one of unknown outcome does to all that are invoked later, counted from their invocation. (One that was refused while another was
//! in flight shortens that one's promise too, though it had no effect: a lease is rather too short than too long.)

mod attempts;
mod extending;
mod grant;
mod tenure;
mod track;

pub use attempts::{Attempt, Attempts, Over};
pub use grant::{Grant, NEVER, Promise, promise};

use crate::Nanos;
use crate::history::{Header, LockTerms, OpId};
use crate::judge::fact::{Fact, Operation, Word};
use crate::judge::names::{ByName, Name, Names};
use crate::judge::recent::Recent;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;
use tenure::Tenures;

/// How many grants are remembered that were given back, or replaced by another of the same client when they were over: a
/// client that acts under a grant which it itself gave back does so soon. A grant that its client neither gave back nor
/// replaced, because it is paused, is remembered for as long as it takes.
const AWAY: usize = 1 << 10;

/// Every grant that matters yet, and everything that is pending.
#[derive(Debug, Default)]
pub struct Leases {
    pending: FxHashMap<OpId, Arc<Operation>>,
    /// Grants that are open.
    grants: FxHashMap<OpId, Grant>,
    /// Grants that are not: their clients may still act under them.
    away: Recent<OpId, Grant, AWAY>,
    locks: ByName<Lock>,
    gone: FxHashSet<Name>,
    attempts: Attempts,
    tenures: Tenures,
    /// What clients lost, as they were told at this instant without asking: who, and which lock.
    lost: Vec<(Name, Name)>,
    default_terms: LockTerms,
}

/// One lock.
#[derive(Debug, Default)]
struct Lock {
    terms: LockTerms,
    /// Grants that their clients have neither released nor replaced, whether their lease runs or not, oldest first.
    open: Vec<OpId>,
    longest_ttl_ms: u64,
    /// The latest ends of leases of closed grants, of two different clients.
    ends: [Option<(Nanos, Name)>; 2],
}

impl Lock {
    fn ended(&mut self, end: Nanos, client: Name) {
        let [first, second] = &mut self.ends;
        match first {
            Some((latest, owner)) if *owner == client => *latest = (*latest).max(end),
            Some((latest, _)) if *latest > end => {
                if second.is_none_or(|(at, owner)| at < end || owner == client) {
                    *second = Some((end, client));
                }
            }
            _ => {
                *second = *first;
                *first = Some((end, client));
            }
        }
    }
}

impl Leases {
    /// No grants yet, of locks with these terms.
    pub fn new(header: &Header, names: &mut Names) -> Self {
        let mut leases = Leases { tenures: Tenures::new(header, names), ..Leases::default() };
        for (lock, terms) in &header.locks {
            let lock = names.of(lock);
            let longest_ttl_ms = terms.ttl_ms.unwrap_or(0);
            *leases.lock(lock) = Lock { terms: terms.clone(), longest_ttl_ms, ..Lock::default() };
        }
        leases
    }

    /// What a lock promises.
    pub fn terms(&self, lock: Name) -> &LockTerms {
        self.locks.get(lock).map_or(&self.default_terms, |lock| &lock.terms)
    }

    /// The longest TTL that the lock's terms name or that anybody asked for, in milliseconds.
    pub fn longest_ttl_ms(&self, lock: Name) -> u64 {
        self.locks.get(lock).map_or(0, |lock| lock.longest_ttl_ms)
    }

    /// A grant by the id of its acquire, if it is remembered.
    pub fn grant(&self, id: OpId) -> Option<&Grant> {
        self.grants.get(&id).or_else(|| self.away.get(&id))
    }

    /// The grants of a lock that their clients have neither released nor replaced, oldest first.
    pub fn open(&self, lock: Name) -> impl Iterator<Item = &Grant> {
        self.locks.get(lock).into_iter().flat_map(|lock| &lock.open).filter_map(|id| self.grants.get(id))
    }

    /// The grants of a lock whose certain lease contains the instant.
    pub fn holders(&self, lock: Name, at: Nanos) -> impl Iterator<Item = &Grant> {
        self.open(lock).filter(move |grant| grant.holds_at(at))
    }

    /// Whether a client is no more.
    pub fn is_gone(&self, client: Name) -> bool {
        self.gone.contains(&client)
    }

    /// What became of the attempts.
    pub fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    /// The time between a lease's start and the latest end of another client's lease of the same lock before it.
    pub fn gap_before(&self, grant: &Grant) -> Option<Nanos> {
        let closed = self.locks.get(grant.lock)?.ends.iter().flatten().copied();
        let open = self.open(grant.lock).filter(|other| other.start < other.end).map(|other| (other.end, other.client));
        let latest = closed.chain(open).filter(|(_, client)| *client != grant.client).map(|(end, _)| end).max()?;
        grant.start.checked_sub(latest)
    }

    /// Operations that never completed.
    pub fn pending(&self) -> impl Iterator<Item = &Arc<Operation>> {
        self.pending.values()
    }

    /// An instant is over: appends the facts that only all of it means.
    ///
    /// A client that is told that it lost a lock may have been told so after everything else of that instant, whatever the
    /// order of the lines: so it holds the lock no more, even if it was granted or extended at the same stamp.
    pub fn settle(&mut self, at: Nanos, facts: &mut Vec<Fact>) {
        for (client, lock) in std::mem::take(&mut self.lost) {
            let grants: Vec<OpId> = self.open(lock).filter(|g| g.client == client).map(|g| g.id).collect();
            grants.into_iter().for_each(|grant| self.tell(grant, at, Word::Sent, facts));
            facts.push(Fact::Lost(client, lock));
        }
        for (grant, tenure) in self.tenures.settle(at, facts) {
            if let Some(grant) = self.grant_mut(grant) {
                grant.tenure = tenure;
            }
        }
    }

    fn lock(&mut self, lock: Name) -> &mut Lock {
        self.locks.get_or_insert_with(lock, Lock::default)
    }

    /// Closes a grant: it is given back, its client is gone, or it is over and replaced by another of its client. Nothing of
    /// it is certain from now on.
    fn close(&mut self, id: OpId, at: Nanos) {
        let Some(grant) = self.grant_mut(id) else { return };
        grant.cut(at);
        grant.closed = true;
        let Some(grant) = self.grants.remove(&id) else { return };
        let lock = self.lock(grant.lock);
        lock.open.retain(|open| *open != id);
        if grant.start < grant.end {
            lock.ended(grant.end, grant.client);
        }
        self.away.insert(id, grant);
    }

    fn grant_mut(&mut self, id: OpId) -> Option<&mut Grant> {
        match self.grants.get_mut(&id) {
            Some(grant) => Some(grant),
            None => self.away.get_mut(&id),
        }
    }
}
