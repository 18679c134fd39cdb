//! Any bytes behind the first ones of gzip or Zstandard; and bytes that are compressed are read as they are without that.
//! `cargo +nightly fuzz run compressed`.
#![no_main]

use checker::format::{BadLines, Content, Record, read};
use flate2::{Compression, write::GzEncoder};
use libfuzzer_sys::fuzz_target;
use std::io::{Cursor, Write};

/// What can be read of it, or the problem.
fn what_is_in(bytes: Vec<u8>) -> Result<Vec<Record>, String> {
    match read(Cursor::new(bytes), "bytes", BadLines::Refuse).map_err(|error| error.to_string())? {
        Content::Locks(locks) => locks.records().map(|(records, _)| records).map_err(|error| error.to_string()),
        Content::Objects(objects) => Ok(objects.records),
        Content::Events(_) => Ok(Vec::new()),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Some((how, rest)) = bytes.split_first() else { return };
    match how % 3 {
        0 => drop(what_is_in([b"\x1f\x8b\x08".as_slice(), rest].concat())),
        1 => drop(what_is_in([&[0x28, 0xb5, 0x2f, 0xfd], rest].concat())),
        // What looks compressed itself would be taken apart once here and twice there.
        _ if !matches!(rest.first(), Some(0x1f | 0x28)) => {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
            gzip.write_all(rest).expect("into memory");
            assert_eq!(what_is_in(gzip.finish().expect("into memory")), what_is_in(rest.to_vec()));
        }
        _ => {}
    }
});
