//! The little that is taken from the C library of the process, none of which allocates or locks.

use core::ffi::{c_char, c_int, c_long, c_ulong, c_void};

/// `struct timespec` on 64-bit Linux.
#[repr(C)]
pub struct Timespec {
    pub seconds: i64,
    pub nanoseconds: i64,
}

/// `struct timeval` on 64-bit Linux.
#[repr(C)]
pub struct Timeval {
    pub seconds: i64,
    pub microseconds: i64,
}

/// The beginning of `struct statx`, which is the same on every architecture.
#[repr(C)]
pub struct Statx {
    _before_mode: [u8; 28],
    pub mode: u16,
    _padding: u16,
    pub inode: u64,
    pub size: u64,
    _rest: [u8; 208],
}

const _: () = assert!(size_of::<Statx>() == 256);

unsafe extern "C" {
    /// Sets errno and returns -1 where the kernel says no.
    pub fn syscall(number: c_long, ...) -> c_long;
    pub fn getenv(name: *const c_char) -> *const c_char;
    pub fn getauxval(kind: c_ulong) -> c_ulong;
    pub fn __errno_location() -> *mut c_int;
}

/// Numbers of system calls.
#[cfg(target_arch = "x86_64")]
pub mod number {
    use super::c_long;
    pub const CLOSE: c_long = 3;
    pub const MMAP: c_long = 9;
    pub const FSYNC: c_long = 74;
    pub const FDATASYNC: c_long = 75;
    pub const CLOCK_GETTIME: c_long = 228;
    pub const OPENAT: c_long = 257;
    pub const STATX: c_long = 332;
}

/// Numbers of system calls.
#[cfg(target_arch = "aarch64")]
pub mod number {
    use super::c_long;
    pub const OPENAT: c_long = 56;
    pub const CLOSE: c_long = 57;
    pub const FSYNC: c_long = 82;
    pub const FDATASYNC: c_long = 83;
    pub const CLOCK_GETTIME: c_long = 113;
    pub const MMAP: c_long = 222;
    pub const STATX: c_long = 291;
}

/// Maps the first bytes of a file, shared; null where that cannot be done.
pub unsafe fn map(path: *const c_char, bytes: usize) -> *mut c_void {
    const AT_FDCWD: c_long = -100;
    const O_RDWR_CLOEXEC: c_long = 0o2 | 0o2000000;
    const PROT_READ_WRITE: c_long = 1 | 2;
    const MAP_SHARED: c_long = 1;
    let nowhere = core::ptr::null_mut();
    // SAFETY: the path is a C string; a new mapping touches no memory that is in use.
    unsafe {
        let file = syscall(number::OPENAT, AT_FDCWD, path, O_RDWR_CLOEXEC);
        if file < 0 {
            return nowhere;
        }
        let at = syscall(number::MMAP, nowhere, bytes, PROT_READ_WRITE, MAP_SHARED, file, 0 as c_long);
        syscall(number::CLOSE, file);
        if at == -1 { nowhere } else { at as *mut c_void }
    }
}
