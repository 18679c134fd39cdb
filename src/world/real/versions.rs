//! What takes part in a run, by version.

use super::node::Node;
use std::collections::BTreeMap;

/// The server by its own word, the client library, ourselves and the kernel.
pub async fn of(node: &Node) -> BTreeMap<String, String> {
    let info: String = node
        .with(async |connection| redis::cmd("INFO").arg("server").query_async(connection).await)
        .await
        .and_then(Result::ok)
        .unwrap_or_default();
    let mut versions = BTreeMap::from([("fencepost".to_owned(), env!("CARGO_PKG_VERSION").to_owned())]);
    // Valkey calls itself Redis too, for those who ask.
    for (field, program) in [("redis_version", "redis-server"), ("valkey_version", "valkey-server")] {
        let version = info.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        versions.extend(version.map(|version| (program.to_owned(), version.trim().to_owned())));
    }
    versions.extend(locked("redis").map(|version| ("redis-rs".to_owned(), version.to_owned())));
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").ok();
    versions.extend(kernel.map(|kernel| ("linux".to_owned(), kernel.trim().to_owned())));
    versions
}

/// The version of a dependency that this build was locked to.
fn locked(package: &str) -> Option<&'static str> {
    let lock = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock"));
    let (_, entry) = lock.split_once(&format!("name = \"{package}\"\nversion = \""))?;
    entry.split_once('"').map(|(version, _)| version)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_client_library_has_a_version() {
        assert!(super::locked("redis").is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit())));
    }
}
