//! The partitions and frozen replications that are in force, and what was severed for each.

use nemesis::wire::{Severed, Toll};
use nemesis::{Evidence, Fault, NotInjected, Partition};
use std::cell::RefCell;

/// The faults in force, each with the links that it severed: for each two parties those between them.
#[derive(Debug, Default)]
pub struct SeveredLinks(RefCell<Vec<(Fault, Vec<Between>)>>);

/// The links between two parties that one fault severed, by their indices.
#[derive(Debug, Clone)]
struct Between {
    parties: String,
    links: Vec<usize>,
}

impl SeveredLinks {
    /// A partition begins: `sever` severs a link.
    pub fn part(&self, partition: &Partition, mut sever: impl FnMut(&str, &str, Severed) -> usize) -> Evidence {
        let mut all = Vec::new();
        for links in partition.severed() {
            let parties = links.first().map(|(from, to)| format!("{from} and {to}")).unwrap_or_default();
            let links = links.iter().map(|(from, to)| sever(from, to, Severed::Lost)).collect();
            all.push(Between { parties, links });
        }
        let evidence = Evidence(format!("nothing passes between {} any more", parties(&all)));
        self.0.borrow_mut().push((Fault::Partition(partition.clone()), all));
        evidence
    }

    /// What its master sends to a replica is held from now on.
    pub fn freeze(
        &self,
        fault: &Fault,
        master: &str,
        replica: &str,
        sever: impl FnOnce(&str, &str, Severed) -> usize,
    ) -> Evidence {
        let link = sever(master, replica, Severed::Held);
        let between = Between { parties: format!("{master} and {replica}"), links: vec![link] };
        self.0.borrow_mut().push((fault.clone(), vec![between]));
        Evidence(format!("what {master} sends to {replica} is held"))
    }

    /// What shows that a fault has hit: something was lost or held between each two parties.
    pub fn met(&self, fault: &Fault, toll: impl Fn(usize) -> Toll) -> Option<Evidence> {
        let faults = self.0.borrow();
        let (_, all) = faults.iter().find(|(known, _)| known == fault)?;
        let tolls: Vec<Toll> = all.iter().map(|between| between.toll(&toll)).collect();
        tolls.iter().all(|toll| !toll.is_none()).then(|| Evidence(told(fault, all, &tolls)))
    }

    /// A fault is over: the links that are to be mended, and what they did; or that nothing was lost or held between some two parties, and so
    /// nothing was injected.
    pub fn end(&self, fault: &Fault, toll: impl Fn(usize) -> Toll) -> (Vec<usize>, Result<Evidence, NotInjected>) {
        let mut faults = self.0.borrow_mut();
        let Some(place) = faults.iter().position(|(known, _)| known == fault) else {
            return (vec![], Err(NotInjected("no link was ever severed".into())));
        };
        let (_, all) = faults.remove(place);
        let tolls: Vec<Toll> = all.iter().map(|between| between.toll(&toll)).collect();
        let ended = match tolls.iter().any(|toll| toll.is_none()) {
            true => Err(NotInjected(format!("nothing was sent that it could have hit ({})", told(fault, &all, &tolls)))),
            false => Ok(Evidence(format!("everything passes again; {}", told(fault, &all, &tolls)))),
        };
        (all.into_iter().flat_map(|between| between.links).collect(), ended)
    }
}

impl Between {
    fn toll(&self, toll: impl Fn(usize) -> Toll) -> Toll {
        let tolls = self.links.iter().map(|link| toll(*link));
        tolls.fold(Toll::default(), |all, one| Toll { bytes: all.bytes + one.bytes, calls: all.calls + one.calls })
    }
}

fn parties(all: &[Between]) -> String {
    all.iter().map(|between| between.parties.as_str()).collect::<Vec<_>>().join("; ")
}

fn told(fault: &Fault, all: &[Between], tolls: &[Toll]) -> String {
    let what = if matches!(fault, Fault::Partition(_)) { "lost" } else { "held" };
    let each = all.iter().zip(tolls).map(|(between, toll)| match toll.calls {
        0 => format!("{} bytes between {}", toll.bytes, between.parties),
        calls => format!("{} bytes and {calls} begins or ends of connections between {}", toll.bytes, between.parties),
    });
    format!("{what}: {}", each.collect::<Vec<_>>().join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partition_counts_once_something_was_lost_between_each_two() {
        let links = SeveredLinks::default();
        let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
        let partition = Partition { from: names(&["n1"]), to: names(&["n2", "n3"]), way: nemesis::Way::Both };
        let fault = Fault::Partition(partition.clone());
        let mut severed = Vec::new();
        links.part(&partition, |from, to, how| {
            severed.push((from.to_owned(), to.to_owned(), how));
            severed.len() - 1
        });
        assert_eq!(severed.len(), 4);
        let lost =
            |which: &'static [usize]| move |link: usize| Toll { bytes: if which.contains(&link) { 7 } else { 0 }, calls: 0 };
        assert_eq!(links.met(&fault, lost(&[0, 1])), None);
        assert_eq!(links.met(&fault, lost(&[0, 3])).unwrap().0, "lost: 7 bytes between n1 and n2; 7 bytes between n1 and n3");
        let (mended, ended) = links.end(&fault, lost(&[0]));
        assert_eq!((mended, ended.is_ok()), (vec![0, 1, 2, 3], false));
        assert!(links.end(&fault, lost(&[0])).1.is_err(), "it is over");
    }
}
