//! Programs of this machine with everything that the loader wants for them, so that they run where nothing else is.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Files, by the path at which they must be found; each with what it holds.
#[derive(Debug, Default)]
pub struct Closure {
    files: BTreeMap<PathBuf, Vec<u8>>,
}

impl Closure {
    /// Adds a program and what it loads, at the paths where they are here.
    ///
    /// # Errors
    /// A file cannot be read, or the program cannot be run.
    pub fn program(&mut self, program: &Path) -> io::Result<()> {
        self.file(program)?;
        self.libraries_of(program)
    }

    /// Adds only what a program loads.
    ///
    /// # Errors
    /// A file cannot be read, or the program cannot be run.
    pub fn libraries_of(&mut self, program: &Path) -> io::Result<()> {
        // As ldd(1) does it: the loader lists what it loads, and ends. A static program has no loader, and is content to say its version.
        let mut list = Command::new(program);
        list.arg("--version").env("LD_TRACE_LOADED_OBJECTS", "1").env_remove("LD_PRELOAD");
        for library in loaded(&crate::brief::run(&mut list)?.text) {
            self.file(&library)?;
        }
        Ok(())
    }

    fn file(&mut self, path: &Path) -> io::Result<()> {
        if !self.files.contains_key(path) {
            let bytes =
                std::fs::read(path).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))?;
            self.files.insert(path.to_owned(), bytes);
        }
        Ok(())
    }

    /// What it is known by: the same files with the same content have the same.
    pub fn hash(&self) -> String {
        let mut hash = sha1_smol::Sha1::new();
        for (path, bytes) in &self.files {
            hash.update(&(path.as_os_str().len() as u64).to_le_bytes());
            hash.update(path.as_os_str().as_bytes());
            hash.update(&(bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        }
        hash.digest().to_string()
    }

    /// As a tar archive of a root, each file executable, with an empty `/tmp` for everybody. The same files have the same bytes.
    ///
    /// # Errors
    /// A path cannot be in an archive.
    pub fn to_tar(&self) -> io::Result<Vec<u8>> {
        let mut archive = tar::Builder::new(vec![]);
        let mut entry = |path: &Path, kind, mode, bytes: &[u8]| {
            let mut header = tar::Header::new_gnu();
            header.set_entry_type(kind);
            header.set_mode(mode);
            header.set_size(bytes.len() as u64);
            archive.append_data(&mut header, path.strip_prefix("/").unwrap_or(path), bytes)
        };
        entry(Path::new("tmp"), tar::EntryType::Directory, 0o1777, &[])?;
        for (path, bytes) in &self.files {
            entry(path, tar::EntryType::Regular, 0o755, bytes)?;
        }
        archive.into_inner()
    }
}

/// The files in what a loader lists: `libc.so.6 => /lib/libc.so.6 (0x…)`, `/lib64/ld-linux-x86-64.so.2 (0x…)`.
fn loaded(list: &str) -> Vec<PathBuf> {
    let path = |line: &str| {
        let target = line.split_once(" => ").map_or(line, |(_, target)| target);
        let path = target.trim().rsplit_once(" (0x")?.0.trim();
        path.starts_with('/').then(|| PathBuf::from(OsStr::new(path)))
    };
    list.lines().filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_read_from_what_a_loader_lists() {
        let list = "\tlinux-vdso.so.1 (0x00007ffd)\n\tlibc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)\n\
                    \t/lib64/ld-linux-x86-64.so.2 (0x00007f)\nlibgone.so => not found\nRedis server v=7.0.15\n";
        let expected = ["/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2"].map(PathBuf::from);
        assert_eq!(loaded(list), expected);
    }

    #[test]
    fn a_shell_has_a_closure_that_is_the_same_twice() {
        let closure = || {
            let mut closure = Closure::default();
            closure.program(Path::new("/bin/sh")).expect("a shell is everywhere");
            closure
        };
        let (one, other) = (closure(), closure());
        assert!(one.files.len() > 1, "{:?}", one.files.keys());
        assert_eq!((one.hash(), one.to_tar().expect("a tar")), (other.hash(), other.to_tar().expect("a tar")));
        let mut more = closure();
        more.files.insert("/a".into(), vec![]);
        assert_ne!(one.hash(), more.hash());
    }
}
