//! The folder that a run leaves behind: made, and seen to be writable, before anything runs.

pub mod utc;

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

/// Less free space than this, and a run does not begin: a history that ends in a full disk proves nothing.
const ROOM: u64 = 16 << 20;

/// A run's folder: `runs/2026-11-30T23-21-24Z-gc-pause/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

/// Why there is no folder for the run.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// Something could not be written.
    #[error("{} cannot be written, so the run was not begun: {why}; another place can be named with --runs-dir", path.display())]
    Unwritable {
        /// What.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// Something that is no link of ours stands where the last run is pointed to.
    #[error("{} is in the way: it is no link to a run, so the run was not begun; move it away, or name another place with --runs-dir", path.display())]
    InTheWay {
        /// What.
        path: PathBuf,
    },
    /// The disk is as good as full.
    #[error("{} has only {free} bytes free, so the run was not begun: it wants {ROOM}; another place can be named with --runs-dir", path.display())]
    Full {
        /// Where.
        path: PathBuf,
        /// How much is free.
        free: u64,
    },
}

impl RunFolder {
    /// Makes the folder of a run that begins now, with its plan in it, and points `latest` to it.
    ///
    /// # Errors
    /// It cannot be written, or there is no room.
    pub fn create(runs: &Path, name: &str, plan: &str, now: SystemTime) -> Result<RunFolder, FolderError> {
        RunFolder::with(runs, name, &[("plan.toml", plan), ("history.jsonl", "")], now)
    }

    /// Makes a folder with these files in it, and points `latest` to it.
    ///
    /// # Errors
    /// As [`RunFolder::create`].
    pub fn with(runs: &Path, name: &str, files: &[(&str, &str)], now: SystemTime) -> Result<RunFolder, FolderError> {
        let unwritable = |path: &Path| {
            let path = path.to_owned();
            move |why| FolderError::Unwritable { path, why }
        };
        fs::create_dir_all(runs).map_err(unwritable(runs))?;
        let latest = runs.join("latest");
        if latest.symlink_metadata().is_ok_and(|there| !there.is_symlink()) {
            return Err(FolderError::InTheWay { path: latest });
        }
        let free = rustix::fs::statvfs(runs).map_err(|errno| unwritable(runs)(errno.into()))?;
        let free = free.f_bavail.saturating_mul(free.f_frsize);
        if free < ROOM {
            return Err(FolderError::Full { path: runs.into(), free });
        }
        let path = fresh(runs, &format!("{}-{}", utc::stamp(now), plain(name))).map_err(unwritable(runs))?;
        let folder = RunFolder { path };
        for (file, content) in files {
            let path = folder.path.join(file);
            written(&path, content).map_err(unwritable(&path))?;
        }
        point_latest(runs, &folder.path).map_err(unwritable(&latest))?;
        Ok(folder)
    }

    /// The folder of a run that was begun before.
    pub fn existing(path: &Path) -> RunFolder {
        RunFolder { path: path.to_owned() }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The history's file.
    pub fn history(&self) -> PathBuf {
        self.path.join("history.jsonl")
    }

    /// The plan's file.
    pub fn plan(&self) -> PathBuf {
        self.path.join("plan.toml")
    }

    /// Opens the history's file for appending.
    ///
    /// # Errors
    /// It cannot be opened.
    pub fn open_history(&self) -> io::Result<File> {
        File::options().append(true).open(self.history())
    }

    /// Keeps something in the folder as JSON.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep(&self, file: &str, content: &impl serde::Serialize) -> io::Result<()> {
        let mut text = serde_json::to_string_pretty(content)?;
        text.push('\n');
        self.keep_text(file, &text)
    }

    /// Keeps a text in the folder.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn keep_text(&self, file: &str, text: &str) -> io::Result<()> {
        fs::write(self.path.join(file), text)
    }
}

/// Makes a folder that was not there before: runs that begin in the same second are numbered.
fn fresh(runs: &Path, name: &str) -> io::Result<PathBuf> {
    for n in 1.. {
        let path = runs.join(if n == 1 { name.to_owned() } else { format!("{name}-{n}") });
        match fs::create_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            made => return made.map(|()| path),
        }
    }
    unreachable!("there are more numbers than folders")
}

/// Writes a file down to the disk: a full one is found out now, not after the run.
fn written(path: &Path, content: &str) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    file.write_all(content.as_bytes())?;
    file.sync_all()
}

/// Points `latest` to the folder. A rename, so that whoever looks sees the old one or the new one.
fn point_latest(runs: &Path, folder: &Path) -> io::Result<()> {
    let target = folder.file_name().expect("a run's folder has a name");
    // Several runs of one process may begin at once.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let aside = runs.join(format!(".latest-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
    let _ = fs::remove_file(&aside);
    std::os::unix::fs::symlink(target, &aside)?;
    fs::rename(&aside, runs.join("latest")).inspect_err(|_| {
        let _ = fs::remove_file(&aside);
    })
}

/// A name that is one safe piece of a path.
fn plain(name: &str) -> String {
    let plain: String =
        name.chars().take(60).map(|c| if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') { c } else { '-' }).collect();
    if plain.is_empty() { "run".into() } else { plain }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(runs: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(runs)
            .expect("readable")
            .map(|entry| entry.expect("entry").file_name().to_string_lossy().into())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn runs_of_one_second_are_kept_apart_and_latest_is_the_last() {
        let dir = tempfile::tempdir().expect("a folder");
        let runs = dir.path().join("deep/runs");
        for _ in 0..2 {
            RunFolder::create(&runs, "../a b", "about = \"x\"\n", SystemTime::UNIX_EPOCH).expect("writable");
        }
        assert_eq!(names(&runs), ["1970-01-01T00-00-00Z----a-b", "1970-01-01T00-00-00Z----a-b-2", "latest"]);
        assert_eq!(fs::read_to_string(runs.join("latest/plan.toml")).expect("kept"), "about = \"x\"\n");
        assert_eq!(fs::read_link(runs.join("latest")).expect("a link"), Path::new("1970-01-01T00-00-00Z----a-b-2"));
    }

    #[test]
    fn what_is_no_link_of_ours_is_not_replaced() {
        let dir = tempfile::tempdir().expect("a folder");
        fs::write(dir.path().join("latest"), "mine").expect("writable");
        let error = RunFolder::create(dir.path(), "x", "", SystemTime::now()).expect_err("it is in the way");
        assert!(error.to_string().contains("latest is in the way"), "{error}");
        assert_eq!(names(dir.path()), ["latest"]);
        assert_eq!(fs::read_to_string(dir.path().join("latest")).expect("still there"), "mine");
    }

    #[test]
    fn a_file_in_the_way_is_told_before_the_run() {
        let dir = tempfile::tempdir().expect("a folder");
        let runs = dir.path().join("runs");
        fs::write(&runs, "").expect("writable");
        let error = RunFolder::create(&runs, "x", "", SystemTime::now()).expect_err("a file is no folder");
        assert!(error.to_string().contains("cannot be written, so the run was not begun"), "{error}");
    }
}
