//! To which fault a finding is traced, from the history alone.
//!
//! A cause is a *verified* fault, or another client's release, whose effect lies between the first thing that the finding
//! names and the harm. Which kinds of fault can do which harm, and which is the likelier, is a table: the first row that
//! fits is the cause. A finding that none fits has none, and says so.

use crate::Nanos;
use crate::finding::{Cause, Kind};
use crate::history::{FaultEvent, Moment, OpId};
use crate::judge::found::Draft;
use crate::judge::names::{ByName, Name, Names};
use crate::judge::seconds::Seconds;
use std::collections::VecDeque;

/// Faults that lose or hide what a node stored.
const LOSS: &[&str] = &["restart", "kill", "power", "failover", "promote", "split-brain", "freeze-replication", "evict"];
/// Faults that make another node the master.
const SUCCESSION: &[&str] = &["promote", "failover"];
/// Faults without which a succession loses nothing.
const BEFORE_SUCCESSION: &[&str] = &["partition", "toxic", "freeze-replication", "pause", "kill", "power"];
/// Faults that take away what one node stored: of a quorum it may need several.
const TAKES: &[&str] = &["restart", "kill", "power", "evict"];

/// Faults of the wire.
const WIRE: &[&str] = &["wire", "partition", "toxic", "cut", "delay", "drop", "hold", "reset"];

/// Faults of a wall clock.
const CLOCK: &[&str] = &["clock", "drift"];

/// What may have caused a finding.
enum Suspect {
    /// A fault of one of these kinds, whoever it hit.
    Any(&'static [&'static str]),
    /// A fault of one of these kinds that hit the client that is blamed.
    Blamed(&'static [&'static str]),
    /// A pause of a client while its own grant was in flight.
    PausedInFlight,
    /// An earlier finding that somebody released or extended another's lock.
    Ownership,
    /// An earlier finding that two held the lock at once.
    TwoHolders,
    /// Another node that became the master before, while some still reach the old one.
    Succession,
    /// Another client's release that may have hit the lock.
    Release,
}

/// The table: for each kind what may cause it, the likeliest first.
fn suspects(kind: Kind) -> &'static [Suspect] {
    use Suspect::*;
    match kind {
        Kind::TwoHolders | Kind::OverLimit => &[
            Any(LOSS),
            PausedInFlight,
            Ownership,
            Any(CLOCK),
            Any(&["block"]),
            Any(WIRE),
            Any(&["script-flush"]),
            Release,
            Blamed(&["pause"]),
            Succession,
            Any(&["pause"]),
        ],
        Kind::StaleHolder => {
            &[Blamed(&["pause"]), Blamed(CLOCK), Blamed(WIRE), Any(CLOCK), Any(WIRE), Any(LOSS), Any(&["pause"])]
        }
        Kind::StaleWrite | Kind::LostUpdate | Kind::Oversold => {
            &[Blamed(&["pause"]), Any(LOSS), Ownership, Any(CLOCK), Any(WIRE), TwoHolders, Any(&["pause"])]
        }
        Kind::NotConserved | Kind::NotLinearizable => {
            &[Any(&["crash"]), TwoHolders, Any(&["pause"]), Any(LOSS), Any(CLOCK), Any(WIRE)]
        }
        Kind::TokenReuse | Kind::TokenOrder => &[Any(LOSS), Any(WIRE), Any(CLOCK), Any(&["pause"])],
        Kind::Ownership => &[Blamed(&["pause"]), Blamed(WIRE), Any(CLOCK), Any(LOSS), Any(WIRE)],
        Kind::Ghost => &[Release, Any(LOSS), Any(WIRE), Any(CLOCK), Any(&["pause", "block"]), Succession],
        Kind::Phantom => &[Any(WIRE), Any(LOSS), Any(&["pause"]), Any(CLOCK)],
        Kind::Leak => {
            &[Blamed(&["crash"]), Any(WIRE), Any(LOSS), Any(&["pause", "block", "crash", "script-flush", "clock", "drift"])]
        }
        Kind::Immortal | Kind::Stuck => {
            &[Blamed(&["crash"]), Any(&["crash"]), Any(LOSS), Any(WIRE), Any(&["script-flush", "pause", "clock", "drift"])]
        }
        Kind::LateNotice => &[Ownership, Blamed(&["pause"]), Blamed(WIRE), Any(LOSS), Any(WIRE), Any(CLOCK)],
        Kind::DishonestValidity => &[PausedInFlight, Blamed(CLOCK), Any(WIRE), Any(&["pause"]), Any(CLOCK)],
    }
}

