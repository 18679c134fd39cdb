//! What shows that a toxic has hit: what the wire saw pass on the link meanwhile.

use super::Stream;
use super::links::{Dialler, Link};
use nemesis::Dose;
use nemesis::wire::Passed;
use std::time::Duration;

/// Whether a toxic has hit what it was meant to, with what was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hit {
    /// It has.
    Yes(String),
    /// Something is on its way that must meet it, and it is not over yet.
    Pending(String),
    /// It has not.
    No(String),
}

/// A link, and the directions that are poisoned.
#[derive(Debug, Clone)]
pub struct Route {
    /// Which link.
    pub link: Link,
    /// Its directions.
    pub streams: Vec<Stream>,
}

impl Hit {
    /// What was seen.
    pub fn text(&self) -> &str {
        let (Hit::Yes(text) | Hit::Pending(text) | Hit::No(text)) = self;
        text
    }

    /// What was seen, where it certainly hit.
    pub fn shown(self) -> Option<String> {
        match self {
            Hit::Yes(text) => Some(text),
            Hit::Pending(_) | Hit::No(_) => None,
        }
    }

    /// The one that says more.
    pub fn better(self, other: Hit) -> Hit {
        let rank = |hit: &Hit| match hit {
            Hit::Yes(_) => 2,
            Hit::Pending(_) => 1,
            Hit::No(_) => 0,
        };
        if rank(&other) > rank(&self) { other } else { self }
    }
}

impl Route {
    /// Whether a toxic of this dose has hit, by what has passed since it is there.
    pub fn hit(&self, dose: Dose, passed: Passed) -> Hit {
        let text = self.told(passed);
        let reaches = |stream| self.streams.contains(&stream);
        // Whatever is sent is answered, or would be: it is on the way back that it meets what poisons it there.
        let touched = passed.there > 0 || reaches(Stream::Downstream) && passed.back > 0;
        match dose {
            Dose::Latency { ms, jitter_ms } => {
                let least = Duration::from_millis(ms.saturating_sub(jitter_ms)) * self.streams.len() as u32;
                match passed.slowest {
                    // Only what clients say is question and answer; what nodes say is seen when it has arrived, or was on its way and is lost.
                    _ if self.link.by == Dialler::Node => seen(touched || passed.ended > 0, text),
                    Some(slowest) if slowest >= least => Hit::Yes(text),
                    Some(_) => Hit::No(format!("{text}, which should have taken {} ms", least.as_millis())),
                    None if passed.there > 0 && passed.ended > 0 => Hit::Yes(format!("{text}, and nobody waited for an answer")),
                    None if passed.there > 0 => Hit::Pending(text),
                    None => Hit::No(text),
                }
            }
            Dose::Bandwidth { .. } | Dose::Slicer { .. } => seen(touched, text),
            Dose::Timeout { .. } => seen(touched || passed.refused > 0, text),
            Dose::ResetPeer { .. } | Dose::SlowClose { .. } | Dose::LimitData { .. } => seen(passed.ended > 0, text),
            Dose::Down => seen(passed.ended + passed.refused > 0, text),
        }
    }

    fn told(&self, passed: Passed) -> String {
        let mut told = format!("{}: {} bytes there, {} back", self.link.words(), passed.there, passed.back);
        if let Some(slowest) = passed.slowest.filter(|_| self.link.by == Dialler::Client) {
            told += &format!(", the slowest answer after {:.1} ms", slowest.as_secs_f64() * 1000.0);
        }
        for (count, what) in [(passed.ended, "ended"), (passed.refused, "could not be made")] {
            match count {
                0 => {}
                1 => told += &format!(", 1 connection {what}"),
                _ => told += &format!(", {count} connections {what}"),
            }
        }
        told
    }
}

fn seen(seen: bool, text: String) -> Hit {
    if seen { Hit::Yes(text) } else { Hit::No(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(streams: &[Stream]) -> Route {
        Route { link: Link { caller: "c1".into(), node: "n1".into(), by: Dialler::Client }, streams: streams.to_vec() }
    }

    const BOTH: [Stream; 2] = [Stream::Upstream, Stream::Downstream];
    const SLOW: Dose = Dose::Latency { ms: 300, jitter_ms: 50 };

    #[test]
    fn latency_has_hit_when_an_answer_was_so_slow() {
        let passed = |slowest| Passed { there: 30, back: 5, slowest: Some(Duration::from_millis(slowest)), ..Passed::default() };
        assert!(
            matches!(route(&BOTH).hit(SLOW, passed(500)), Hit::Yes(text) if text.contains("the slowest answer after 500.0 ms"))
        );
        assert!(matches!(route(&BOTH).hit(SLOW, passed(499)), Hit::No(_)));
        assert!(matches!(route(&[Stream::Downstream]).hit(SLOW, passed(250)), Hit::Yes(_)));
    }

    #[test]
    fn latency_has_hit_who_would_not_wait_for_it() {
        let asked = Passed { there: 30, ..Passed::default() };
        assert!(matches!(route(&BOTH).hit(SLOW, asked), Hit::Pending(_)));
        assert!(matches!(route(&BOTH).hit(SLOW, Passed { ended: 1, ..asked }), Hit::Yes(_)));
        assert!(matches!(route(&BOTH).hit(SLOW, Passed::default()), Hit::No(_)));
    }

    #[test]
    fn what_ends_connections_has_hit_when_one_ended() {
        let busy = Passed { there: 30, back: 5, ..Passed::default() };
        for dose in [Dose::ResetPeer { ms: 0 }, Dose::SlowClose { ms: 9 }, Dose::LimitData { bytes: 9 }, Dose::Down] {
            assert!(matches!(route(&BOTH).hit(dose, busy), Hit::No(_)), "{dose:?}");
            assert!(matches!(route(&BOTH).hit(dose, Passed { ended: 1, ..busy }), Hit::Yes(_)), "{dose:?}");
        }
        assert!(matches!(route(&BOTH).hit(Dose::Down, Passed { refused: 1, ..Passed::default() }), Hit::Yes(_)));
    }

    #[test]
    fn two_hits_are_as_good_as_the_better() {
        let [yes, pending, no] = [Hit::Yes("a".into()), Hit::Pending("b".into()), Hit::No("c".into())];
        assert_eq!(no.clone().better(pending.clone()), pending);
        assert_eq!(pending.better(yes.clone()), yes);
        assert_eq!(yes.clone().better(no), yes);
    }
}
