//! What is written is read again, whatever it is; what is damaged is named, and never panics or hangs.

mod arbitrary;
mod damage;
mod errors;
mod golden;

use super::{ReadError, Reader, Writer};
use crate::history::{Event, Header, VERSION};

fn header() -> Header {
    Header { fencepost: VERSION, name: "gc-pause".into(), ..Header::default() }
}

fn written(header: &Header, events: &[Event]) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), header).unwrap();
    for event in events {
        writer.write(event).unwrap();
    }
    writer.into_inner()
}

fn read(bytes: &[u8]) -> Result<Vec<Event>, ReadError> {
    Reader::new(bytes)?.collect()
}
