//! Where a history comes from, so that it can be read twice.

use super::BadHistory;
use checker::format::{self, BadLines, Content};
use std::fs::{self, File};
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

/// Where a history comes from.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    name: String,
    /// What standard input held.
    copied: Option<File>,
}

impl Source {
    /// A file, or standard input for `-`. A report looks up what surrounds a finding when it knows the findings, so a stream that comes only once is copied
    /// to a temporary file that has no name and goes with the process: memory does not grow with it.
    ///
    /// # Errors
    /// It is a folder; standard input cannot be read or copied.
    pub fn new(path: &Path) -> Result<Source, BadHistory> {
        let unreadable = |why| BadHistory::Unreadable { path: path.into(), why };
        let stdin = path.as_os_str() == "-";
        if !stdin && fs::metadata(path).map_err(unreadable)?.is_dir() {
            let inside = path.join("history.jsonl");
            let hint = if inside.is_file() { format!("; did you mean {}?", inside.display()) } else { String::new() };
            return Err(BadHistory::Folder { path: path.into(), hint });
        }
        let copied = if stdin { Some(copy(&mut io::stdin().lock()).map_err(unreadable)?) } else { None };
        Ok(Source { path: path.into(), name: path.display().to_string(), copied })
    }

    /// What messages call it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it holds, from the first line. Only one at a time may be read.
    ///
    /// # Errors
    /// It cannot be read, or is no history.
    pub fn content(&self, bad: BadLines) -> Result<Content, BadHistory> {
        let file = self.open().map_err(|why| BadHistory::Unreadable { path: self.path.clone(), why })?;
        Ok(format::read(file, self.name.as_str(), bad)?)
    }

    fn open(&self) -> io::Result<File> {
        let Some(copied) = &self.copied else { return File::open(&self.path) };
        let mut file = copied.try_clone()?;
        file.rewind()?;
        Ok(file)
    }
}

fn copy(from: &mut impl io::Read) -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("fencepost-{}-stdin", std::process::id()));
    let mut file = File::options().read(true).write(true).create_new(true).open(&path)?;
    fs::remove_file(&path)?;
    io::copy(from, &mut file)?;
    Ok(file)
}
