//! The Redis server on this machine.

use crate::world::WorldError;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::process::Command;
use tokio::sync::OnceCell;

/// Programs that are a Redis server, the first found is taken.
const PROGRAMS: [&str; 2] = ["redis-server", "valkey-server"];

/// Where the Redis server is that the process world runs.
///
/// # Errors
/// There is none on the PATH; the text says how to get one.
pub fn find() -> Result<PathBuf, WorldError> {
    find_on(&std::env::var_os("PATH").unwrap_or_default())
}

fn find_on(path: &OsStr) -> Result<PathBuf, WorldError> {
    let folders: Vec<PathBuf> = std::env::split_paths(path).collect();
    let candidates = PROGRAMS.iter().flat_map(|program| folders.iter().map(move |folder| folder.join(program)));
    candidates.into_iter().find(|file| is_program(file)).ok_or_else(|| {
        WorldError::Missing(
            "the process world needs redis-server (or valkey-server) on the PATH, and there is none: \
             install it (`apt-get install redis-server` on Debian and Ubuntu, `dnf install redis` on Fedora), or use `--world sim`"
                .into(),
        )
    })
}

/// What a server must be told so that it obeys DEBUG, which since version 7 it does only then, and earlier does not know how to be told.
pub async fn allowing_debug(program: &Path) -> &'static [&'static str] {
    static SINCE_7: OnceCell<bool> = OnceCell::const_new();
    let since_7 = async || {
        let told = Command::new(program).arg("--version").stdin(Stdio::null()).kill_on_drop(true).output().await;
        told.is_ok_and(|told| major(&String::from_utf8_lossy(&told.stdout)).is_some_and(|major| major >= 7))
    };
    if *SINCE_7.get_or_init(since_7).await { &["--enable-debug-command", "yes"] } else { &[] }
}

/// The major version in `Redis server v=7.0.15 sha=…`.
fn major(told: &str) -> Option<u32> {
    told.split_once("v=")?.1.split('.').next()?.parse().ok()
}

fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_there_is_none_it_says_what_to_install() {
        let Err(WorldError::Missing(text)) = find_on(OsStr::new("/nowhere:/proc")) else { panic!("there is none") };
        assert!(text.contains("apt-get install redis-server") && text.contains("--world sim"), "{text}");
    }

    #[test]
    fn a_version_is_read_from_what_servers_say() {
        assert_eq!(major("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64"), Some(7));
        assert_eq!(major("Valkey server v=8.1.1 sha=00000000:0"), Some(8));
        assert_eq!(major("no server"), None);
    }

    #[test]
    fn the_first_on_the_path_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("redis-server");
        std::fs::write(&file, "").expect("a file");
        assert!(find_on(folder.path().as_os_str()).is_err(), "what cannot be run is no program");
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
        assert_eq!(find_on(folder.path().as_os_str()), Ok(file));
    }
}
