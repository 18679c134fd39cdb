//! The page of memory that a hurt process and its runner share, mapped by both from one file.
//!
//! The runner writes how the wall clock is to run, the process how far each of its files is safely on the disk.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// How many bytes of the file are mapped.
pub const SIZE: usize = 4096;
/// How many files are kept account of.
const FILES: usize = 128;

/// How a wall clock runs: at the true time `real` it shows `fake`, and from there it goes `rate` times as fast. Nanoseconds since 1970.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Setting {
    /// A true time.
    pub real: i64,
    /// What the clock shows then.
    pub fake: i64,
    /// How fast it goes.
    pub rate: f64,
}

impl Setting {
    /// What the clock shows at a true time.
    #[allow(dead_code, reason = "the process's")]
    #[inline]
    pub fn at(&self, now: i64) -> i64 {
        let since = now.wrapping_sub(self.real);
        let since = if self.rate == 1.0 { since } else { (since as f64 * self.rate) as i64 };
        self.fake.wrapping_add(since)
    }
}

/// A setting as it lies in the page.
#[repr(C)]
struct Slot {
    real: AtomicU64,
    fake: AtomicU64,
    rate: AtomicU64,
}

/// A file, by its inode, and how many of its bytes were on the disk when it was last synced. Inode 0 is a free place.
#[repr(C)]
struct File {
    inode: AtomicU64,
    synced: AtomicU64,
}

/// The page. One runner writes the settings, any thread of the process reads them.
#[repr(C)]
pub struct Page {
    /// Counts the settings; its lowest bit says which slot holds the one in force.
    turn: AtomicU64,
    slots: [Slot; 2],
    /// How many files were synced for which there was no place.
    untold: AtomicU32,
    files: [File; FILES],
}

const _: () = assert!(size_of::<Page>() <= SIZE);

impl Page {
    /// The setting in force.
    ///
    /// A sequence lock whose writer fills the other slot first: a reader tries again only where a whole setting was written
    /// under it, and never waits for a writer that was stopped midway.
    #[allow(dead_code, reason = "the process's")]
    #[inline]
    pub fn setting(&self) -> Setting {
        loop {
            let turn = self.turn.load(Ordering::Acquire);
            let slot = &self.slots[(turn & 1) as usize];
            let setting = Setting {
                real: slot.real.load(Ordering::Relaxed) as i64,
                fake: slot.fake.load(Ordering::Relaxed) as i64,
                rate: f64::from_bits(slot.rate.load(Ordering::Relaxed)),
            };
            fence(Ordering::Acquire);
            if self.turn.load(Ordering::Relaxed) == turn {
                return setting;
            }
        }
    }

    /// Puts a setting in force. Only one may do so at a time.
    #[allow(dead_code, reason = "the runner's")]
    pub fn set(&self, setting: Setting) {
        let next = self.turn.load(Ordering::Relaxed).wrapping_add(1);
        // Whoever reads something of what follows knows of the turn before.
        fence(Ordering::Release);
        let slot = &self.slots[(next & 1) as usize];
        slot.real.store(setting.real as u64, Ordering::Relaxed);
        slot.fake.store(setting.fake as u64, Ordering::Relaxed);
        slot.rate.store(setting.rate.to_bits(), Ordering::Relaxed);
        self.turn.store(next, Ordering::Release);
    }

    /// So many bytes of a file are on the disk. Where two threads sync one file at once the last to tell may know less: never more than is there.
    #[allow(dead_code, reason = "the process's")]
    pub fn synced(&self, inode: u64, bytes: u64) {
        for file in &self.files {
            let claimed = file.inode.compare_exchange(0, inode, Ordering::AcqRel, Ordering::Acquire);
            if claimed.is_ok() || claimed == Err(inode) {
                file.synced.store(bytes, Ordering::Release);
                return;
            }
        }
        self.untold.fetch_add(1, Ordering::Relaxed);
    }

    /// Every file is gone; while no process runs. Their inodes may be those of others soon.
    #[allow(dead_code, reason = "the runner's")]
    pub fn forget(&self) {
        for file in &self.files {
            file.inode.store(0, Ordering::Relaxed);
            file.synced.store(0, Ordering::Release);
        }
        self.untold.store(0, Ordering::Release);
    }

    /// How many bytes of a file are on the disk; 0 where it was never synced. None where the page was too small to know.
    #[allow(dead_code, reason = "the runner's")]
    pub fn on_disk(&self, inode: u64) -> Option<u64> {
        if self.untold.load(Ordering::Relaxed) > 0 {
            return None;
        }
        let known = self.files.iter().find(|file| file.inode.load(Ordering::Acquire) == inode);
        Some(known.map_or(0, |file| file.synced.load(Ordering::Acquire)))
    }
}
