//! Any bytes, as a history of any format: `cargo +nightly fuzz run read`.
#![no_main]

use checker::format::{BadLines, Content, read, write_edn};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for bad in [BadLines::Refuse, BadLines::Skip] {
        match read(std::io::Cursor::new(bytes.to_vec()), "bytes", bad) {
            Ok(Content::Locks(locks)) => locks.events().take_while(|event| event.is_ok()).for_each(drop),
            Ok(Content::Objects(objects)) => write_edn(&objects.records, &mut std::io::sink()).expect("a sink takes all"),
            Ok(Content::Events(_)) | Err(_) => {}
        }
    }
});
