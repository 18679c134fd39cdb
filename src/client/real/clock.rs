//! The machine's clocks, the wall clock with a shift of the client's own.

use crate::client::Clock;
use checker::Nanos;
use rustix::time::{ClockId, clock_gettime};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, SystemTime};

/// The machine's clocks as one client sees them. Clones share their shift.
#[derive(Debug, Clone, Default)]
pub struct RealClock {
    /// How far the wall clock is ahead of the machine's, in nanoseconds.
    shift: Arc<AtomicI64>,
}

impl RealClock {
    /// Makes the wall clock jump from where it is; a negative jump is back. What adds up past 292 years stays there.
    pub fn jump(&self, by_ms: i64) {
        let by = by_ms.saturating_mul(1_000_000);
        let _ = self.shift.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |shift| Some(shift.saturating_add(by)));
    }
}

impl Clock for RealClock {
    /// CLOCK_MONOTONIC, straight from the kernel: no preloaded library comes between.
    fn monotonic(&self) -> Nanos {
        let now = clock_gettime(ClockId::Monotonic);
        now.tv_sec as Nanos * 1_000_000_000 + now.tv_nsec as Nanos
    }

    /// CLOCK_REALTIME through libc, where a preloaded library may skew it, and the client's own shift.
    fn wall(&self) -> Nanos {
        let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let machine = Nanos::try_from(since_1970.as_nanos()).unwrap_or(Nanos::MAX);
        machine.saturating_add_signed(self.shift.load(Ordering::SeqCst))
    }

    async fn sleep(&self, how_long: Duration) {
        tokio::time::sleep(how_long).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_shifts_the_wall_clock_of_every_clone_and_no_other() {
        let (clock, other) = (RealClock::default(), RealClock::default());
        let (wall, monotonic) = (clock.wall(), clock.monotonic());
        clock.clone().jump(-10_000);
        assert!(clock.wall() <= wall - 9_000_000_000);
        assert!(other.wall() >= wall);
        assert!(clock.monotonic() >= monotonic);
        clock.jump(10_000);
        assert!(clock.wall() >= wall);
        clock.jump(i64::MAX);
        clock.jump(i64::MAX);
        assert!(clock.wall() > wall, "no jump overflows");
    }
}
