//! Any bytes, as event JSONL: each line is what serde_json reads, and what is read can be judged, and written and read again as the same
//! events. `cargo +nightly fuzz run events`.
#![no_main]

use checker::history::Event;
use checker::history::jsonl::{Reader, Writer, line_by_serde};
use checker::judge::Judge;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii_start().is_empty()) {
        let Ok(text) = std::str::from_utf8(line) else { continue };
        let history = [b"{\"fencepost\":1}\n", line, b"\n"].concat();
        let read = Reader::new(history.as_slice()).expect("it has a header").next().expect("it has a line");
        let words = |error: checker::history::jsonl::ReadError| error.to_string();
        assert_eq!(read.map_err(words), line_by_serde(text, 2).map_err(words));
    }
    let Ok(mut reader) = Reader::new(bytes) else { return };
    let header = reader.header().clone();
    let events: Vec<Event> = reader.by_ref().filter_map(Result::ok).collect();

    let mut judge = Judge::new(&header);
    events.iter().for_each(|event| judge.see(event));
    let _ = judge.finish();

    let mut writer = Writer::new(Vec::new(), &header).expect("its version was read");
    events.iter().for_each(|event| writer.write(event).expect("into memory"));
    let written = writer.into_inner();
    let back = Reader::new(written.as_slice()).expect("what was written can be read");
    assert_eq!(back.map(|event| event.expect("what was written can be read")).collect::<Vec<_>>(), events);
});
