//! Where the Toxiproxy server is that a run starts.

use crate::brief;
use crate::world::WorldError;
use std::ffi::OsStr;
use std::net::{IpAddr, Ipv4Addr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Names the program, where it is not on the PATH or another is meant.
pub const VARIABLE: &str = "FENCEPOST_TOXIPROXY";
/// What it is called.
pub const NAME: &str = "toxiproxy-server";
/// How it is had.
pub const GET: &str = "`go install -ldflags '-X github.com/Shopify/toxiproxy/v2.Version=2.12.0' github.com/Shopify/toxiproxy/v2/cmd/server@v2.12.0`, and rename `server` \
     to `toxiproxy-server`, or take it from its releases; `FENCEPOST_TOXIPROXY` may name it";
/// How a build that can drive it is had.
pub const BUILD: &str = "`cargo install --path . --features toxiproxy` (its client needs OpenSSL's headers and pkg-config: Debian, Ubuntu: \
     `apt-get install libssl-dev pkg-config`)";

/// Where it is; that a plan has toxics is only worth anything where this build can drive it.
///
/// # Errors
/// It cannot be had; says what to do.
pub fn find() -> Result<PathBuf, WorldError> {
    if !cfg!(feature = "toxiproxy") {
        // No more than a lock whose command the server lacks: a matrix passes over it, and says so.
        return Err(WorldError::Impossible(format!(
            "the plan has toxics, and this build cannot drive Toxiproxy: build it with {BUILD}, or run in simulation with `--world sim`"
        )));
    }
    let named = std::env::var_os(VARIABLE);
    let path = std::env::var_os("PATH").unwrap_or_default();
    look(named.as_deref(), &path).map_err(|sentence| {
        WorldError::Missing(format!("the plan has toxics, and {sentence}: {GET}; or run in simulation with `--world sim`"))
    })
}

/// The one that is named, or the first on the path.
///
/// # Errors
/// In words, where none is.
pub fn look(named: Option<&OsStr>, path: &OsStr) -> Result<PathBuf, String> {
    match named {
        Some(named) if is_program(Path::new(named)) => Ok(named.into()),
        Some(named) => Err(format!("{VARIABLE} names {}, which is no program", Path::new(named).display())),
        None => {
            let mut candidates = std::env::split_paths(path).map(|folder| folder.join(NAME));
            candidates.find(|file| is_program(file)).ok_or_else(|| format!("there is no {NAME} on the PATH"))
        }
    }
}

/// What a program says of its version.
pub fn version(program: &Path) -> Option<String> {
    let said = brief::run(Command::new(program).arg("--version")).ok()?;
    // `toxiproxy-server version 2.12.0`; `git` where whoever built it did not say.
    said.text.trim().strip_prefix("toxiproxy-server version ").map(str::to_owned)
}

/// Its client would ask for it through a proxy for the web, where one is set.
///
/// # Errors
/// It would; says what to do.
pub fn reachable(at: IpAddr) -> Result<(), WorldError> {
    let set = |names: &[&str]| names.iter().find_map(|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
    let proxied = set(&["http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"]);
    let exempt = set(&["no_proxy", "NO_PROXY"]).is_some_and(|hosts| hosts.split(',').any(|host| exempts(host.trim(), at)));
    if proxied.is_none() || exempt {
        return Ok(());
    }
    let block = if at.is_loopback() { "127.0.0.0/8" } else { "10.0.0.0/8" };
    Err(WorldError::Missing(format!(
        "the plan has toxics, and Toxiproxy, which listens at {at}, would be asked through the proxy that `http_proxy` names: say `no_proxy={block}`"
    )))
}

/// Whether what `no_proxy` lists is everything, this address, or a block that has it.
fn exempts(listed: &str, at: IpAddr) -> bool {
    let blocked = |(net, bits): (&str, &str)| {
        let (IpAddr::V4(at), Ok(net), Ok(bits @ 1..=32)) = (at, net.parse::<Ipv4Addr>(), bits.parse::<u32>()) else {
            return false;
        };
        (at.to_bits() ^ net.to_bits()) >> (32 - bits) == 0
    };
    listed == "*" || listed.parse() == Ok(at) || listed.split_once('/').is_some_and(blocked)
}

fn is_program(file: &Path) -> bool {
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_is_named_wins_and_must_be_a_program() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join(NAME);
        assert_eq!(look(None, folder.path().as_os_str()), Err("there is no toxiproxy-server on the PATH".into()));
        std::fs::write(&file, "").expect("a file");
        let named = look(Some(file.as_os_str()), OsStr::new("")).expect_err("it cannot be run");
        assert!(named.starts_with("FENCEPOST_TOXIPROXY names "), "{named}");
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
        assert_eq!(look(None, folder.path().as_os_str()), Ok(file.clone()));
        assert_eq!(look(Some(file.as_os_str()), OsStr::new("/nowhere")), Ok(file));
    }

    #[test]
    fn what_no_proxy_lists_is_asked_directly() {
        let at = |text: &str| text.parse::<IpAddr>().expect("an address");
        for listed in ["*", "127.0.0.0/8", "127.3.2.1", "127.3.0.0/16"] {
            assert!(exempts(listed, at("127.3.2.1")), "{listed}");
        }
        for listed in ["", "localhost", "127.0.0.0/8", "10.1.2.4", "10.1.2.3/33", "10.1.2.3/0", "10.1.2.0/30/1", "::1"] {
            assert!(!exempts(listed, at("10.1.2.3")), "{listed}");
        }
    }
}
