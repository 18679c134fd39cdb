//! Where replies begin and end in the bytes that a node sends, in RESP2 and RESP3.

use super::number::{Number, Read};
use super::request::Seen;

/// As much as is kept of an array's first element: the word that tells a pub/sub message from a reply.
const LONGEST_WORD: usize = 16;

/// Scans a node's bytes as they come, without keeping them. Never [`Seen::Named`].
///
/// To find where a message ends it is enough to count the elements that are still to come; how they are nested does not matter.
#[derive(Debug, Default)]
pub(super) struct Replies {
    state: State,
    number: Number,
    mark: u8,
    word: Vec<u8>,
    elements: u64,
    left: u64,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    /// A message or an element begins.
    #[default]
    Mark,
    /// The rest of a line is skipped.
    Line,
    /// The length of a string.
    Length,
    /// The length of something with elements, each of which counts this often.
    Elements {
        each: u64,
        more: u64,
    },
    Bulk {
        left: u64,
    },
    Lost,
}

impl Replies {
    /// Looks at bytes until it comes upon something; says how many it looked at, and upon what it came.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, Seen) {
        let mut at = 0;
        while at < bytes.len() {
            let (used, step) = self.step(&bytes[at..]);
            at += used;
            match step {
                Step::Onward(state) => self.state = state,
                Step::Lost => {
                    self.state = State::Lost;
                    return (at, Seen::Lost);
                }
                Step::Element { brings } => {
                    self.state = State::Mark;
                    self.elements += 1;
                    match (self.left - 1).checked_add(brings) {
                        None => self.state = State::Lost,
                        Some(left) => self.left = left,
                    }
                    if self.left == 0 {
                        return (at, Seen::Ended);
                    }
                }
            }
        }
        (at, Seen::Starved)
    }

    fn step(&mut self, bytes: &[u8]) -> (usize, Step) {
        let byte = bytes[0];
        match self.state {
            State::Mark => {
                if self.left == 0 {
                    (self.mark, self.elements, self.left) = (byte, 0, 1);
                    self.word.clear();
                }
                let next = match byte {
                    b'+' | b'-' | b':' | b'_' | b'#' | b',' | b'(' => State::Line,
                    b'$' | b'=' | b'!' => State::Length,
                    b'*' | b'~' | b'>' => State::Elements { each: 1, more: 0 },
                    b'%' => State::Elements { each: 2, more: 0 },
                    // Attributes come before the element that they belong to.
                    b'|' => State::Elements { each: 2, more: 1 },
                    _ => return (0, Step::Lost),
                };
                (1, Step::Onward(next))
            }
            State::Line => match bytes.iter().position(|byte| *byte == b'\n') {
                Some(end) => (end + 1, Step::Element { brings: 0 }),
                None => (bytes.len(), Step::Onward(State::Line)),
            },
            State::Length => match self.number.push(byte) {
                Read::More => (1, Step::Onward(State::Length)),
                Read::Done(-1) => (1, Step::Element { brings: 0 }),
                Read::Done(length @ 0..) => (1, Step::Onward(State::Bulk { left: length as u64 + 2 })),
                _ => (1, Step::Lost),
            },
            State::Elements { each, more } => match self.number.push(byte) {
                Read::More => (1, Step::Onward(self.state)),
                Read::Done(-1) => (1, Step::Element { brings: 0 }),
                Read::Done(count @ 0..) => match (count as u64).checked_mul(each).and_then(|count| count.checked_add(more)) {
                    Some(brings) => (1, Step::Element { brings }),
                    None => (1, Step::Lost),
                },
                _ => (1, Step::Lost),
            },
            State::Bulk { left } => {
                let here = left.min(bytes.len() as u64) as usize;
                let text = here.min(left.saturating_sub(2) as usize);
                let room = LONGEST_WORD.saturating_sub(self.word.len());
                if self.elements == 1 {
                    self.word.extend_from_slice(&bytes[..text.min(room)]);
                }
                let left = left - here as u64;
                (here, if left == 0 { Step::Element { brings: 0 } } else { Step::Onward(State::Bulk { left }) })
            }
            State::Lost => (0, Step::Lost),
        }
    }

    /// The byte that the message began with.
    pub(super) fn mark(&self) -> u8 {
        self.mark
    }

    /// Of a message with elements: the first, where it is a string.
    pub(super) fn word(&self) -> &[u8] {
        &self.word
    }

    /// Whether the next byte begins a message.
    pub(super) fn between(&self) -> bool {
        self.left == 0
    }
}

enum Step {
    Onward(State),
    /// An element is whole but for the elements that it brings.
    Element {
        brings: u64,
    },
    Lost,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// How long each message is, with its first element's word; and whether the scan got lost.
    fn messages<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<(usize, String)>, bool) {
        let (mut replies, mut found, mut length) = (Replies::default(), vec![], 0);
        for piece in pieces {
            let mut at = 0;
            loop {
                let (used, seen) = replies.scan(&piece[at..]);
                (at, length) = (at + used, length + used);
                match seen {
                    Seen::Starved => break,
                    Seen::Ended => {
                        assert!(replies.between());
                        found.push((length, String::from_utf8_lossy(replies.word()).into_owned()));
                        length = 0;
                    }
                    Seen::Lost | Seen::Named => return (found, true),
                }
            }
        }
        (found, false)
    }

    const EACH_KIND: [&str; 18] = [
        "+OK\r\n",
        "-ERR x\r\n",
        ":-12\r\n",
        "$-1\r\n",
        "$0\r\n\r\n",
        "$4\r\n\r\n$1\r\n",
        "*-1\r\n",
        "*0\r\n",
        "*2\r\n$7\r\nmessage\r\n*1\r\n:1\r\n",
        "_\r\n",
        "#t\r\n",
        ",1.5\r\n",
        "(123456789012345678901234567890\r\n",
        "!5\r\nERR x\r\n",
        "=7\r\ntxt:abc\r\n",
        "%1\r\n+k\r\n~2\r\n:1\r\n:2\r\n",
        "|1\r\n+ttl\r\n:3\r\n+OK\r\n",
        ">2\r\n$9\r\nsubscribe\r\n:1\r\n",
    ];

    #[test]
    fn each_kind_of_reply_ends_where_it_ends() {
        for kind in EACH_KIND {
            let (found, lost) = messages([kind.as_bytes()]);
            assert!(!lost && found.len() == 1 && found[0].0 == kind.len(), "{kind:?}: {found:?}");
        }
        assert_eq!(messages([EACH_KIND[8].as_bytes()]).0[0].1, "message");
    }

    #[test]
    fn what_is_no_resp_is_noticed() {
        for bytes in ["x", "$-2\r\n", "*?\r\n", "$1x", "*2\r\n\0"] {
            assert!(messages([bytes.as_bytes()]).1, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn no_cut_changes_what_is_found(
            kinds in prop::collection::vec(0..EACH_KIND.len(), 0..12),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let bytes: Vec<u8> = kinds.iter().flat_map(|kind| EACH_KIND[*kind].bytes()).collect();
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let (found, lost) = messages(cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]));
            prop_assert!(!lost);
            let lengths: Vec<usize> = found.iter().map(|(length, _)| *length).collect();
            prop_assert_eq!(lengths, kinds.iter().map(|kind| EACH_KIND[*kind].len()).collect::<Vec<_>>());
        }

        #[test]
        fn no_bytes_hang_or_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            messages([&bytes[..]]);
        }
    }
}
