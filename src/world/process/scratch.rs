//! Where a world's files are.

use super::{block::Block, preload};
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
    pub fn make(block: &Block, logs: Option<&Path>) -> io::Result<Scratch> {
        // Nobody else has the block, so whatever is there was left by a run that was killed.
        let name = format!("fencepost-{}", block.to_string().replace('/', "-"));
        let temporary = std::env::temp_dir().join(name);
        clear(&temporary)?;
        let library = preload::write(&temporary.join("libfencepost.so"))?.map(Path::to_owned);
        let scratch = Scratch { logs: logs.unwrap_or(&temporary).to_owned(), temporary, library };
        std::fs::create_dir_all(&scratch.logs)?;
        Ok(scratch)
    }

    /// The folder of a node's data, empty.
    pub fn node(&self, name: &str) -> io::Result<PathBuf> {
        let folder = self.temporary.join(name);
        clear(&folder)?;
        Ok(folder)
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
    pub fn log(&self, name: &str) -> io::Result<(File, PathBuf)> {
        let path = self.logs.join(format!("{name}.log"));
        Ok((File::options().append(true).create(true).open(&path)?, path))
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
