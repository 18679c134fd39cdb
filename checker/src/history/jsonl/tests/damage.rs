//! Histories of killed runs, and bytes that are no history.

use super::arbitrary::event;
use super::{header, read, written};
use crate::history::jsonl::{MAX_LINE, Problem, Reader, Torn};
use proptest::collection::vec;
use proptest::prelude::*;
use std::io::{self, BufReader, Read};

const HEADER: &str = "{\"fencepost\":1}\n";
const GONE: &str = "{\"at\":1,\"type\":\"gone\",\"client\":\"c1\"}\n";

/// Reads to the end, past every error; the count of items, none where there is no header.
fn exhaust(bytes: &[u8]) -> Option<usize> {
    Reader::new(bytes).ok().map(|reader| reader.count())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn cut_anywhere_a_history_gives_a_prefix_of_its_events(events in vec(event(), 0..5)) {
        let bytes = written(&header(), &events);
        let header_end = bytes.iter().position(|b| *b == b'\n').unwrap();
        for cut in 0..=bytes.len() {
            let cut_off = &bytes[..cut];
            let mut reader = match Reader::new(cut_off) {
                Ok(reader) => reader,
                Err(error) => {
                    prop_assert!(cut < header_end, "{}", error);
                    prop_assert!(matches!(error.problem, Problem::NoHeader | Problem::TornHeader), "{}", error);
                    continue;
                }
            };
            prop_assert!(cut >= header_end);
            prop_assert_eq!(reader.header(), &header());
            let got: Vec<_> = reader.by_ref().collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(&got[..], &events[..got.len()]);

            // A line is there as soon as its last byte but the newline is.
            let ended = cut_off.iter().filter(|b| **b == b'\n').count();
            let rest = cut_off.len() - cut_off.iter().rposition(|b| *b == b'\n').map_or(0, |end| end + 1);
            let whole = rest > 0 && bytes.get(cut) == Some(&b'\n');
            prop_assert_eq!(1 + got.len(), ended + usize::from(whole));
            let torn = (rest > 0 && !whole).then_some(Torn { line: ended as u64 + 1, bytes: rest });
            prop_assert_eq!(reader.torn(), torn);
            prop_assert_eq!(reader.line(), (ended + usize::from(rest > 0)) as u64);
        }
    }

    #[test]
    fn arbitrary_bytes_end(bytes in vec(any::<u8>(), 0..400)) {
        exhaust(&bytes);
        let lines = bytes.iter().filter(|b| **b == b'\n').count() + 1;
        let after_a_header = exhaust(&[HEADER.as_bytes(), &bytes].concat());
        prop_assert!(after_a_header.unwrap() <= lines);
    }

    #[test]
    fn one_wrong_byte_spoils_no_other_line(events in vec(event(), 1..5), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut bytes = written(&header(), &events);
        let start = bytes.iter().position(|b| *b == b'\n').unwrap() + 1;
        let at = start + at.index(bytes.len() - start);
        let hit = bytes[..at].iter().filter(|b| **b == b'\n').count() - 1;
        bytes[at] = byte;
        let read: Vec<_> = Reader::new(&bytes[..]).unwrap().collect();
        for (event, read) in events[..hit].iter().zip(&read) {
            prop_assert_eq!(Some(event), read.as_ref().ok());
        }
        // A newline lost joins the line to the next, and one gained halves it.
        for (event, read) in events.iter().skip(hit + 2).rev().zip(read.iter().rev()) {
            prop_assert_eq!(Some(event), read.as_ref().ok());
        }
    }
}

#[test]
fn the_last_line_needs_no_newline_but_an_end() {
    let whole = format!("{HEADER}{GONE}{}", GONE.trim_end());
    assert_eq!(read(whole.as_bytes()).unwrap().len(), 2);
    let mut reader = Reader::new(&whole.as_bytes()[..whole.len() - 1]).unwrap();
    assert_eq!(reader.by_ref().map(Result::unwrap).count(), 1);
    assert_eq!(reader.torn(), Some(Torn { line: 3, bytes: GONE.len() - 2 }));
    assert!(reader.next().is_none());

    let wrong = format!("{HEADER}{{\"at\":1,\"type\":\"gone\"}}");
    assert!(read(wrong.as_bytes()).is_err(), "whole but wrong is not torn");
    let mut zeros = [HEADER, GONE].concat().into_bytes();
    zeros.extend([0; 512]);
    let mut reader = Reader::new(&zeros[..]).unwrap();
    assert_eq!(reader.by_ref().map(Result::unwrap).count(), 1);
    assert_eq!(reader.torn(), Some(Torn { line: 3, bytes: 512 }), "as a power failure leaves it");
}

#[test]
fn a_line_without_end_takes_no_memory_without_end() {
    let endless = BufReader::new(HEADER.as_bytes().chain(io::repeat(b'x')));
    let mut reader = Reader::new(endless).unwrap();
    let error = reader.next().unwrap().unwrap_err();
    assert!(matches!(error.problem, Problem::TooLong), "{error}");
    assert!(reader.next().is_none());
    assert_eq!(reader.torn(), None);

    let padded = |length: usize| {
        let gone = GONE.trim_end();
        format!("{HEADER}{gone}{}\n", " ".repeat(length - gone.len()))
    };
    assert_eq!(read(padded(MAX_LINE).as_bytes()).unwrap().len(), 1);
    assert!(read(padded(MAX_LINE + 1).as_bytes()).is_err());
}

#[test]
fn an_error_of_the_input_ends_the_reading() {
    struct Broken;
    impl Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::other("the disk is gone"))
        }
    }
    let whole = [HEADER, GONE].concat();
    let mut reader = Reader::new(BufReader::new(whole.as_bytes().chain(Broken))).unwrap();
    assert!(reader.next().unwrap().is_ok());
    assert_eq!(reader.next().unwrap().unwrap_err().to_string(), "line 3: cannot be read: the disk is gone");
    assert!(reader.next().is_none());
}
