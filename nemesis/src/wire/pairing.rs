//! Which reply answers which command on one connection.
//!
//! Redis answers commands in order, one message each, but for pub/sub (several confirmations, and messages that nobody asked for) and `CLIENT REPLY`.

use super::request::Requests;
use super::rule::Judgement;
use std::collections::VecDeque;

/// The commands of one connection whose replies have not come.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    unanswered: VecDeque<Unanswered>,
    /// Whether it ever subscribed: in RESP2 a message then looks like a reply.
    subscribed: bool,
    muted: Muted,
}

#[derive(Debug)]
struct Unanswered {
    by: By,
    judgement: Judgement,
}

/// What answers a command.
#[derive(Debug, PartialEq, Eq)]
enum By {
    /// One reply.
    Reply,
    /// As many confirmations, or one error.
    Confirmations(usize),
    /// A confirmation for each channel that it had subscribed, one where there were none: nobody here knows how many.
    SomeConfirmations,
}

/// What `CLIENT REPLY` asked for.
#[derive(Debug, Default, PartialEq, Eq)]
enum Muted {
    #[default]
    No,
    Next,
    All,
}

const SUBSCRIBES: [&str; 6] = ["subscribe", "psubscribe", "ssubscribe", "unsubscribe", "punsubscribe", "sunsubscribe"];
const MESSAGES: [&str; 3] = ["message", "pmessage", "smessage"];

impl Pairing {
    /// A command has gone to the node. `judgement` is what becomes of its reply.
    pub(super) fn asked(&mut self, request: &Requests, judgement: Judgement) {
        if request.count() == 0 {
            return;
        }
        if request.says(0, "CLIENT") && request.says(1, "REPLY") {
            self.muted = match () {
                () if request.says(2, "OFF") => Muted::All,
                () if request.says(2, "SKIP") && self.muted == Muted::No => Muted::Next,
                () if request.says(2, "ON") => Muted::No,
                () => std::mem::take(&mut self.muted),
            };
            if self.muted != Muted::No {
                return;
            }
        } else if self.muted == Muted::All || std::mem::take(&mut self.muted) == Muted::Next {
            return;
        }
        let subscribes = SUBSCRIBES.iter().any(|name| request.says(0, name));
        self.subscribed |= subscribes;
        let by = match request.count() - 1 {
            _ if !subscribes => By::Reply,
            0 => By::SomeConfirmations,
            channels => By::Confirmations(channels),
        };
        self.unanswered.push_back(Unanswered { by, judgement });
    }

    /// Whether something is to become of the next reply, so that it must be whole before any of it goes on.
    pub(super) fn next_is_judged(&self) -> bool {
        self.unanswered.front().is_some_and(|next| !next.judgement.is_empty())
    }

    /// A message has come from the node, beginning with this mark and with this word as its first element: what becomes of it.
    pub(super) fn arrived(&mut self, mark: u8, word: &[u8]) -> Judgement {
        let is_one_of = |names: &[&str]| names.iter().any(|name| name.as_bytes() == word);
        let out_of_band = mark == b'>' || mark == b'*' && self.subscribed;
        if out_of_band && is_one_of(&SUBSCRIBES) {
            return self.confirmed();
        }
        if mark == b'>' || out_of_band && is_one_of(&MESSAGES) {
            return Judgement::new();
        }
        while mark != b'-' && self.unanswered.front().is_some_and(|next| next.by == By::SomeConfirmations) {
            self.unanswered.pop_front();
        }
        self.unanswered.pop_front().map_or_else(Judgement::new, |answered| answered.judgement)
    }

    fn confirmed(&mut self) -> Judgement {
        match self.unanswered.front_mut() {
            Some(Unanswered { by: By::Confirmations(left @ 2..), .. }) => *left -= 1,
            Some(Unanswered { by: By::Confirmations(_), .. }) => {
                return self.unanswered.pop_front().map_or_else(Judgement::new, |answered| answered.judgement);
            }
            Some(Unanswered { by: By::SomeConfirmations, judgement }) => return std::mem::take(judgement),
            _ => {}
        }
        Judgement::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::request::Seen;
    use super::*;
    use crate::wire::rule::Verdict;

    fn ask(pairing: &mut Pairing, line: &str, rule: usize) {
        let mut requests = Requests::default();
        let bytes = format!("{line}\r\n");
        let mut at = 0;
        loop {
            let (used, seen) = requests.scan(&bytes.as_bytes()[at..]);
            at += used;
            if seen == Seen::Ended {
                return pairing.asked(&requests, vec![(rule, Verdict::Hold)]);
            }
        }
    }

    fn rule(judgement: Judgement) -> Option<usize> {
        judgement.first().map(|(rule, _)| *rule)
    }

    #[test]
    fn replies_come_in_the_order_of_their_commands() {
        let mut pairing = Pairing::default();
        ask(&mut pairing, "GET a", 1);
        ask(&mut pairing, "", 2);
        ask(&mut pairing, "GET b", 3);
        assert!(pairing.next_is_judged());
        assert_eq!(rule(pairing.arrived(b'$', b"")), Some(1));
        assert_eq!(rule(pairing.arrived(b'>', b"invalidate")), None);
        assert_eq!(rule(pairing.arrived(b'*', b"message")), Some(3));
        assert_eq!(rule(pairing.arrived(b'+', b"")), None);
    }

    #[test]
    fn a_subscription_is_answered_by_its_confirmations() {
        for mark in [b'*', b'>'] {
            let mut pairing = Pairing::default();
            ask(&mut pairing, "SUBSCRIBE a b", 1);
            ask(&mut pairing, "PING", 2);
            ask(&mut pairing, "UNSUBSCRIBE", 3);
            ask(&mut pairing, "PUNSUBSCRIBE", 4);
            ask(&mut pairing, "GET a", 5);
            assert_eq!(rule(pairing.arrived(mark, b"subscribe")), None);
            assert_eq!(rule(pairing.arrived(mark, b"message")), None);
            assert_eq!(rule(pairing.arrived(mark, b"subscribe")), Some(1));
            assert_eq!(rule(pairing.arrived(b'*', b"pong")), Some(2));
            assert_eq!(rule(pairing.arrived(mark, b"unsubscribe")), Some(3));
            assert_eq!(rule(pairing.arrived(mark, b"unsubscribe")), None);
            assert_eq!(rule(pairing.arrived(b'$', b"")), Some(5));
        }
    }

    #[test]
    fn a_refused_subscription_is_answered_by_its_error() {
        let mut pairing = Pairing::default();
        ask(&mut pairing, "SUBSCRIBE a b", 1);
        ask(&mut pairing, "GET a", 2);
        assert_eq!(rule(pairing.arrived(b'-', b"")), Some(1));
        assert_eq!(rule(pairing.arrived(b'$', b"")), Some(2));
    }

    #[test]
    fn a_muted_command_waits_for_no_reply() {
        let mut pairing = Pairing::default();
        ask(&mut pairing, "CLIENT REPLY SKIP", 1);
        ask(&mut pairing, "SET a 1", 2);
        ask(&mut pairing, "GET a", 3);
        ask(&mut pairing, "CLIENT REPLY OFF", 4);
        ask(&mut pairing, "SET a 2", 5);
        ask(&mut pairing, "CLIENT REPLY ON", 6);
        assert_eq!(rule(pairing.arrived(b'$', b"")), Some(3));
        assert_eq!(rule(pairing.arrived(b'+', b"")), Some(6));
    }
}
