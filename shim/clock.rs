//! The wall clock as the runner wants it; every other clock is true, since a false monotonic clock hangs sleeps.

use super::libc::{Timespec, Timeval, number, syscall};
use super::{page, vdso};
use core::ffi::{c_int, c_long, c_void};
use core::sync::atomic::{AtomicUsize, Ordering};

const CLOCK_REALTIME: c_int = 0;
const CLOCK_REALTIME_COARSE: c_int = 5;
const CLOCK_REALTIME_ALARM: c_int = 8;
const SECOND: i64 = 1_000_000_000;

/// The kernel's own function; 0 where it is not found or not looked for yet.
static TRUE_TIME: AtomicUsize = AtomicUsize::new(0);

/// Looks for the true time.
pub unsafe fn find() {
    // SAFETY: it is called in a whole process.
    let found = unsafe { vdso::clock_gettime() };
    TRUE_TIME.store(found.unwrap_or(0), Ordering::Relaxed);
}

#[inline(always)]
unsafe fn true_time(clock: c_int, at: *mut Timespec) -> c_int {
    let function = TRUE_TIME.load(Ordering::Relaxed);
    // SAFETY: the kernel's function of that name has this type; the caller vouches for the place.
    unsafe {
        if function != 0 {
            let function: unsafe extern "C" fn(c_int, *mut Timespec) -> c_int = core::mem::transmute(function);
            if function(clock, at) == 0 {
                return 0;
            }
        }
        syscall(number::CLOCK_GETTIME, clock as c_long, at) as c_int
    }
}

/// See clock_gettime(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clock_gettime(clock: c_int, at: *mut Timespec) -> c_int {
    // SAFETY: as the caller vouches.
    unsafe {
        let outcome = true_time(clock, at);
        if outcome == 0
            && matches!(clock, CLOCK_REALTIME | CLOCK_REALTIME_COARSE | CLOCK_REALTIME_ALARM)
            && let Some(page) = page()
        {
            let shown = page.setting().at((*at).seconds * SECOND + (*at).nanoseconds);
            (*at).seconds = shown.div_euclid(SECOND);
            (*at).nanoseconds = shown.rem_euclid(SECOND);
        }
        outcome
    }
}

/// See gettimeofday(2); the time zone has been obsolete for decades and is left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn gettimeofday(at: *mut Timeval, _zone: *mut c_void) -> c_int {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: as the caller vouches.
    unsafe {
        let outcome = clock_gettime(CLOCK_REALTIME, &mut now);
        if outcome == 0 && !at.is_null() {
            (*at).seconds = now.seconds;
            (*at).microseconds = now.nanoseconds / 1000;
        }
        outcome
    }
}

/// See time(2).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn time(at: *mut i64) -> i64 {
    let mut now = Timespec { seconds: 0, nanoseconds: 0 };
    // SAFETY: as the caller vouches.
    unsafe {
        clock_gettime(CLOCK_REALTIME, &mut now);
        if !at.is_null() {
            *at = now.seconds;
        }
    }
    now.seconds
}