/// One step of the nemesis, as far as it has come.
#[derive(Debug)]
pub struct Fault {
    /// The step's name.
    pub step: String,
    kind: String,
    targets: Vec<String>,
    text: String,
    begin: Nanos,
    verified: Option<Nanos>,
    end: Option<Nanos>,
}

impl Fault {
    /// Whether it was in force at some instant of the closed interval.
    fn touches(&self, from: Nanos, until: Nanos) -> bool {
        let instant = SUCCESSION.contains(&self.kind.as_str())
            || self.kind == "restart"
            || self.kind == "crash"
            || self.kind == "evict"
            || self.kind == "script-flush";
        let over = match self.end {
            Some(end) => end,
            None if instant || self.kind == "reset" => self.verified.unwrap_or(self.begin),
            None => Nanos::MAX,
        };
        self.begin <= until && from <= over
    }

    fn hits(&self, client: &str) -> bool {
        self.targets.iter().any(|target| target == client)
    }

    fn cause(&self, zero: Nanos) -> Cause {
        let lasting = self.kind == "pause"
            || self.kind == "freeze-replication"
            || self.kind == "drift"
            || WIRE.contains(&self.kind.as_str());
        let text = match self.end {
            Some(end) if lasting => {
                let seconds = Seconds::telling_apart(zero, &[self.begin, end]);
                format!("{} from {} to {}", self.text, seconds.at(self.begin), seconds.at(end))
            }
            _ => format!("{} at {}", self.text, Seconds::telling_apart(zero, &[]).at(self.begin)),
        };
        Cause { step: Some(self.step.clone()), at: self.begin, text }
    }
}

/// A release that was answered `ok`.
#[derive(Debug, Clone, Copy)]
pub struct Released {
    /// Whose.
    pub client: Name,
    /// The release.
    pub id: OpId,
    /// When it was invoked.
    pub invoked: Nanos,
    /// When it completed.
    pub at: Nanos,
}

/// How many releases of a lock are remembered.
const RELEASES: usize = 8;

/// Everything that may be a cause.
#[derive(Debug, Default)]
pub struct Faults {
    faults: Vec<Fault>,
    releases: ByName<VecDeque<Released>>,
    last_any: Option<Nanos>,
}

impl Faults {
    /// Takes in what the nemesis did.
    pub fn see(&mut self, at: Nanos, event: &FaultEvent) {
        self.last_any = Some(at);
        let running = self.faults.iter_mut().rev().find(|fault| fault.step == event.step && fault.end.is_none());
        match (event.moment, running) {
            (Moment::Verified, Some(fault)) => {
                fault.verified.get_or_insert(at);
            }
            (Moment::End, Some(fault)) => fault.end = Some(at),
            // What was verified and fails then cannot be healed, and goes on.
            (Moment::Failed, Some(fault)) if fault.verified.is_none() => fault.end = Some(at),
            (Moment::Failed, _) | (Moment::End, None) => {}
            (moment @ (Moment::Begin | Moment::Verified), _) => {
                let verified = (moment == Moment::Verified).then_some(at);
                self.faults.push(Fault {
                    step: event.step.clone(),
                    kind: event.kind.clone(),
                    targets: event.targets.clone(),
                    text: event.text.clone(),
                    begin: at,
                    verified,
                    end: None,
                });
            }
        }
    }

    /// Takes in a release that was answered `ok`.
    pub fn released(&mut self, lock: Name, release: Released) {
        let releases = self.releases.get_or_insert_with(lock, VecDeque::new);
        if releases.len() == RELEASES {
            releases.pop_front();
        }
        releases.push_back(release);
    }

    /// Whether a fault was in force since then, verified or not: it began or ended since, or is not said to have ended.
    pub fn in_force_since(&self, since: Nanos) -> bool {
        self.last_any.is_some_and(|at| at >= since) || self.faults.iter().any(|fault| fault.end.is_none())
    }

