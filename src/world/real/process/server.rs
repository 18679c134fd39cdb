//! The Redis server on this machine.

use crate::world::WorldError;
use crate::world::real::habitat::Server;
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

/// The major version of the server on this machine; none where it does not say one.
pub async fn major(program: &Path) -> Option<u32> {
    static MAJOR: OnceCell<Option<u32>> = OnceCell::const_new();
    let ask = async || {
        let told = Command::new(program).arg("--version").stdin(Stdio::null()).kill_on_drop(true).output().await.ok()?;
        Server::major(&String::from_utf8_lossy(&told.stdout))
    };
    *MAJOR.get_or_init(ask).await
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
    fn the_first_on_the_path_is_taken() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("redis-server");
        std::fs::write(&file, "").expect("a file");
        assert!(find_on(folder.path().as_os_str()).is_err(), "what cannot be run is no program");
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("ours");
        assert_eq!(find_on(folder.path().as_os_str()), Ok(file));
    }
}
