//! The library that is preloaded into nodes and clients, and the page that each shares with it: its wall clock, and what it synced.

#[path = "../../../shim/page.rs"]
mod page;

use super::scratch::Scratch;
use nemesis::{NotInjected, Skew};
use page::{Page, Setting};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};
use rustix::process::Pid;
use std::cell::Cell;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::ptr::{NonNull, null_mut};

include!(concat!(env!("OUT_DIR"), "/preload.rs"));

/// Writes the library to a file; none where this build has none.
///
/// # Errors
/// The file cannot be written.
pub fn write(file: &Path) -> io::Result<Option<&Path>> {
    LIBRARY.map(|library| std::fs::write(file, library).map(|()| file)).transpose()
}

/// Sees that the library would be loaded into a program, without running it.
///
/// # Errors
/// In words, why it would not.
pub fn reaches_program(program: &Path) -> Result<(), NotInjected> {
    let unwritable = |error| NotInjected(format!("the library cannot be written to a file: {error}"));
    let file = std::env::temp_dir().join(format!("fencepost-{}.so", std::process::id()));
    let Some(library) = write(&file).map_err(unwritable)? else { return Err(no_library()) };
    // As ldd(1) does it: the loader lists what it loads, and ends. A static program has no loader, and is content to say its version.
    let mut list = Command::new(program);
    list.arg("--version").env("LD_PRELOAD", library).env("LD_TRACE_LOADED_OBJECTS", "1");
    let listed = crate::brief::run(&mut list);
    let _ = std::fs::remove_file(library);
    let listed = listed.map_err(|error| NotInjected(format!("{} cannot be run: {error}", program.display())))?;
    match listed.text.contains(&*library.to_string_lossy()) {
        true => Ok(()),
        false => Err(NotInjected(format!("a preloaded library does not reach {}: is it a static binary?", program.display()))),
    }
}

fn no_library() -> NotInjected {
    let target = format!("{} on {}", std::env::consts::OS, std::env::consts::ARCH);
    NotInjected(format!("this build has no library to preload: there is one for glibc on 64-bit Linux, not for {target}"))
}

/// What one process is held by, from life to life: the library in it, and the page that it shares.
#[derive(Debug)]
pub struct Leash {
    library: Option<PathBuf>,
    file: PathBuf,
    page: Mapped,
    skew: Cell<Skew>,
}

impl Leash {
    /// For a process of this name, with a clock that is right.
    ///
    /// # Errors
    /// Its page cannot be made.
    pub fn new(name: &str, scratch: &Scratch) -> io::Result<Leash> {
        let file = scratch.page(name);
        let page = Mapped::make(&file)?;
        let leash = Leash { library: scratch.library().map(Path::to_path_buf), file, page, skew: Cell::default() };
        leash.bend(Skew::default());
        Ok(leash)
    }

    /// Has a command load the library, before whatever its user has preloaded already.
    pub fn tie(&self, command: &mut Command) {
        let Some(library) = &self.library else { return };
        let mut all = OsString::from(library);
        if let Some(others) = std::env::var_os("LD_PRELOAD") {
            all.push(":");
            all.push(others);
        }
        command.env("LD_PRELOAD", all).env("FENCEPOST_PAGE", &self.file);
    }

    /// Sees that the library is in every process of a group.
    ///
    /// # Errors
    /// In words, why it is not.
    pub fn reaches(&self, group: Pid) -> Result<(), NotInjected> {
        let library = self.library.as_ref().ok_or_else(no_library)?;
        let library = library.to_string_lossy();
        for pid in group_of(group) {
            let maps = std::fs::read_to_string(format!("/proc/{pid}/maps")).unwrap_or_default();
            if !maps.contains(&*library) {
                let program = std::fs::read_link(format!("/proc/{pid}/exe")).unwrap_or_default();
                return Err(NotInjected(format!(
                    "a preloaded library does not reach process {pid} ({}), as it does not reach static binaries",
                    program.display()
                )));
            }
        }
        Ok(())
    }

    /// What the faults on its clock come to.
    pub fn skew(&self) -> Skew {
        self.skew.get()
    }

    /// Sets its clock.
    pub fn bend(&self, skew: Skew) {
        let (real, fake) = skew.anchor();
        self.page.get().set(Setting { real, fake, rate: skew.rate() });
        self.skew.set(skew);
    }

    /// Its disk is gone, and with it every file; while it is dead.
    pub fn forget_files(&self) {
        self.page.get().forget();
    }

    /// How many bytes of a file are safely on its disk.
    ///
    /// # Errors
    /// Nobody knows, since it had more files than there is room for.
    pub fn on_disk(&self, inode: u64) -> Result<u64, NotInjected> {
        let known = self.page.get().on_disk(inode);
        known.ok_or_else(|| NotInjected("it synced more files than are kept account of".into()))
    }
}

