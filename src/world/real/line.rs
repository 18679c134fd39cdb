//! Lines that a client prints, however long and whatever is in them.

use tokio::io::{AsyncBufRead, AsyncBufReadExt};

/// A longer line is cut: no answer is so long, and nobody shall fill our memory.
const LONGEST: usize = 1 << 20;

/// The next line without its end, cut at [`LONGEST`]; none at the end of the stream. A last line without an end counts.
pub async fn next(from: &mut (impl AsyncBufRead + Unpin)) -> Option<String> {
    let mut line = vec![];
    loop {
        let bytes = from.fill_buf().await.ok()?;
        if bytes.is_empty() {
            return (!line.is_empty()).then(|| text(&line));
        }
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let here = end.unwrap_or(bytes.len());
        let room = LONGEST - line.len();
        line.extend_from_slice(&bytes[..here.min(room)]);
        from.consume(end.map_or(here, |end| end + 1));
        if end.is_some() {
            return Some(text(&line));
        }
    }
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).trim_end_matches('\r').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_of_any_kind_are_read() {
        let long = "x".repeat(LONGEST + 10);
        let bytes = [b"a\r\n\n\xff\n".as_slice(), long.as_bytes(), b"\nlast"].concat();
        let mut from = bytes.as_slice();
        let mut lines = vec![];
        while let Some(line) = next(&mut from).await {
            lines.push(line);
        }
        assert_eq!(lines, ["a", "", "\u{fffd}", &long[..LONGEST], "last"]);
    }
}