    /// The last release of the lock by somebody else that ended since then.
    pub fn release_by_another(&self, lock: Name, holder: Name, since: Nanos) -> Option<Released> {
        self.releases.get(lock)?.iter().rev().find(|release| release.client != holder && release.at >= since).copied()
    }

    /// A fault as a cause. What a node had written is lost with it, or with its rank, only where it had been kept from its replicas: so a node's death
    /// and its succession are told with what came before them. Of several nodes that lost something all are told, and so is a node's clock that
    /// was bent afterwards: which of them it took is not in the history.
    fn story(&self, fault: &Fault, (since, until): (Nanos, Nanos), zero: Nanos) -> Cause {
        let mut cause = fault.cause(zero);
        let kind = fault.kind.as_str();
        let belongs = |other: &&Fault| match other.kind.as_str() {
            before if SUCCESSION.contains(&kind) => BEFORE_SUCCESSION.contains(&before),
            before if TAKES.contains(&kind) && TAKES.contains(&before) => true,
            "freeze-replication" => matches!(kind, "kill" | "power"),
            "partition" | "toxic" => matches!(kind, "kill" | "power") && fault.targets.iter().any(|node| other.hits(node)),
            _ => false,
        };
        let earlier = |other: &&Fault| other.verified.is_some() && other.begin <= fault.begin && other.step != fault.step;
        let before = self.faults.iter().filter(|other| earlier(other) && belongs(other) && other.touches(since, fault.begin));
        let told = before.map(|other| format!("{} at {}", other.text, Seconds::telling_apart(zero, &[]).at(other.begin)));
        let bent = |other: &&Fault| {
            let later = (fault.begin + 1..=until).contains(&other.begin) && other.verified.is_some();
            later && CLOCK.contains(&other.kind.as_str()) && fault.targets.iter().any(|node| other.hits(node))
        };
        let after = self.faults.iter().filter(bent).map(|other| other.cause(zero).text);
        cause.text = told.chain([cause.text.clone()]).chain(after).collect::<Vec<_>>().join(", then ");
        cause
    }

    /// The cause of a finding, among the faults and the findings before it.
    pub fn cause(&self, draft: &Draft, before: &[Draft], names: &Names, zero: Nanos) -> Option<Cause> {
        let verified = || self.faults.iter().rev().filter(|fault| fault.verified.is_some());
        let fitting =
            |kinds: &[&str], fault: &&Fault| kinds.contains(&fault.kind.as_str()) && fault.touches(draft.since, draft.from);
        let earlier = |kind: Kind| {
            let fits = |other: &&Draft| other.kind == kind && other.from <= draft.from && other.until >= draft.since;
            before.iter().rev().filter(fits).find(|other| kind != Kind::Ownership || other.lock == draft.lock)
        };
        suspects(draft.kind).iter().find_map(|suspect| match suspect {
            Suspect::Any(kinds) => {
                verified().find(|fault| fitting(kinds, fault)).map(|fault| self.story(fault, (draft.since, draft.from), zero))
            }
            Suspect::Blamed(kinds) => {
                let blamed = names.text(*draft.clients.first()?);
                verified().find(|fault| fitting(kinds, fault) && fault.hits(blamed)).map(|fault| fault.cause(zero))
            }
            Suspect::PausedInFlight => draft.flights.iter().find_map(|flight| {
                let (client, from, until) = *flight;
                let client = names.text(client);
                verified()
                    .find(|fault| fault.kind == "pause" && fault.hits(client) && fault.touches(from, until))
                    .map(|fault| fault.cause(zero))
            }),
            Suspect::Succession => verified()
                .find(|fault| SUCCESSION.contains(&fault.kind.as_str()) && fault.begin <= draft.from)
                .map(|fault| self.story(fault, (fault.begin, draft.from), zero)),
            Suspect::Ownership => earlier(Kind::Ownership).map(|other| other.as_cause()),
            Suspect::TwoHolders => earlier(Kind::TwoHolders).map(|other| other.as_cause()),
            Suspect::Release => draft.release.map(|release| {
                let seconds = Seconds::telling_apart(zero, &[release.invoked, release.at]);
                let text = format!(
                    "{} released an older grant from {} to {}, which may have hit the newer one",
                    names.text(release.client),
                    seconds.at(release.invoked),
                    seconds.at(release.at)
                );
                Cause { step: None, at: release.at, text }
            }),
        })
    }
}
