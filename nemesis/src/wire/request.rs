//! Where commands begin and end in the bytes that a caller sends, and what they are called.

use super::number::{Number, Read};

/// A longer word is no command's name.
const LONGEST_WORD: usize = 32;
/// Words that are kept: a command's name, and of `CLIENT REPLY OFF` the rest.
const WORDS_KEPT: usize = 3;
/// As many words as Redis accepts in one command.
const MOST_WORDS: i64 = i32::MAX as i64;

/// What a scan came upon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// All bytes are looked at; a command is unfinished, or none has begun.
    Starved,
    /// The command's name is known; nothing behind it is looked at.
    Named,
    /// The command ends here.
    Ended,
    /// This is not RESP: nobody knows where the next command begins, and nothing more can be scanned.
    Lost,
}

/// Scans a caller's bytes as they come, without keeping them.
#[derive(Debug, Default)]
pub(super) struct Requests {
    state: State,
    number: Number,
    words: [Vec<u8>; WORDS_KEPT],
    count: usize,
    named: bool,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Start,
    Count,
    BulkMark {
        word: usize,
    },
    BulkLength {
        word: usize,
    },
    /// `left` includes the line end behind the word.
    Bulk {
        word: usize,
        left: u64,
    },
    Inline {
        in_word: bool,
    },
    Lost,
}

