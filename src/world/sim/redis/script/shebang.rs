//! `#!lua flags=no-writes`: what a script may say of itself in its first line.

use super::super::reply::ErrorReply;

/// What a script may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writes {
    Allowed,
    Forbidden,
}

/// What the first line says, and the code, which begins with the end of that line so that lines keep their numbers.
pub(super) fn split(body: &[u8]) -> Result<(Writes, &[u8]), ErrorReply> {
    if !body.starts_with(b"#!") {
        return Ok((Writes::Allowed, body));
    }
    let end = body.iter().position(|b| *b == b'\n').ok_or(ErrorReply::fixed("ERR Invalid script shebang"))?;
    let (line, code) = body.split_at(end);
    let line = String::from_utf8_lossy(line).into_owned();
    let mut words = line.split_ascii_whitespace();
    let engine = words.next().unwrap_or_default();
    if engine != "#!lua" {
        return Err(ErrorReply::quoting(format!("ERR Unexpected engine in script shebang: {engine}")));
    }
    let mut writes = Writes::Allowed;
    for word in words {
        let flags =
            word.strip_prefix("flags=").ok_or_else(|| ErrorReply::quoting(format!("ERR Unknown lua shebang option: {word}")))?;
        for flag in flags.split(',').filter(|flag| !flag.is_empty()) {
            match flag {
                "no-writes" => writes = Writes::Forbidden,
                "allow-oom" | "allow-stale" | "no-cluster" | "allow-cross-slot-keys" => {}
                _ => return Err(ErrorReply::quoting(format!("ERR Unexpected flag in script shebang: {flag}"))),
            }
        }
    }
    Ok((writes, code))
}
