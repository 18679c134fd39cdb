//! A fault of the wire, as a plan says it.

use crate::Moment;
use crate::wire::{Occurrence, Rule, Verdict};
use serde::de::{SeqAccess, Visitor, value::SeqAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::time::Duration;

/// Which messages, and what becomes of them until the step ends:
/// `{ wire = { from = "c1", to = "n1", command = "SET", moment = "reply", occurrence = 1, verdict = "drop" } }`.
///
/// It counts as injected only once a message was really hit, on the way to or from each node that is named.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireFault {
    /// Which client's commands; anybody's when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// To which node, or nodes; any when absent.
    #[serde(default, deserialize_with = "one_or_many", skip_serializing_if = "Vec::is_empty")]
    pub to: Vec<String>,
    /// The command's name; upper and lower case are the same. Any when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The command on its way to the node, or the reply on its way back.
    pub moment: Moment,
    /// The first such message since the step began, the second, …, counted for each node that is named; every one when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub occurrence: Option<u32>,
    /// What becomes of it.
    pub verdict: WireVerdict,
    /// By how many milliseconds it is delayed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<u64>,
}

/// What a fault of the wire does to a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WireVerdict {
    /// It is lost, and with it everything behind it on its connection.
    Drop,
    /// It arrives later.
    Delay,
    /// It is lost, and its connection is reset.
    Reset,
    /// It is under way until the step ends.
    Hold,
}

impl WireFault {
    /// The rules that say this to the wire, one for each node that is named.
    pub fn rules(&self) -> Vec<Rule> {
        let verdict = match self.verdict {
            WireVerdict::Drop => Verdict::Drop,
            WireVerdict::Delay => Verdict::Delay(Duration::from_millis(self.delay_ms.unwrap_or(0))),
            WireVerdict::Reset => Verdict::Reset,
            WireVerdict::Hold => Verdict::Detain,
        };
        let rule = |to: Option<&String>| Rule {
            from: self.from.clone(),
            to: to.cloned(),
            command: self.command.clone(),
            moment: self.moment,
            occurrence: self.occurrence.map_or(Occurrence::From(1), Occurrence::Nth),
            verdict,
        };
        match self.to.as_slice() {
            [] => vec![rule(None)],
            nodes => nodes.iter().map(|node| rule(Some(node))).collect(),
        }
    }
}

impl fmt::Display for WireFault {
    /// In words, in the past tense: `the reply of n1 to c1's SET was dropped`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let whose = self.from.as_ref().map_or("anybody's".into(), |from| format!("{from}'s"));
        let command = self.command.as_deref().unwrap_or("command");
        let nodes = if self.to.is_empty() { "any node".into() } else { self.to.join(", ") };
        match self.moment {
            Moment::Request => write!(f, "{whose} {command} to {nodes}")?,
            Moment::Reply => write!(f, "the reply of {nodes} to {whose} {command}")?,
        }
        match self.occurrence {
            None => write!(f, ", each time,")?,
            Some(1) => {}
            Some(nth) => write!(f, ", number {nth},")?,
        }
        match self.verdict {
            WireVerdict::Drop => write!(f, " was dropped"),
            WireVerdict::Delay => write!(f, " was delayed by {} ms", self.delay_ms.unwrap_or(0)),
            WireVerdict::Reset => write!(f, " was lost and its connection reset"),
            WireVerdict::Hold => write!(f, " was held back"),
        }
    }
}

/// A name, or a list of them.
pub(crate) fn one_or_many<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    struct Names;
    impl<'de> Visitor<'de> for Names {
        type Value = Vec<String>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a node's name, or a list of them")
        }

        fn visit_str<E>(self, name: &str) -> Result<Self::Value, E> {
            Ok(vec![name.to_owned()])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, names: A) -> Result<Self::Value, A::Error> {
            Vec::deserialize(SeqAccessDeserializer::new(names))
        }
    }
    from.deserialize_any(Names)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(to: &[&str]) -> WireFault {
        WireFault {
            from: Some("c1".into()),
            to: to.iter().map(ToString::to_string).collect(),
            command: Some("SET".into()),
            moment: Moment::Reply,
            occurrence: Some(1),
            verdict: WireVerdict::Hold,
            delay_ms: None,
        }
    }

    #[test]
    fn each_node_that_is_named_has_a_rule_of_its_own() {
        let rules = fault(&["n1", "n3"]).rules();
        assert_eq!(rules.iter().map(|rule| rule.to.as_deref()).collect::<Vec<_>>(), [Some("n1"), Some("n3")]);
        assert!(rules.iter().all(|rule| rule.verdict == Verdict::Detain && rule.occurrence == Occurrence::Nth(1)));
        assert_eq!(fault(&[]).rules().iter().map(|rule| rule.to.clone()).collect::<Vec<_>>(), [None]);
    }

    #[test]
    fn it_is_told_in_words() {
        assert_eq!(fault(&["n1", "n3"]).to_string(), "the reply of n1, n3 to c1's SET was held back");
        let every = WireFault { from: None, command: None, occurrence: None, moment: Moment::Request, ..fault(&[]) };
        let late = WireFault { verdict: WireVerdict::Delay, delay_ms: Some(20), ..every };
        assert_eq!(late.to_string(), "anybody's command to any node, each time, was delayed by 20 ms");
    }
}
