//! The faults of the wire that are in force, and the rules that carry out each.

use nemesis::wire::Rule;
use nemesis::{Evidence, NotInjected, WireFault};
use std::cell::RefCell;

/// The faults in force, with the indices of their rules.
#[derive(Debug, Default)]
pub struct WireFaults(RefCell<Vec<(WireFault, Vec<usize>)>>);

impl WireFaults {
    /// A fault begins: `add` gives the wire a rule.
    pub fn begin(&self, fault: &WireFault, add: impl FnMut(Rule) -> usize) -> Evidence {
        let rules: Vec<usize> = fault.rules().into_iter().map(add).collect();
        let evidence = Evidence(format!("the wire has {}", counted(rules.len(), "rule")));
        self.0.borrow_mut().push((fault.clone(), rules));
        evidence
    }

    /// What shows that a fault has hit: each of its rules did, by the wire's own count.
    pub fn met(&self, fault: &WireFault, hits: impl Fn(usize) -> u32) -> Option<Evidence> {
        let faults = self.0.borrow();
        let (_, rules) = faults.iter().find(|(known, _)| known == fault)?;
        let hits: Vec<u32> = rules.iter().map(|rule| hits(*rule)).collect();
        hits.iter().all(|hits| *hits > 0).then(|| Evidence(told(fault, &hits)))
    }

    /// A fault is over: the rules that the wire is to be rid of, and what they did; or that one of them hit no message, and so nothing was injected.
    pub fn end(&self, fault: &WireFault, hits: impl Fn(usize) -> u32) -> (Vec<usize>, Result<Evidence, NotInjected>) {
        let mut faults = self.0.borrow_mut();
        let Some(place) = faults.iter().position(|(known, _)| known == fault) else {
            return (vec![], Err(NotInjected("the wire was never told".into())));
        };
        let (_, rules) = faults.remove(place);
        let hits: Vec<u32> = rules.iter().map(|rule| hits(*rule)).collect();
        let ended = match hits.contains(&0) {
            true => Err(NotInjected(format!("not every message that was meant came by ({})", told(fault, &hits)))),
            false => Ok(Evidence(format!("the wire lets everything pass again; {}", told(fault, &hits)))),
        };
        (rules, ended)
    }
}

/// How many messages were hit, for each node that is named.
fn told(fault: &WireFault, hits: &[u32]) -> String {
    match fault.to.as_slice() {
        [] => format!("it hit {}", counted(hits.iter().map(|hits| *hits as usize).sum(), "message")),
        nodes => {
            let each = nodes.iter().zip(hits).map(|(node, hits)| format!("{node}: {hits}"));
            format!("it hit messages by node: {}", each.collect::<Vec<_>>().join(", "))
        }
    }
}

fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use nemesis::{Moment, WireVerdict};

    fn fault(to: &[&str]) -> WireFault {
        WireFault {
            from: None,
            to: to.iter().map(ToString::to_string).collect(),
            command: None,
            moment: Moment::Request,
            occurrence: None,
            verdict: WireVerdict::Drop,
            delay_ms: None,
        }
    }

    #[test]
    fn a_fault_counts_once_each_of_its_rules_has_hit() {
        let faults = WireFaults::default();
        let mut rules = 0..;
        faults.begin(&fault(&["n1", "n2"]), |_| rules.next().unwrap());
        assert_eq!(faults.met(&fault(&["n1", "n2"]), |rule| rule as u32), None);
        let evidence = faults.met(&fault(&["n1", "n2"]), |rule| rule as u32 + 1).unwrap();
        assert_eq!(evidence.0, "it hit messages by node: n1: 1, n2: 2");
        let (rules, ended) = faults.end(&fault(&["n1", "n2"]), |_| 1);
        assert_eq!((rules, ended.is_ok()), (vec![0, 1], true));
        let (rules, ended) = faults.end(&fault(&["n1", "n2"]), |_| 1);
        assert_eq!((rules, ended.is_ok()), (vec![], false), "it is over");
    }

    #[test]
    fn a_fault_that_hit_nothing_was_not_injected() {
        let faults = WireFaults::default();
        faults.begin(&fault(&[]), |_| 3);
        let (rules, ended) = faults.end(&fault(&[]), |_| 0);
        assert_eq!(rules, [3]);
        assert_eq!(ended.unwrap_err().0, "not every message that was meant came by (it hit 0 messages)");
    }
}
