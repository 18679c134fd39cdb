//! Any bytes, as EDN: what is read can be written and is then read as the same operations. `cargo +nightly fuzz run edn`.
#![no_main]

use checker::format::{BadLines, Record, edn_history, write_edn};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = "bytes".into();
    let Ok((records, _)) = edn_history::read(bytes, &file, BadLines::Refuse) else { return };
    let mut edn = Vec::new();
    write_edn(&records, &mut edn).expect("into memory");
    let (back, _) = edn_history::read(&edn, &file, BadLines::Refuse).expect("what was written can be read");
    let shape = |records: &[Record]| records.iter().map(|record| (record.action, record.ret.is_some())).collect::<Vec<_>>();
    assert_eq!(shape(&records), shape(&back));
});
