//! Any bytes, as operations JSONL: each line is what serde_json reads, and what can be read as a stream is judged, and is the same where it is
//! read as a whole.
//! `cargo +nightly fuzz run operations`.
#![no_main]

use checker::format::operations::{Reader, line, line_by_serde};
use checker::format::{BadLines, Locks};
use checker::history::{Event, Header};
use checker::judge::Judge;
use libfuzzer_sys::fuzz_target;
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    for (number, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let [plain, serde] = [line, line_by_serde].map(|read| read(number, bytes).map_err(|mistake| mistake.problem));
        assert_eq!(plain, serde);
    }
    for bad in [BadLines::Refuse, BadLines::Skip] {
        let locks = || Locks::new(Reader::new(Box::new(Cursor::new(bytes.to_vec())), "bytes", bad));
        // A few lines fit into the window, so their order is no matter.
        let Ok(streamed) = locks().events().collect::<Result<Vec<Event>, _>>() else { continue };
        let (sorted, _) = locks().sorted().expect("it was read before");
        let sorted: Vec<Event> = sorted.collect();
        assert_eq!(streamed, sorted);

        let mut judge = Judge::new(&Header::default());
        streamed.iter().for_each(|event| judge.see(event));
        let judged = judge.finish();
        // A bad line is the only thing that can be wrong with stamps here.
        assert!(judged.broken.iter().all(|broken| broken.name != "incoherent"), "{:?}", judged.broken);
    }
});
