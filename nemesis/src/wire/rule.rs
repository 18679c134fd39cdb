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

/// What becomes of a message. The order is of severity: where several rules fit a message, it is first held for each that wants it held, and
/// then the most severe of the others wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// It goes on at once.
    Pass,
    /// It goes on after this long, and everything behind it on its connection waits too.
    Delay(Duration),
    /// It is reported, and goes on when it is let pass; everything behind it on its connection waits too. Where its caller has hung up
    /// meanwhile it was never sent.
    Hold,
    /// It is under way until its rule is lifted, and so is everything behind it on its connection. It arrives then, even where its caller
    /// has hung up meanwhile.
    Detain,
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

/// The rules that were made, each with what it has seen.
#[derive(Debug, Default)]
pub struct Rules(Vec<Entry>);

#[derive(Debug)]
struct Entry {
    rule: Rule,
    /// How many commands fitted it.
    met: u32,
    /// How many messages its verdict was carried out on.
    hits: u32,
    lifted: bool,
}

/// What the rules say of one command and of its reply.
#[derive(Debug, Default, PartialEq)]
pub struct Judged {
    /// Of the command.
    pub request: Judgement,
    /// Of its reply.
    pub reply: Judgement,
}

/// The verdicts on one message, with the index of the rule of each; empty where it passes.
pub type Judgement = Vec<(usize, Verdict)>;

impl Rules {
    /// Adds a rule; its index names it in a [`crate::Sighting`].
    pub fn add(&mut self, rule: Rule) -> usize {
        self.0.push(Entry { rule, met: 0, hits: 0, lifted: false });
        self.0.len() - 1
    }

    /// Counts a command against every rule in force and says what they want done.
    pub fn judge(&mut self, from: &str, to: &str, command: &[u8]) -> Judged {
        let mut judged = Judged::default();
        for (index, Entry { rule, met, lifted, .. }) in self.0.iter_mut().enumerate() {
            if *lifted || !rule.fits(from, to, command) {
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

    /// What is to be done now to a message that waits for nothing any more: the most severe verdict of the rules still in force, holding
    /// aside. Each of those with that verdict has hit.
    pub fn hit(&mut self, judgement: &Judgement) -> Verdict {
        let in_force = |rule: usize| self.0.get(rule).is_some_and(|entry| !entry.lifted);
        let others = judgement.iter().filter(|(rule, verdict)| *verdict != Verdict::Hold && in_force(*rule));
        let worst = others.map(|(_, verdict)| *verdict).max().unwrap_or(Verdict::Pass);
        for (rule, _) in judgement.iter().filter(|(_, verdict)| *verdict == worst) {
            if let Some(entry) = self.0.get_mut(*rule).filter(|entry| !entry.lifted) {
                entry.hits = entry.hits.saturating_add(1);
            }
        }
        worst
    }

    /// Whether a rule is still in force.
    pub fn in_force(&self, rule: usize) -> bool {
        self.0.get(rule).is_some_and(|entry| !entry.lifted)
    }

    /// How many messages a rule's verdict was carried out on.
    pub fn hits(&self, rule: usize) -> u32 {
        self.0.get(rule).map_or(0, |entry| entry.hits)
    }

    /// Takes a rule out of force. Messages that are late already stay so.
    pub fn lift(&mut self, rule: usize) {
        if let Some(entry) = self.0.get_mut(rule) {
            entry.lifted = true;
        }
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

    #[test]
    fn the_most_severe_rule_in_force_hits_and_a_lifted_one_does_not() {
        let mut rules = Rules::default();
        let every = |verdict| Rule {
            from: None,
            to: None,
            command: None,
            moment: Moment::Reply,
            occurrence: Occurrence::From(1),
            verdict,
        };
        let [delay, drop, hold] = [Verdict::Delay(Duration::from_millis(1)), Verdict::Drop, Verdict::Hold];
        for verdict in [delay, drop, hold] {
            rules.add(every(verdict));
        }
        let judged = rules.judge("c1", "n1", b"SET").reply;
        assert_eq!(judged, [(0, delay), (1, drop), (2, hold)]);
        assert_eq!(rules.hit(&judged), drop);
        rules.lift(1);
        assert_eq!(rules.hit(&judged), delay, "what was judged before the lift too");
        assert_eq!([0, 1, 2].map(|rule| rules.hits(rule)), [1, 1, 0]);
        assert_eq!(rules.judge("c1", "n1", b"SET").reply, [(0, delay), (2, hold)]);
    }
}