/// The living processes of a group.
fn group_of(group: Pid) -> Vec<i32> {
    let pids = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = pids.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    pids.filter(|pid| {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        let fields: Vec<&str> = stat.rsplit_once(") ").map_or("", |(_, fields)| fields).splitn(4, ' ').collect();
        matches!(fields[..], [state, _, its_group, _] if state != "Z" && its_group == group.to_string())
    })
    .collect()
}

/// A page, mapped from a file.
#[derive(Debug)]
struct Mapped(NonNull<Page>);

impl Mapped {
    fn make(file: &Path) -> io::Result<Mapped> {
        let file = std::fs::File::options().read(true).write(true).create(true).truncate(true).open(file)?;
        file.set_len(page::SIZE as u64)?;
        // SAFETY: a new mapping touches no memory that is in use; the file is as long as what is mapped, and nobody shortens it.
        let at = unsafe { mmap(null_mut(), page::SIZE, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &file, 0)? };
        NonNull::new(at.cast()).map(Mapped).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
    }

    fn get(&self) -> &Page {
        // SAFETY: it is mapped for as long as we live, any bytes are a `Page`, and every access to it is atomic.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: nobody can hold a reference into it any more.
        let _ = unsafe { munmap(self.0.as_ptr().cast(), page::SIZE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn no_setting_is_ever_half_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("page");
        let (ours, theirs) = (Mapped::make(&file).expect("a page"), Mapped::make(&file).expect("the same page"));
        let setting = |n: i64| Setting { real: n, fake: -n, rate: n as f64 };
        let done = AtomicBool::new(false);
        // What a thread may share is the page, not the mapping's owner.
        let (ours, theirs) = (ours.get(), theirs.get());
        ours.set(setting(0));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                (0..300_000).for_each(|n| ours.set(setting(n)));
                done.store(true, Ordering::Relaxed);
            });
            let mut last = 0;
            while !done.load(Ordering::Relaxed) {
                let seen = theirs.setting();
                assert_eq!(seen, setting(seen.real));
                assert!(seen.real >= last, "time went back to an older setting");
                last = seen.real;
            }
        });
        assert_eq!(theirs.setting(), setting(299_999));
    }

    #[test]
    fn it_reaches_what_is_linked_dynamically_and_nothing_else() {
        let ourselves = std::env::current_exe().expect("this program");
        assert_eq!(reaches_program(&ourselves), Ok(()));
        // Nothing is as static as a script without an interpreter to name.
        let folder = tempfile::tempdir().expect("a folder");
        let script = folder.path().join("script");
        std::fs::write(&script, "#!/nowhere\n").expect("a file");
        assert!(reaches_program(&script).is_err());
    }

    #[test]
    fn a_process_without_it_is_not_reached() {
        use std::os::unix::process::CommandExt;
        let folder = tempfile::tempdir().expect("a folder");
        let library = folder.path().join("library.so");
        let Some(library) = write(&library).expect("a file").map(Path::to_path_buf) else { return };
        let file = folder.path().join("page");
        let page = Mapped::make(&file).expect("a page");
        let leash = Leash { library: Some(library), file, page, skew: Cell::default() };
        leash.bend(Skew::default());
        for tied in [true, false] {
            let mut command = Command::new("sleep");
            if tied {
                leash.tie(&mut command);
            }
            let mut sleep = command.arg("60").process_group(0).spawn().expect("sleep is everywhere");
            // The loader maps it a moment after the program was started.
            let loaded = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/maps")).is_ok_and(|maps| maps.contains("libc."));
            let begun = std::time::Instant::now();
            while !loaded(sleep.id()) && begun.elapsed().as_secs() < 20 {
                std::thread::yield_now();
            }
            let reached = leash.reaches(Pid::from_child(&sleep));
            sleep.kill().and_then(|()| sleep.wait()).expect("a child can be killed");
            assert_eq!(reached.is_ok(), tied, "{reached:?}");
        }
    }

    #[test]
    fn files_are_known_by_their_inode_until_there_is_no_room() {
        let folder = tempfile::tempdir().expect("a folder");
        let mapped = Mapped::make(&folder.path().join("page")).expect("a page");
        let page = mapped.get();
        assert_eq!(page.on_disk(7), Some(0));
        for bytes in [10, 30, 20] {
            page.synced(7, bytes);
            assert_eq!(page.on_disk(7), Some(bytes));
        }
        (100..300).for_each(|inode| page.synced(inode, 1));
        assert_eq!(page.on_disk(7), None, "a file that there was no room for may be any file");
        page.forget();
        assert_eq!(page.on_disk(7), Some(0));
    }
}
