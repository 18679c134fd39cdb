//! What Toxiproxy's interface has and its Rust client lacks: as much of HTTP as one short request needs.

use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// It answers at once.
const PATIENCE: Duration = Duration::from_secs(5);

/// Sends a request and gives what is answered.
///
/// # Errors
/// It did not succeed; in words.
pub fn request(server: SocketAddr, method: &str, path: &str, body: Option<&Value>) -> Result<String, String> {
    let body = body.map(Value::to_string).unwrap_or_default();
    let asked = exchange(server, method, path, &body).map_err(|error| format!("{method} {path}: {error}"))?;
    let (head, body) = asked.split_once("\r\n\r\n").ok_or_else(|| format!("{method} {path}: no answer in HTTP"))?;
    let status = head.split(' ').nth(1).unwrap_or_default();
    if status.starts_with('2') { Ok(body.to_owned()) } else { Err(format!("{method} {path}: {status}: {}", body.trim())) }
}

fn exchange(server: SocketAddr, method: &str, path: &str, body: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect_timeout(&server, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let length = body.len();
    // In HTTP/1.0 the answer ends with the connection, and never comes in chunks.
    let head = format!("{method} {path} HTTP/1.0\r\nHost: {server}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
    stream.write_all((head + body).as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}
