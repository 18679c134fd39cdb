//! What the wire does to messages, as data.

use crate::{Moment, WirePattern};
use std::time::Duration;

/// One rule of the wire: which messages, and what becomes of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Rule {
    /// Who sends the command; anybody when absent.
    pub from: Option<String>,
    /// The node it is sent to; any when absent.
    pub to: Option<String>,
    /// The command's name; upper and lower case are the same. Any when absent.
    pub command: Option<String>,
    /// The command on its way to the node, or the reply on its way back.
    pub moment: Moment,
    /// Which of those messages, in the order in which their commands reached the wire.
    pub occurrence: Occurrence,
    /// What becomes of them.
    pub verdict: Verdict,
}

/// Which of the messages that fit a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Occurrence {
    /// The first, the second, … since the rule was made.
    Nth(u32),
    /// That one and all later ones; `From(1)` is every one.
    From(u32),
}

/// What becomes of a message. The order is of severity: where several rules fit a message, the most severe wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It goes on at once.
    Pass,
    /// It goes on after this long, and everything behind it on its connection waits too.
    Delay(Duration),
    /// It is reported, and goes on when it is let pass; everything behind it on its connection waits too.
    Hold,
    /// It is lost, and so is everything behind it in its direction on its connection: in a byte stream nothing can be lost alone.
    Drop,
    /// It is lost, and its connection is reset on both sides.
    Reset,
}

impl Rule {
    /// The rule that holds the message of a trigger.
    pub fn hold(pattern: &WirePattern) -> Rule {
        Rule {
            from: Some(pattern.client.clone()),
            to: pattern.node.clone(),
            command: Some(pattern.command.clone()),
            moment: pattern.moment,
            occurrence: Occurrence::Nth(pattern.nth),
            verdict: Verdict::Hold,
        }
    }

    fn fits(&self, from: &str, to: &str, command: &[u8]) -> bool {
        let fits = |wanted: &Option<String>, is: &str| wanted.as_ref().is_none_or(|wanted| wanted == is);
        self.command.as_ref().is_none_or(|name| name.as_bytes().eq_ignore_ascii_case(command))
            && fits(&self.from, from)
            && fits(&self.to, to)
    }
}

impl Occurrence {
    fn includes(self, nth: u32) -> bool {
        match self {
            Occurrence::Nth(wanted) => nth == wanted,
            Occurrence::From(first) => nth >= first,
        }
    }
}

/// The rules in force, with how often each was met.
#[derive(Debug, Default)]
pub(super) struct Rules(Vec<(Rule, u32)>);

/// What the rules say of one command and of its reply.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Judged {
    pub(super) request: Judgement,
    pub(super) reply: Judgement,
}

/// The verdicts on one message, with the index of the rule of each; empty where it passes.
pub(super) type Judgement = Vec<(usize, Verdict)>;

impl Rules {
    /// Adds a rule; its index names it in a [`crate::Sighting`].
    pub(super) fn add(&mut self, rule: Rule) -> usize {
        self.0.push((rule, 0));
        self.0.len() - 1
    }

    /// Counts a command against every rule and says what they want done.
    pub(super) fn judge(&mut self, from: &str, to: &str, command: &[u8]) -> Judged {
        let mut judged = Judged::default();
        for (index, (rule, met)) in self.0.iter_mut().enumerate() {
            if !rule.fits(from, to, command) {
                continue;
            }
            *met = met.saturating_add(1);
            if rule.occurrence.includes(*met) && rule.verdict != Verdict::Pass {
                match rule.moment {
                    Moment::Request => judged.request.push((index, rule.verdict)),
                    Moment::Reply => judged.reply.push((index, rule.verdict)),
                }
            }
        }
        judged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nth_fitting_command_and_no_other_is_judged() {
        let mut rules = Rules::default();
        let every = Rule {
            from: None,
            to: Some("n1".into()),
            command: Some("set".into()),
            moment: Moment::Reply,
            occurrence: Occurrence::Nth(2),
            verdict: Verdict::Hold,
        };
        rules.add(Rule { from: Some("c1".into()), ..every.clone() });
        rules.add(Rule { occurrence: Occurrence::From(3), moment: Moment::Request, verdict: Verdict::Drop, ..every });
        let mut judge = |from, to, command: &str| rules.judge(from, to, command.as_bytes());
        let nothing = Judged::default();
        assert_eq!(judge("c1", "n1", "SET"), nothing);
        assert_eq!(judge("c1", "n2", "SET"), nothing);
        assert_eq!(judge("c1", "n1", "SETNX"), nothing);
        assert_eq!(judge("c2", "n1", "SET"), nothing);
        let third = Judged { request: vec![(1, Verdict::Drop)], reply: vec![(0, Verdict::Hold)] };
        assert_eq!(judge("c1", "n1", "Set"), third);
        assert_eq!(judge("c1", "n1", "SET"), Judged { reply: vec![], ..third });
    }
}