impl Requests {
    /// Looks at bytes until it comes upon something; says how many it looked at, and upon what it came.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> (usize, Seen) {
        let mut at = 0;
        while at < bytes.len() {
            let (used, seen) = self.step(&bytes[at..]);
            at += used;
            match seen {
                Seen::Starved => {}
                Seen::Named => self.named = true,
                Seen::Ended => self.state = State::Start,
                Seen::Lost => self.state = State::Lost,
            }
            if seen != Seen::Starved {
                return (at, seen);
            }
        }
        (at, Seen::Starved)
    }

    /// One step of the scan; there is at least one byte.
    fn step(&mut self, bytes: &[u8]) -> (usize, Seen) {
        let byte = bytes[0];
        match self.state {
            State::Start => {
                self.words.iter_mut().for_each(Vec::clear);
                (self.count, self.named) = (0, false);
                self.state = if byte == b'*' { State::Count } else { State::Inline { in_word: false } };
                (usize::from(byte == b'*'), Seen::Starved)
            }
            State::Count => match self.number.push(byte) {
                Read::More => (1, Seen::Starved),
                // Redis passes over an empty command without a reply.
                Read::Done(..=0) => (1, Seen::Ended),
                Read::Done(words @ 1..=MOST_WORDS) => {
                    self.count = words as usize;
                    self.state = State::BulkMark { word: 0 };
                    (1, Seen::Starved)
                }
                _ => (1, Seen::Lost),
            },
            State::BulkMark { word } if byte == b'$' => {
                self.state = State::BulkLength { word };
                (1, Seen::Starved)
            }
            State::BulkMark { .. } => (0, Seen::Lost),
            State::BulkLength { word } => match self.number.push(byte) {
                Read::More => (1, Seen::Starved),
                Read::Done(length @ 0..) => {
                    self.state = State::Bulk { word, left: length as u64 + 2 };
                    // What is too long for a name is decided at once, so that it need not be kept back.
                    (1, if word == 0 && length as usize > LONGEST_WORD { Seen::Named } else { Seen::Starved })
                }
                _ => (1, Seen::Lost),
            },
            State::Bulk { left: ..=2, word: 0 } if !self.named => (0, Seen::Named),
            State::Bulk { word, left } => {
                let here = if left > 2 { left - 2 } else { left }.min(bytes.len() as u64);
                if left > 2 {
                    self.keep(word, &bytes[..here as usize]);
                }
                let (left, next) = (left - here, word + 1);
                self.state = if left > 0 { State::Bulk { word, left } } else { State::BulkMark { word: next } };
                (here as usize, if left == 0 && next == self.count { Seen::Ended } else { Seen::Starved })
            }
            State::Inline { in_word } => {
                let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
                let name = self.name();
                if !self.named && !name.is_empty() && (blank || name.len() > LONGEST_WORD) {
                    return (0, Seen::Named);
                }
                if !blank {
                    self.count += usize::from(!in_word);
                    self.keep(self.count - 1, &[byte]);
                }
                self.state = State::Inline { in_word: !blank };
                (1, if byte == b'\n' { Seen::Ended } else { Seen::Starved })
            }
            State::Lost => (0, Seen::Lost),
        }
    }

    fn keep(&mut self, word: usize, bytes: &[u8]) {
        if let Some(kept) = self.words.get_mut(word) {
            let room = (LONGEST_WORD + 1).saturating_sub(kept.len());
            kept.extend_from_slice(&bytes[..room.min(bytes.len())]);
        }
    }

    /// The command's name as it was sent.
    pub(super) fn name(&self) -> &[u8] {
        &self.words[0]
    }

    /// Whether the command has this word at this place; upper and lower case are the same.
    pub(super) fn says(&self, word: usize, text: &str) -> bool {
        self.words.get(word).is_some_and(|kept| kept.eq_ignore_ascii_case(text.as_bytes()))
    }

    /// How many words the command has, its name included; none where it is empty.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether a command has begun whose name is not known.
    pub(super) fn nameless(&self) -> bool {
        !self.named && !matches!(self.state, State::Start | State::Lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The commands in some bytes that come in pieces: name and count of words; and whether the scan got lost.
    fn commands<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Vec<(String, usize)>, bool) {
        let (mut requests, mut found, mut named) = (Requests::default(), vec![], None);
        for piece in pieces {
            let mut at = 0;
            loop {
                let (used, seen) = requests.scan(&piece[at..]);
                at += used;
                match seen {
                    Seen::Starved => break,
                    Seen::Lost => return (found, true),
                    Seen::Named => named = Some(String::from_utf8_lossy(requests.name()).into_owned()),
                    Seen::Ended if requests.count() == 0 => assert_eq!(named, None),
                    Seen::Ended => found.push((named.take().expect("named before its end"), requests.count())),
                }
            }
        }
        (found, false)
    }

    fn names(bytes: &[u8]) -> Vec<(String, usize)> {
        commands([bytes]).0
    }

    #[test]
    fn arrays_and_inline_commands_are_told_apart() {
        let bytes = b"*1\r\n$4\r\nPING\r\nset k v\r\n*0\r\n\r\n  \n*2\r\n$3\r\nGET\r\n$0\r\n\r\nQUIT\n*-1\r\n";
        let expected = [("PING", 1), ("set", 3), ("GET", 2), ("QUIT", 1)].map(|(name, count)| (name.to_owned(), count));
        assert_eq!(names(bytes), expected);
    }

    #[test]
    fn a_long_name_is_no_name_and_is_not_kept() {
        let long = "x".repeat(1000);
        assert_eq!(names(format!("*1\r\n$1000\r\n{long}\r\n").as_bytes()), [(String::new(), 1)]);
        assert_eq!(names(format!("{long} y\r\n").as_bytes()), [("x".repeat(LONGEST_WORD + 1), 2)]);
    }

    #[test]
    fn what_is_no_resp_is_noticed() {
        for bytes in ["*x\r\n", "*1\r\n:4\r\n", "*1\r\n$-1\r\n", "*1\r\n$x", "*99999999999\r\n", "*1\n"] {
            assert!(commands([bytes.as_bytes()]).1, "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn no_cut_changes_what_is_found(
            commands_sent in prop::collection::vec(prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 1..5), 0..6),
            inline in "[a-z]{1,40}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        ) {
            let mut bytes = vec![];
            let mut expected = vec![];
            for words in &commands_sent {
                bytes.extend(format!("*{}\r\n", words.len()).bytes());
                for word in words {
                    bytes.extend(format!("${}\r\n", word.len()).bytes());
                    bytes.extend(word);
                    bytes.extend(b"\r\n");
                }
                let name = if words[0].len() > LONGEST_WORD { &[][..] } else { &words[0] };
                expected.push((String::from_utf8_lossy(name).into_owned(), words.len()));
                bytes.extend(format!("{inline} x\r\n").bytes());
                expected.push((inline[..inline.len().min(LONGEST_WORD + 1)].to_owned(), 2));
            }
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]);
            prop_assert_eq!(commands(pieces), (expected, false));
        }

        #[test]
        fn no_bytes_hang_or_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            commands([&bytes[..]]);
        }
    }
}
