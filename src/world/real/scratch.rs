//! Where a world's files are.

use super::{preload, process::block::Block};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The folders of one world: nodes' data in a temporary folder that goes with it, logs where the run keeps them.
#[derive(Debug)]
pub struct Scratch {
    temporary: PathBuf,
    logs: PathBuf,
    library: Option<PathBuf>,
}

impl Scratch {
    /// Makes the folders. Without a folder for them the logs go with the rest.
    ///
    /// # Errors
    /// A folder cannot be made.
    pub fn make(name: &str, logs: Option<&Path>) -> io::Result<Scratch> {
        sweep(&std::env::temp_dir());
        // Nobody else has the name, so whatever is there was left by a run that was killed.
        let temporary = std::env::temp_dir().join(format!("{OURS}{name}"));
        clear(&temporary)?;
        let library = preload::write(&temporary.join("libfencepost.so"))?.map(Path::to_owned);
        let scratch = Scratch { logs: std::path::absolute(logs.unwrap_or(&temporary))?, temporary, library };
        std::fs::create_dir_all(&scratch.logs)?;
        Ok(scratch)
    }

    /// The folder of a node's data, empty.
    pub fn node(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.temporary.join(name);
        clear(&folder)?;
        Ok(folder)
    }

    /// The folder of everything but logs.
    pub fn folder(&self) -> &Path {
        &self.temporary
    }

    /// The library that is preloaded; none where this build has none.
    pub fn library(&self) -> Option<&Path> {
        self.library.as_deref()
    }

    /// The page that a process shares with its runner.
    pub fn page(&self, name: &str) -> PathBuf {
        self.temporary.join(format!("{name}.page"))
    }

    /// The file of an SQLite store.
    pub fn sqlite(&self) -> PathBuf {
        self.temporary.join("store.sqlite")
    }

    /// Opens the log of a node or client, at its end.
    pub fn log(&self, name: &str) -> io::Result<Log> {
        let path = self.logs.join(format!("{name}.log"));
        Ok(Log { file: File::options().append(true).create(true).open(&path)?, path })
    }
}

/// What a node or client prints, as it comes.
#[derive(Debug)]
pub struct Log {
    /// Open, at its end.
    pub file: File,
    /// Where it is.
    pub path: PathBuf,
}

/// What the names of worlds' folders begin with.
pub const OURS: &str = "fencepost-";

/// Removes the folders of worlds that were killed: whoever can claim a block has nobody beside him in its folder. What cannot be removed, as that of
/// another user, stays.
fn sweep(among: &Path) {
    let entries = std::fs::read_dir(among).into_iter().flatten().flatten();
    for entry in entries {
        let name = entry.file_name();
        let block = name.to_str().and_then(|name| Block::claim_named(name.strip_prefix(OURS)?));
        if block.is_some() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.temporary);
    }
}

/// Makes a folder empty, and be there.
pub fn clear(folder: &Path) -> io::Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => std::fs::create_dir_all(folder),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_world_left_is_swept_and_what_a_living_one_has_is_not() {
        let dir = tempfile::tempdir().expect("a folder");
        let (dead, living) = (Block::claim().expect("a free block"), Block::claim().expect("a free block"));
        let folder = |block: &Block| dir.path().join(format!("{OURS}{}", block.name()));
        let (left, kept, other) = (folder(&dead), folder(&living), dir.path().join("fencepost-4711-stdin"));
        for folder in [&left, &kept, &other] {
            std::fs::create_dir_all(folder.join("n1")).expect("a folder");
        }
        drop(dead);
        sweep(dir.path());
        assert_eq!([&left, &kept, &other].map(|folder| folder.exists()), [false, true, true]);
    }
}
