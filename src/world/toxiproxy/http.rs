//! What Toxiproxy's interface has and its Rust client lacks: as much of HTTP as one short request needs.

use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// Why there is no answer that says yes.
#[derive(Debug, PartialEq, Eq)]
pub enum Failed {
    /// None came in time.
    Late,
    /// In words.
    Said(String),
}

/// Sends a request, and waits so long for what is answered.
///
/// # Errors
/// It did not succeed.
pub fn request(server: SocketAddr, method: &str, path: &str, body: Option<&Value>, patience: Duration) -> Result<String, Failed> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let said = |what: String| Failed::Said(format!("{method} {path}: {what}"));
    let asked = exchange(server, method, path, &body, patience).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock | ErrorKind::TimedOut => Failed::Late,
        _ => said(error.to_string()),
    })?;
    let (head, body) = asked.split_once("\r\n\r\n").ok_or_else(|| said("no answer in HTTP".into()))?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    if status.starts_with('2') { Ok(body.to_owned()) } else { Err(said(format!("{status}: {}", body.trim()))) }
}

fn exchange(server: SocketAddr, method: &str, path: &str, body: &str, patience: Duration) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&server, patience)?;
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let length = body.len();
    // In HTTP/1.0 the answer ends with the connection, and never comes in chunks.
    let head = format!(
        "{method} {path} HTTP/1.0\r\nHost: {server}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all((head + body).as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
