//! Any bytes, as one of Jepsen's console logs. `cargo +nightly fuzz run console`.
#![no_main]

use checker::format::{BadLines, console, write_edn};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let file = "bytes".into();
    if let Ok((records, skipped)) = console::read(bytes, &file, BadLines::Refuse) {
        assert_eq!(skipped, 0, "a line that cannot be read is refused");
        assert!(records.iter().all(|record| record.ret.is_none_or(|ret| record.call < ret)));
        write_edn(&records, &mut std::io::sink()).expect("a sink takes all");
    }
    let _ = console::read(bytes, &file, BadLines::Skip);
});
