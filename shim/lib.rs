//! The library that Fencepost preloads into the processes that it hurts: it bends their wall clock, and keeps account of what they synced.
//!
//! It is compiled by `build.rs` and embedded. It allocates nothing, locks nothing and looks nothing up by name (`dlsym`), since the functions that
//! it stands before are called from allocators and before `main`. A process that does not call the C library (a static binary, a Go program) is not reached.
#![no_std]

mod clock;
mod disk;
mod libc;
mod page;
mod vdso;

use core::ffi::c_void;
use core::sync::atomic::{AtomicPtr, Ordering};
use page::Page;

static PAGE: AtomicPtr<Page> = AtomicPtr::new(core::ptr::null_mut());

/// The page that is shared with the runner; none before it is mapped, or where there is none: then every clock is true.
#[inline(always)]
fn page() -> Option<&'static Page> {
    // SAFETY: what is mapped stays mapped, and every access to it is atomic.
    unsafe { PAGE.load(Ordering::Acquire).as_ref() }
}

extern "C" fn begin() {
    // SAFETY: the loader calls this once, in a whole process.
    unsafe {
        clock::find();
        let path = libc::getenv(c"FENCEPOST_PAGE".as_ptr());
        if !path.is_null() {
            let mapped: *mut c_void = libc::map(path, page::SIZE);
            PAGE.store(mapped.cast(), Ordering::Release);
        }
    }
}

#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;

#[panic_handler]
fn never(_: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}
