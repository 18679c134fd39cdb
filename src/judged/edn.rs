//! Writes a history of any format as Jepsen's EDN.

use super::events::{Stream, bytes, malformed};
use super::records::records;
use super::{BadHistory, Source};
use checker::format::{self, BadLines, Content, Record};
use std::io::{self, Write};

/// Writes the operations of a history as EDN.
///
/// # Errors
/// The history cannot be read; within, what the writer says.
pub fn write_edn(source: &Source, bad: BadLines, out: &mut impl Write) -> Result<io::Result<()>, BadHistory> {
    let records = read(source, bad)?;
    Ok(format::write_edn(&records, out).and_then(|()| out.flush()))
}

fn read(source: &Source, bad: BadLines) -> Result<Vec<Record>, BadHistory> {
    match source.content(bad)? {
        Content::Objects(objects) => Ok(objects.records),
        Content::Locks(locks) => Ok(locks.records()?.0),
        Content::Events(_) => {
            let stream = Stream::new(bytes(source)?, bad).map_err(|why| malformed(source, why))?;
            records(stream).map_err(|why| malformed(source, why))
        }
    }
}
