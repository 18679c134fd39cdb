//! Keeps account of how far each file is safely on the disk.

use super::libc::{__errno_location, Statx, number, syscall};
use super::page;
use core::ffi::{c_int, c_long};

/// See fsync(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fsync(file: c_int) -> c_int {
    // SAFETY: any number may be passed.
    unsafe { sync(number::FSYNC, file) }
}

/// See fdatasync(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fdatasync(file: c_int) -> c_int {
    // SAFETY: any number may be passed.
    unsafe { sync(number::FDATASYNC, file) }
}

unsafe fn sync(call: c_long, file: c_int) -> c_int {
    // SAFETY: as above.
    unsafe {
        // What another thread writes while this one syncs may or may not make it: only what was there before counts.
        let before = look(file);
        let outcome = syscall(call, file as c_long) as c_int;
        if outcome == 0
            && let (Some(before), Some(page)) = (before, page())
        {
            page.synced(before.inode, before.size);
        }
        outcome
    }
}

/// A regular file as it is now. Leaves errno as it was.
unsafe fn look(file: c_int) -> Option<Statx> {
    const AT_EMPTY_PATH: c_long = 0x1000;
    const TYPE_INODE_SIZE: c_long = 0x1 | 0x100 | 0x200;
    const KIND: u16 = 0o170000;
    const REGULAR: u16 = 0o100000;
    // SAFETY: any bytes are a `Statx`, and it is as long as the kernel's.
    unsafe {
        let mut seen: Statx = core::mem::zeroed();
        let errno = *__errno_location();
        let outcome = syscall(number::STATX, file as c_long, c"".as_ptr(), AT_EMPTY_PATH, TYPE_INODE_SIZE, &mut seen);
        *__errno_location() = errno;
        (outcome == 0 && seen.mode & KIND == REGULAR).then_some(seen)
    }
}
