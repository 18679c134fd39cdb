//! Who the master is, by the word of the sentinels. As redis-rs's own client of Sentinel does it: ask one after another, and see by ROLE that whoever
//! is named is a master.

use super::node::{connect, unsent};
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ProtocolVersion, RedisConnectionInfo, RedisResult, Value};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;
use tokio::time::timeout;

/// The name under which the sentinels watch the master.
pub const WATCHED: &str = "fencepost";

/// How long one sentinel may take to answer.
const PATIENCE: Duration = Duration::from_millis(500);

/// Where the master is, by the word of the first sentinel that answers.
///
/// # Errors
/// None answers; nothing was sent to any node.
pub async fn master(sentinels: &[SocketAddr], source: Option<IpAddr>) -> io::Result<SocketAddr> {
    let mut why = io::Error::from(io::ErrorKind::ConnectionRefused);
    for sentinel in sentinels {
        match timeout(PATIENCE, ask(*sentinel, source)).await {
            Ok(Ok(master)) => return Ok(master),
            Ok(Err(error)) => why = unsent(*sentinel, error),
            Err(_) => why = unsent(*sentinel, "timed out"),
        }
    }
    Err(why)
}

async fn ask(sentinel: SocketAddr, source: Option<IpAddr>) -> RedisResult<SocketAddr> {
    let stream = connect(sentinel, source).await?;
    let info = RedisConnectionInfo::default().set_protocol(ProtocolVersion::RESP2).set_skip_set_lib_name();
    let (mut connection, driver) =
        MultiplexedConnection::new_with_config(&info, stream, AsyncConnectionConfig::new().set_response_timeout(None)).await?;
    let driver = tokio::spawn(driver);
    let named =
        redis::cmd("SENTINEL").arg("GET-MASTER-ADDR-BY-NAME").arg(WATCHED).query_async::<(String, u16)>(&mut connection).await;
    driver.abort();
    let (host, port) = named?;
    let host: IpAddr = host.parse().map_err(|error| io::Error::other(format!("{host}: {error}")))?;
    Ok(SocketAddr::new(host, port))
}

/// Sees that whoever is at the other end says that it is a master.
///
/// # Errors
/// It says something else, or nothing.
pub async fn is_master(connection: &mut MultiplexedConnection) -> io::Result<()> {
    let role = timeout(PATIENCE, redis::cmd("ROLE").query_async::<Value>(connection)).await;
    match role {
        Ok(Ok(Value::Array(parts))) if parts.first() == Some(&Value::BulkString(b"master".into())) => Ok(()),
        Ok(Ok(_)) => Err(io::Error::new(io::ErrorKind::ConnectionRefused, "who was named the master is none")),
        Ok(Err(error)) => Err(io::Error::new(io::ErrorKind::ConnectionRefused, error)),
        Err(_) => Err(io::Error::new(io::ErrorKind::ConnectionRefused, "who was named the master does not answer")),
    }
}
